/* SPDX-License-Identifier: MIT */
/*
 * rt.h - what the workloads of the runtime have in common.
 *
 * A driver starts the coroutines that are measured, calls rt_begin() and ends; each of
 * them calls rt_done() at its end, and the last one stops the clock. Where several
 * coroutines do the same they run copies of the function made by a macro, for the
 * reason that switching.h gives: call sites differ in real programs.
 */
#ifndef RT_H
#define RT_H

#include <errno.h>
#include <stdint.h>

#include <kcoro/kcoro.h>

#include "kcbench.h"

/* start a coroutine with a stack of the size that was asked for */
int rt_go(kc_fn fn, void *arg);
/* the clock runs until rt_done() was called @n times */
void rt_begin(unsigned long n);
void rt_done(void);
/* run @driver in a runtime; ns of one of @ops operations, or a negative errno */
double rt_measure(kc_fn driver, void *arg, double ops);
/* pseudo-random, 0 to @n - 1 */
uint64_t rt_random(uint64_t n);

/* what a driver returns */
static inline void *rt_result(int err)
{
	return (void *)(intptr_t)err;
}

#endif
