/* SPDX-License-Identifier: MIT */
/* spawn.c - how long it takes to start a coroutine that the scheduler runs to its end. */
#define KCORO_INLINE
#include "rt.h"

static unsigned long ended;

static void *ends(void *arg)
{
	ended++;
	return arg;
}

/* one after the other: each is over before the next begins */
static void *one_by_one(void *arg)
{
	unsigned long n = *(unsigned long *)arg;
	int err = 0;

	for (int i = 0; i < 1000 && !err; i++) {
		err = rt_go(ends, NULL);
		kc_yield();
	}
	rt_begin(1);
	while (n-- && !err) {
		err = rt_go(ends, NULL);
		kc_yield();
	}
	rt_done();
	return rt_result(err);
}

static void *joined(void *arg)
{
	unsigned long n = *(unsigned long *)arg;
	struct kc_spawn_opts opts = { .stack_size = bench_stack };
	int err = 0;

	rt_begin(1);
	while (n-- && !err) {
		struct kc_task *task = kc_spawn(ends, NULL, &opts);

		err = task ? kc_join(task, NULL) : -errno;
	}
	rt_done();
	return rt_result(err);
}

static int all_at_once(unsigned long n)
{
	int err = 0;

	ended = 0;
	for (unsigned long i = 0; i < n && !err; i++)
		err = rt_go(ends, NULL);
	while (ended < n && !err)
		kc_yield();
	return err;
}

static void *cold(void *arg)
{
	int err;

	rt_begin(1);
	err = all_at_once(*(unsigned long *)arg);
	rt_done();
	return rt_result(err);
}

static void *warm(void *arg)
{
	int err = all_at_once(*(unsigned long *)arg);

	return err ? rt_result(err) : cold(arg);
}

double spawn_one_run(unsigned long count)
{
	return rt_measure(one_by_one, &count, (double)count);
}

double spawn_join_run(unsigned long count)
{
	return rt_measure(joined, &count, (double)count);
}

double spawn_run(unsigned long count)
{
	return rt_measure(warm, &count, (double)count);
}

double spawn_cold_run(unsigned long count)
{
	return rt_measure(cold, &count, (double)count);
}
