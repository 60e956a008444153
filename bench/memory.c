/* SPDX-License-Identifier: MIT */
/* memory.c - what a parked coroutine keeps resident. */
#include <errno.h>

#include <kcoro/kcoro.h>

#include "kcbench.h"

static void parks(void *arg)
{
	(void)arg;
	kcoro_park();
}

static double grown(const char *key, unsigned long count)
{
	double before;

	if (!kcoro_create_main())
		return -errno;
	before = status_bytes(key);
	if (before <= 0)
		return -ENOSYS;
	for (unsigned long i = 0; i < count; i++) {
		kcoro_t *co = kcoro_create(parks, NULL, bench_stack);

		if (!co)
			return -errno;
		kcoro_resume(co);
	}
	return (status_bytes(key) - before) / (double)count;
}

double memory_run(unsigned long count)
{
	return grown("VmRSS", count);
}

double memory_pagetables_run(unsigned long count)
{
	return grown("VmPTE", count);
}
