/* SPDX-License-Identifier: MIT */
/* resume_call.c - kcoro_resume() and kcoro_yield() as functions of the library. */
#define TO(co)		kcoro_resume(co)
#define BACK(self)	kcoro_yield()
#define RUN		resume_call_run
#define RUN_MANY	resume_call_many_run
#include "switching.h"
