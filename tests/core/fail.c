// SPDX-License-Identifier: MIT
/* The core when the system refuses, and what it holds when nothing is left to hold. */
#include <fail.h>

#include "common.h"

/* no init: making the main coroutine is one of the things that fail */
KTEST_SUITE(core, .timeout = 60);

/* Everything once; whatever was taken is given back, on success and on failure. */
static int whole_life(void *arg)
{
	struct job *job = arg;
	kcoro_t *co;
	int err;

	if (!kcoro_create_main())
		return -errno;
	co = kcoro_create(body_count, &job->steps, 0);
	err = co ? 0 : -errno;
	EXPECT_EQ(live_coroutines(), co ? 1 : 0);
	if (co) {
		EXPECT_EQ(kcoro_resume(co), 0);
		EXPECT_EQ(kcoro_destroy(co), 0);
	}
	EXPECT_EQ(kcoro_detach(), 0);
	return err;
}

KTEST(core, allocation_failures)
{
	unsigned int sites = KTEST_ANY_ALLOC | KTEST_MPROTECT | KTEST_PTHREAD_KEY;
	struct job job = { .steps = 0 };
	struct ktest_fail_result res = ktest_fail_each(sites, whole_life, &job);

	ktest_log("%u calls reported, %u absorbed", res.reported, res.absorbed);
	if (HAVE_THREADS)
		EXPECT_GE(res.reported, 2);	/* the key, and the stack's memory */
	/* what only makes it slower or less talkative is no error */
	res = ktest_fail_each(KTEST_MADVISE | KTEST_SYSCALL | KTEST_SIGALTSTACK | KTEST_SIGACTION,
			      whole_life, &job);
	EXPECT_EQ(res.reported, 0);
}

static void *thread_works(void *arg)
{
	kcoro_t *co[8];

	(void)arg;
	ASSERT_NOT_NULL(kcoro_create_main());
	for (int i = 0; i < 8; i++) {
		co[i] = make(body_yield_forever, NULL);
		kcoro_resume(co[i]);
	}
	for (int i = 0; i < 4; i++)
		kcoro_destroy(co[i]);
	for (int i = 4; i < 8; i++)
		kcoro_put(co[i]);
	return NULL;				/* stacks cached, coroutines retired, no detach */
}

KTEST(core, thread_exit_releases)
{
	long before;

	NEED_THREADS();
	run_thread(thread_works, NULL);		/* what is done once per process */
	before = ktest_fail_outstanding();
	for (int i = 0; i < 20; i++)
		run_thread(thread_works, NULL);
	EXPECT_EQ(ktest_fail_outstanding(), before);
}

KTEST(core, detach_releases)
{
	long before = ktest_fail_outstanding();

	for (int i = 0; i < 20; i++) {
		kcoro_t *co;

		ASSERT_NOT_NULL(kcoro_create_main());
		co = make(body_yield_forever, NULL);
		kcoro_resume(co);
		kcoro_put(co);
		ASSERT_EQ(kcoro_detach(), 0);
		ASSERT_EQ(ktest_fail_outstanding(), before);
	}
}

KTEST(core, switching_allocates_nothing)
{
	struct job job = { .steps = 0 };
	kcoro_t *co, *parked;

	ASSERT_NOT_NULL(kcoro_create_main());
	co = make(body_yield_forever, &job);
	parked = make(body_park, NULL);
	ktest_fail_all(KTEST_ANY_SITE);		/* nor makes it a system call of ours */
	for (int i = 0; i < 1000; i++)
		kcoro_resume(co);
	kcoro_resume(parked);
	kcoro_unpark(parked);
	kcoro_resume(parked);
	EXPECT_EQ(ktest_fail_fired(), 0);
	ktest_fail_nth(0, 0);
	EXPECT_EQ(kcoro_destroy(co), 0);
	EXPECT_EQ(kcoro_destroy(parked), 0);
	EXPECT_EQ(kcoro_detach(), 0);
}
