/* SPDX-License-Identifier: MIT */
/* st_peer.h - what the parts of the program about State Threads share. */
#ifndef ST_PEER_H
#define ST_PEER_H

#include <st.h>

#include "peer.h"

/* one page besides the one that ST's thread object shares with the top of the stack */
#define ST_STACK 8192

extern const struct peer_workload st_workloads[];

#endif
