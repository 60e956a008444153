/* SPDX-License-Identifier: MIT */
/*
 * switch.c - how long a switch takes.
 *
 * Four coroutines of four different functions are resumed from four places of one
 * loop. A benchmark with one function and one loop would flatter: the processor
 * predicts a lonely indirect jump without effort. Each function has a counter of its
 * own, lest the compiler fold the four into one.
 *
 * switch_call.c compiles the same text against the library's out-of-line functions.
 */
#ifndef SWITCH_CALL
#define KCORO_INLINE
#define SWITCH_RUN switch_run
#define SWITCH_MANY_RUN switch_many_run
#endif
#include <errno.h>

#include <kcoro/kcoro.h>

#include "kcbench.h"

#define SITES 4
#define MANY 1000

static unsigned long counter[SITES];

#define BODY(n)				\
static void body##n(void *arg)		\
{					\
	(void)arg;			\
	for (;;) {			\
		kcoro_yield();		\
		counter[n]++;		\
	}				\
}
BODY(0)
BODY(1)
BODY(2)
BODY(3)

static kcoro_fn const bodies[SITES] = { body0, body1, body2, body3 };

static int start(kcoro_t **co, int n)
{
	if (!kcoro_create_main())
		return -errno;
	for (int i = 0; i < n; i++) {
		co[i] = kcoro_create(bodies[i % SITES], NULL, bench_stack);
		if (!co[i])
			return -errno;
		kcoro_resume(co[i]);
	}
	return 0;
}

double SWITCH_RUN(unsigned long count)
{
	kcoro_t *co[SITES];
	int err = start(co, SITES);
	unsigned long rounds = count / (2 * SITES) + 1;
	double t;

	if (err)
		return err;
	t = now_ns();
	for (unsigned long i = 0; i < rounds; i++) {
		kcoro_resume(co[0]);
		kcoro_resume(co[1]);
		kcoro_resume(co[2]);
		kcoro_resume(co[3]);
	}
	return (now_ns() - t) / ((double)rounds * 2 * SITES);
}

double SWITCH_MANY_RUN(unsigned long count)
{
	static kcoro_t *co[MANY];
	int err = start(co, MANY);
	unsigned long rounds = count / (2 * MANY) + 1;
	double t;

	if (err)
		return err;
	t = now_ns();
	for (unsigned long i = 0; i < rounds; i++)
		for (int n = 0; n < MANY; n += SITES) {
			kcoro_resume(co[n]);
			kcoro_resume(co[n + 1]);
			kcoro_resume(co[n + 2]);
			kcoro_resume(co[n + 3]);
		}
	return (now_ns() - t) / ((double)rounds * 2 * MANY);
}
