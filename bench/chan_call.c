/* SPDX-License-Identifier: MIT */
/* chan_call.c - send and receive as functions of the library. */
#define NAME(what)	what##_call_run
#include "channels.h"
