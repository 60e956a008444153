// SPDX-License-Identifier: MIT
/* ktest tested by itself: what passes has to pass. What fails is in broken.c. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ktest.h"

static int initialised;
static const char *order;

static int init(void)
{
	initialised++;
	return 0;
}

KTEST_SUITE(ktest, .init = init, .timeout = 20);

KTEST(ktest, compares_mixed_integers)
{
	const unsigned char c = 200;
	const size_t big = SIZE_MAX;
	const int minus = -1;

	EXPECT_EQ(c, 200);
	EXPECT_NE(minus, big);
	EXPECT_LT(minus, big);
	EXPECT_GT(1u, minus);
	EXPECT_LE(-2L, minus);
	EXPECT_GE(big, 0);
	EXPECT_EQ(INT64_MIN, INT64_MIN);
	EXPECT_LT(INT64_MIN, UINT64_MAX);
	ASSERT_EQ(true, 1);
}

KTEST(ktest, compares_floats)
{
	EXPECT_EQ(0.5, 0.5f);
	EXPECT_LT(1, 1.5);
	EXPECT_NE(0.0 / 0.0, 0.0 / 0.0);
}

KTEST(ktest, compares_pointers_and_strings)
{
	char text[] = "text";

	EXPECT_PTR_EQ(text, &text[0]);
	EXPECT_EQ((void *)text, (void *)&text[0]);
	EXPECT_NE((void *)text, NULL);
	EXPECT_STREQ(text, "text");
	EXPECT_STREQ(NULL, NULL);
	EXPECT_NULL(NULL);
	EXPECT_NOT_NULL(text);
}

KTEST(ktest, compares_errors)
{
	errno = ENOMEM;
	EXPECT_NULL_ERR(NULL, ENOMEM);
	EXPECT_ERR(-EINVAL, EINVAL);
	EXPECT_ERR(-(long)EPIPE, EPIPE);
	EXPECT_ERR(0, 0);
}

static int evaluated;

KTEST(ktest, evaluates_arguments_once)
{
	EXPECT_EQ(++evaluated, 1);
	EXPECT_TRUE(++evaluated);
	EXPECT_NE(++evaluated, 4);
	EXPECT_EQ(evaluated, 3);
}

/* Each case has a process of its own: nobody sees another's change. */
KTEST(ktest, starts_afresh)
{
	EXPECT_EQ(evaluated, 0);
	EXPECT_EQ(initialised, 1);
}

static void note(void *letter)
{
	static char seen[8];

	strcat(seen, (const char *)letter);
	order = seen;
}

static void check_order(void *unused)
{
	(void)unused;
	EXPECT_STREQ(order, "cba");
}

KTEST(ktest, defers_last_in_first_out)
{
	ktest_defer(check_order, NULL);
	ktest_defer(note, (void *)(uintptr_t)"a");
	ktest_defer(note, (void *)(uintptr_t)"b");
	ktest_defer(note, (void *)(uintptr_t)"c");
	EXPECT_NULL(order);
}

static void close_it(void *fd)
{
	close(*(int *)fd);
}

KTEST(ktest, looks_for_leaks_after_deferred_calls)
{
	static int fd;

	fd = open("/dev/null", O_RDONLY);
	ASSERT_GE(fd, 0);
	ktest_defer(close_it, &fd);
}

static long live_objects;

static long count_objects(void)
{
	return live_objects;
}

KTEST(ktest, counts_objects)
{
	live_objects = 3;
	ktest_leak_counter("objects", count_objects);
	live_objects = 7;
	live_objects = 3;
}

static void *expect_in_thread(void *arg)
{
	for (int i = 0; i < 1000; i++)
		EXPECT_LE(i, 1000);
	return arg;
}

KTEST(ktest, works_in_threads)
{
	pthread_t thread[4];

	for (int i = 0; i < 4; i++)
		ASSERT_EQ(pthread_create(&thread[i], NULL, expect_in_thread, NULL), 0);
	for (int i = 0; i < 4; i++)
		ASSERT_EQ(pthread_join(thread[i], NULL), 0);
}

KTEST(ktest, sees_death_by_signal)
{
	EXPECT_DEATH(SIGABRT, "", abort());
	EXPECT_DEATH(SIGKILL, "last words", fputs("my last words\n", stderr), raise(SIGKILL));
	EXPECT_DEATH(SIGTERM, "on stdout", printf("on stdout\n"), fflush(stdout), raise(SIGTERM));
}

KTEST(ktest, sees_death_by_fault)
{
	volatile int *volatile nowhere = (int *)16;

	EXPECT_DEATH(SIGSEGV, "", *nowhere = 1);
}

KTEST(ktest, death_changes_nothing_here)
{
	int here = 1;

	EXPECT_DEATH(SIGABRT, "", { here = 2; abort(); });
	EXPECT_EQ(here, 1);
}

KTEST(ktest, random_numbers_are_the_cases_own)
{
	uint64_t a = ktest_rand(), b = ktest_rand();

	ktest_log("drew %llx %llx", (unsigned long long)a, (unsigned long long)b);
	EXPECT_NE(a, b);
}

KTEST(ktest, iterations_shrink_but_never_vanish)
{
	EXPECT_GE(ktest_iterations(1), 1);
	EXPECT_LE(ktest_iterations(1000), 1000);
	EXPECT_GE(ktest_iterations(1000), 1);
}

KTEST(ktest, stdin_stdout_stderr_may_be_used)
{
	printf("ok 1 this is no result\n");
	fprintf(stderr, "not ok 1 neither is this\n");
	EXPECT_EQ(fflush(stdout), 0);
}

KTEST(ktest, skip_is_no_failure)
{
	KTEST_REQUIRES(1 + 1 == 2, "this machine cannot add");
	ktest_skip("to show %s", "a skip");
}

static const struct {
	const char *desc;
	int a, b, sum;
} sums[] = {
	{ "zero", 0, 0, 0 },
	{ "small", 1, 2, 3 },
	{ "negative numbers", -1, -2, -3 },
};

KTEST_PARAM(ktest, takes_parameters, sums)
{
	EXPECT_EQ(param->a + param->b, param->sum);
}

KTEST_SLOW(ktest, may_be_slow)
{
	usleep(1000);
}
