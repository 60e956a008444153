/* SPDX-License-Identifier: MIT */
/* yield.c - kc_yield(), compiled into the caller. */
#define KCORO_INLINE
#define RUN		yield_run
#define RUN_MANY	yield_many_run
#include "yielding.h"
