/* SPDX-License-Identifier: MIT */
/*
 * switching.h - how long it takes to go from one coroutine to another.
 *
 * Four coroutines of four different functions are run from four places of one loop. A
 * benchmark with one function and one loop would flatter: the processor predicts a
 * lonely indirect jump without effort. Each function has a counter of its own, lest the
 * compiler fold the four into one.
 *
 * The file that includes this defines TO(co) and BACK(self), the way there and back, and
 * the names RUN and RUN_MANY.
 */
#include <errno.h>

#include <kcoro/kcoro.h>

#include "kcbench.h"

#define SITES 4
#define MANY 1000

static kcoro_t *main_co;
static unsigned long counter[SITES];

#define BODY(n)					\
static void body##n(void *arg)			\
{						\
	kcoro_t *self = kcoro_current();	\
						\
	(void)arg, (void)self;			\
	kcoro_yield();				\
	for (;;) {				\
		BACK(self);			\
		counter[n]++;			\
	}					\
}
BODY(0)
BODY(1)
BODY(2)
BODY(3)

static kcoro_fn const bodies[SITES] = { body0, body1, body2, body3 };

static int start(kcoro_t **co, int n)
{
	main_co = kcoro_create_main();
	if (!main_co)
		return -errno;
	for (int i = 0; i < n; i++) {
		co[i] = kcoro_create(bodies[i % SITES], NULL, bench_stack);
		if (!co[i])
			return -errno;
		kcoro_resume(co[i]);
	}
	return 0;
}

double RUN(unsigned long count)
{
	kcoro_t *co[SITES];
	int err = start(co, SITES);
	unsigned long rounds = count / (2 * SITES) + 1;
	double t;

	if (err)
		return err;
	t = now_ns();
	for (unsigned long i = 0; i < rounds; i++) {
		TO(co[0]);
		TO(co[1]);
		TO(co[2]);
		TO(co[3]);
	}
	return (now_ns() - t) / ((double)rounds * 2 * SITES);
}

double RUN_MANY(unsigned long count)
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
			TO(co[n]);
			TO(co[n + 1]);
			TO(co[n + 2]);
			TO(co[n + 3]);
		}
	return (now_ns() - t) / ((double)rounds * 2 * MANY);
}
