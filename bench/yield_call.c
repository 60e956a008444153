/* SPDX-License-Identifier: MIT */
/* yield_call.c - kc_yield() as a function of the library. */
#define RUN		yield_call_run
#define RUN_MANY	yield_call_many_run
#include "yielding.h"
