// SPDX-License-Identifier: MIT
/*
 * Cases that must not pass. py/test_ktest.py builds this file on its own and knows what the
 * verdict on each has to be; it is not part of the matrix.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fail.h"

static long objects;
static volatile int *volatile nowhere = (int *)16;

static int crash(void)
{
	return *nowhere;
}

static int refuse(void)
{
	return -EPERM;
}

static void crash_late(void)
{
	abort();
}

KTEST_SUITE(broken, .timeout = 1);
KTEST_SUITE(init_crashes, .init = crash);
KTEST_SUITE(init_fails, .init = refuse);
KTEST_SUITE(exit_crashes, .exit = crash_late);
KTEST_SUITE(runner);

KTEST(init_crashes, good) { }
KTEST(init_fails, good) { }
KTEST(exit_crashes, good) { }

KTEST(broken, good) { }
KTEST(broken, expect) { EXPECT_EQ(1 + 1, 3); ktest_log("went on"); }
KTEST(broken, assert) { ASSERT_EQ(1 + 1, 3); ktest_log("went on"); }
KTEST(broken, segv) { crash(); }
KTEST(broken, aborts) { abort(); }

KTEST(broken, exits_0) { exit(0); }
KTEST(broken, exits_0_hard) { _exit(0); }
KTEST(broken, exits_3) { exit(3); }

KTEST(broken, skip_after_failure)
{
	EXPECT_TRUE(false);
	ktest_skip("a skip does not hide a failure");
}

KTEST(broken, fakes_results)
{
	for (int fd = 0; fd < 200; fd++)
		dprintf(fd, "KTAP version 1\n1..1\n  ok 1 fakes_results\nok 1 broken\n");
	EXPECT_TRUE(false);
}

KTEST(broken, hangs)
{
	for (;;)
		pause();
}

KTEST(broken, hangs_deaf)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	for (;;)
		pause();
}

KTEST(broken, spins)
{
	for (;;)
		*(volatile int *)&errno = 0;
}

KTEST(broken, leaves_child)
{
	if (fork() == 0)
		for (;;)
			pause();
}

KTEST(broken, leaves_daemon)
{
	if (fork() == 0) {
		setsid();
		for (;;)
			pause();
	}
}

KTEST(broken, hangs_with_child)
{
	fork();
	for (;;)
		pause();
}

static void *fail_in_thread(void *arg)
{
	if (arg)
		ASSERT_TRUE(false);
	EXPECT_TRUE(false);
	return NULL;
}

KTEST(broken, expect_in_thread)
{
	pthread_t thread;

	pthread_create(&thread, NULL, fail_in_thread, NULL);
	pthread_join(thread, NULL);
}

KTEST(broken, assert_in_thread)
{
	pthread_t thread;

	pthread_create(&thread, NULL, fail_in_thread, &objects);
	for (;;)
		pause();
}

KTEST(broken, closes_outputs)
{
	close(STDOUT_FILENO);
	close(STDERR_FILENO);
	EXPECT_TRUE(false);
}

KTEST(broken, closes_everything)
{
	close_range(0, ~0U, 0);
}

KTEST(broken, leaks_fd)
{
	(void)!open("/dev/null", O_RDONLY);
}

static long count_objects(void)
{
	return objects;
}

KTEST(broken, leaks_objects)
{
	ktest_leak_counter("objects", count_objects);
	objects = 2;
}

KTEST(broken, defers_too_much)
{
	for (int i = 0; i < 100; i++)
		ktest_defer((void (*)(void *))abort, NULL);
}

KTEST(broken, survives) { EXPECT_DEATH(SIGABRT, "", objects++); }
KTEST(broken, dies_otherwise) { EXPECT_DEATH(SIGABRT, "", raise(SIGTERM)); }
KTEST(broken, dies_in_silence) { EXPECT_DEATH(SIGABRT, "last words", abort()); }
KTEST(broken, exits_instead) { EXPECT_DEATH(SIGABRT, "", exit(6)); }
KTEST(broken, fails_before_death)
{
	EXPECT_DEATH(SIGABRT, "", { EXPECT_TRUE(false); abort(); });
}

KTEST(broken, prints_a_lot)
{
	for (int i = 0; i < 100000; i++)
		printf("line %d\n", i);
	fflush(stdout);
	fwrite("\0\xff\n", 3, 1, stdout);
	EXPECT_TRUE(false);
}

KTEST(broken, fails_sometimes)
{
	EXPECT_NE(ktest_rand() % 4, 0);
}

static const struct {
	const char *desc;
	bool good;
} params[] = { { "good", true }, { "bad", false }, { "also good", true } };

KTEST_PARAM(broken, param, params)
{
	EXPECT_TRUE(param->good);
}

static void *volatile sink;

static int leaks_on_error(void *arg)
{
	void *a = sink = malloc(8), *b = sink = calloc(1, 8);

	(void)arg;
	if (!a || !b)
		return -ENOMEM;
	free(a);
	free(b);
	return 0;
}

static int lies(void *arg)
{
	(void)arg;
	sink = malloc(8);
	if (!sink)
		return 1;
	free(sink);
	return 0;
}

static int does_not_check(void *arg)
{
	(void)arg;
	sink = malloc(8);
	*(char *)sink = 1;
	free(sink);
	return 0;
}

static int fails_anyway(void *arg)
{
	(void)arg;
	return -EIO;
}

KTEST(broken, inject_leak) { ktest_fail_each(KTEST_ANY_SITE, leaks_on_error, NULL); }
KTEST(broken, inject_lie) { ktest_fail_each(KTEST_ANY_SITE, lies, NULL); }
KTEST(broken, inject_crash) { ktest_fail_each(KTEST_ANY_SITE, does_not_check, NULL); }
KTEST(broken, inject_none) { ktest_fail_each(KTEST_ANY_SITE, fails_anyway, NULL); }

/* Takes the runner itself down: its other cases are then without a result. */
KTEST(runner, before) { }
KTEST(runner, kills_it)
{
	kill(getppid(), SIGKILL);
	pause();
}
KTEST(runner, after) { }
