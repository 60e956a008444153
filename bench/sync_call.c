/* SPDX-License-Identifier: MIT */
/* sync_call.c - locks and conditions as functions of the library. */
#define NAME(what)	what##_call_run
#include "locks.h"
