/* SPDX-License-Identifier: MIT */
/* chan.c - send and receive, compiled into the caller. */
#define KCORO_INLINE
#define NAME(what)	what##_run
#include "channels.h"
