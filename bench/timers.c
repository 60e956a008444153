/* SPDX-License-Identifier: MIT */
/*
 * timers.c - very many sleepers, very many timers.
 *
 * Deadlines are random. Of those that fire they are spread over 2 us for each sleeper or timer,
 * 2 s for a million, and CPU time is measured, as the rest is waiting.
 */
#define KCORO_INLINE
#include "rt.h"

#define SPREAD 2000

static unsigned long left;
static double cpu;

static void *sleeper(void *arg)
{
	kc_sleep_until(kc_after((kc_time_t)rt_random(SPREAD * *(unsigned long *)arg)));
	left--;
	return NULL;
}

static int all_sleep(unsigned long *n)
{
	int err = 0;

	left = *n;
	cpu = cpu_ns();
	for (unsigned long i = 0; i < *n && !err; i++)
		err = rt_go(sleeper, n);
	while (left && !err)
		kc_sleep(KC_MSEC);
	cpu = cpu_ns() - cpu;
	return err;
}

static void *sleepers(void *arg)
{
	int err = all_sleep(arg);

	/* the second time memory is there */
	return rt_result(err ? err : all_sleep(arg));
}

double sleep_run(unsigned long count)
{
	int err = kc_run(sleepers, &count);

	return err ? err : cpu / (double)count;
}

/* ---- bare timers ---- */

static struct kc_timer *timers;

static void fires(void *arg)
{
	--*(unsigned long *)arg;
}

/* far enough that none fires meanwhile, over several levels of a wheel */
static void set_far(struct kc_timer *t)
{
	kc_timer_set(t, kc_after(100 * KC_SEC + (kc_time_t)rt_random(100 * KC_SEC)));
}

/* memory for all of them, touched */
static int make(unsigned long n)
{
	timers = malloc(n * sizeof(*timers));
	if (!timers)
		return -ENOMEM;
	for (unsigned long i = 0; i < n; i++)
		kc_timer_init(&timers[i], fires, &left);
	return 0;
}

static void *add(void *arg)
{
	unsigned long n = *(unsigned long *)arg;
	int err = make(n);

	if (err)
		return rt_result(err);
	for (unsigned long i = 0; i < n; i++)
		set_far(&timers[i]);
	for (unsigned long i = 0; i < n; i++)
		kc_timer_cancel(&timers[i]);
	rt_begin(1);
	for (unsigned long i = 0; i < n; i++)
		set_far(&timers[i]);
	rt_done();
	return NULL;
}

static void *cancel(void *arg)
{
	unsigned long n = *(unsigned long *)arg;
	void *err = add(arg);

	rt_begin(1);
	for (unsigned long i = 0; i < n && !err; i++)
		kc_timer_cancel(&timers[i]);
	rt_done();
	return err;
}

static void *fire(void *arg)
{
	unsigned long n = *(unsigned long *)arg;
	int err = make(n);

	cpu = cpu_ns();
	left = n;
	for (unsigned long i = 0; i < n && !err; i++)
		kc_timer_set(&timers[i], kc_after((kc_time_t)rt_random(SPREAD * n)));
	while (left && !err)
		kc_sleep(KC_MSEC);
	cpu = cpu_ns() - cpu;
	return rt_result(err);
}

double timer_add_run(unsigned long count)
{
	return rt_measure(add, &count, (double)count);
}

double timer_cancel_run(unsigned long count)
{
	return rt_measure(cancel, &count, (double)count);
}

double timer_fire_run(unsigned long count)
{
	int err = kc_run(fire, &count);

	return err ? err : cpu / (double)count;
}
