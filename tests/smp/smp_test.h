/* SPDX-License-Identifier: MIT */
/* Handles that cross threads: what the suites share. */
#ifndef TESTS_SMP_TEST_H
#define TESTS_SMP_TEST_H

#include <sched.h>
#include <stdatomic.h>

#include <fail.h>

#include "../core/common.h"

static inline int smp_init(void)
{
	KTEST_REQUIRES(HAVE_SMP, "needs SMP");
	return common_init();
}

KTEST_SUITE(smp, .init = smp_init, .timeout = 60);

enum { THREADS = 4 };

static inline unsigned long rounds(unsigned long n)
{
	n = ktest_iterations(n);
	return HAVE_SANITIZER && n > 20 ? n / 10 : n;
}

static inline void run_threads(void *(*fn)(void *), void *arg)
{
	pthread_t thread[THREADS];

	for (int i = 0; i < THREADS; i++)
		ASSERT_EQ(pthread_create(&thread[i], NULL, fn, arg), 0);
	for (int i = 0; i < THREADS; i++)
		ASSERT_EQ(pthread_join(thread[i], NULL), 0);
}

#endif
