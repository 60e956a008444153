/* SPDX-License-Identifier: MIT */
/* create.c - how long it takes to make a coroutine. */
#define KCORO_INLINE
#include <errno.h>

#include <kcoro/kcoro.h>

#include "kcbench.h"

static void parks(void *arg)
{
	(void)arg;
	kcoro_park();
}

static void ends(void *arg)
{
	(void)arg;
}

/* All alive at once, so each needs memory nobody has touched: the repetition is a new process. */
double create_run(unsigned long count)
{
	double t;

	if (!kcoro_create_main())
		return -errno;
	t = now_ns();
	for (unsigned long i = 0; i < count; i++) {
		kcoro_t *co = kcoro_create(parks, NULL, bench_stack);

		if (!co)
			return -errno;
		kcoro_resume(co);
	}
	return (now_ns() - t) / (double)count;
}

static int one(void)
{
	kcoro_t *co = kcoro_create(ends, NULL, bench_stack);

	if (!co)
		return -errno;
	kcoro_resume(co);
	return kcoro_destroy(co);
}

/* One after the other: each uses the stack of the one before. */
double create_warm_run(unsigned long count)
{
	double t;

	if (!kcoro_create_main())
		return -errno;
	for (int i = 0; i < 1000; i++)
		one();
	t = now_ns();
	for (unsigned long i = 0; i < count; i++) {
		int err = one();

		if (err)
			return err;
	}
	return (now_ns() - t) / (double)count;
}
