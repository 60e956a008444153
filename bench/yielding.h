/* SPDX-License-Identifier: MIT */
/*
 * yielding.h - how long a turn through the scheduler takes: four functions with two call
 * sites each. The file that includes this defines RUN and RUN_MANY.
 */
#include "rt.h"

#define SITES 4
#define MANY 1000

static unsigned long counter[SITES];

#define BODY(n)							\
static void *body##n(void *arg)					\
{								\
	for (unsigned long i = *(unsigned long *)arg; i; i--) {	\
		kc_yield();					\
		counter[n]++;					\
		kc_yield();					\
	}							\
	rt_done();						\
	return NULL;						\
}
BODY(0)
BODY(1)
BODY(2)
BODY(3)

static kc_fn const bodies[SITES] = { body0, body1, body2, body3 };

struct ring {
	int size;
	unsigned long rounds;
};

static void *driver(void *arg)
{
	struct ring *r = arg;
	int err = 0;

	for (int i = 0; i < r->size && !err; i++)
		err = rt_go(bodies[i % SITES], &r->rounds);
	rt_begin((unsigned long)r->size);
	return rt_result(err);
}

static double measure(int size, unsigned long count)
{
	struct ring r = { size, count / (2 * (unsigned long)size) + 1 };

	return rt_measure(driver, &r, (double)r.rounds * 2 * size);
}

double RUN(unsigned long count)
{
	return measure(2, count);
}

double RUN_MANY(unsigned long count)
{
	return measure(MANY, count);
}
