/* SPDX-License-Identifier: MIT */
/* resume.c - kcoro_resume() and kcoro_yield(), compiled into the caller. */
#define KCORO_INLINE
#define TO(co)		kcoro_resume(co)
#define BACK(self)	kcoro_yield()
#define RUN		resume_run
#define RUN_MANY	resume_many_run
#include "switching.h"
