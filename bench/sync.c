/* SPDX-License-Identifier: MIT */
/* sync.c - locks and conditions, compiled into the caller. */
#define KCORO_INLINE
#define NAME(what)	what##_run
#include "locks.h"
