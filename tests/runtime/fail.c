// SPDX-License-Identifier: MIT
/* The runtime when the system refuses, and what it takes from it. */
#include <fail.h>

#include "common.h"

KTEST_SUITE(task, .timeout = 60);

static void *spawns_and_joins(void *arg)
{
	int *result = arg;
	struct kc_task *task = kc_spawn(task_nothing, NULL, NULL);
	int err;

	if (!task) {
		*result = -errno;
		return NULL;
	}
	err = kc_join(task, NULL);
	if (!err)
		err = kc_go(task_nothing, NULL);
	*result = err;
	return NULL;
}

static int whole_run(void *arg)
{
	int result = 0, err;

	(void)arg;
	EXPECT_EQ(kc_clock_virtual(START), 0);
	err = kc_run(spawns_and_joins, &result);
	EXPECT_NULL(kcoro_current());
	EXPECT_EQ(kc_clock_virtual(0), 0);	/* no runtime is left behind */
	return err ? err : result;
}

static int whole_attach(void *arg)
{
	int result = 0, err = kc_attach();

	(void)arg;
	if (err) {
		EXPECT_NULL(kcoro_current());
		return err;
	}
	spawns_and_joins(&result);
	kc_yield();
	EXPECT_EQ(kc_detach(), 0);
	return result;
}

static const unsigned int sites = KTEST_ANY_ALLOC | KTEST_MPROTECT | KTEST_PTHREAD_KEY;
/* a sanitizer's run-time asks for signal stacks itself, and insists */
static const unsigned int harmless = KTEST_MADVISE | KTEST_SYSCALL |
	(HAVE_SANITIZER ? 0 : KTEST_SIGALTSTACK | KTEST_SIGACTION);

KTEST(task, allocation_failures_of_run)
{
	struct ktest_fail_result res = ktest_fail_each(sites, whole_run, NULL);

	ktest_log("%u calls reported, %u absorbed", res.reported, res.absorbed);
	EXPECT_GE(res.reported, HAVE_THREADS ? 3 : 1);	/* the runtime, a handle, stacks */
	res = ktest_fail_each(harmless, whole_run, NULL);
	EXPECT_EQ(res.reported, 0);
}

KTEST(task, allocation_failures_of_attach)
{
	struct ktest_fail_result res = ktest_fail_each(sites, whole_attach, NULL);

	EXPECT_GE(res.reported, HAVE_THREADS ? 3 : 1);
}

/* a failed start changes nothing: the runtime goes on */
static void *survives(void *arg)
{
	struct kc_task *task = kc_spawn(task_nothing, NULL, NULL), *more;

	ASSERT_NOT_NULL(task);
	ktest_fail_all(KTEST_ANY_ALLOC);
	more = kc_spawn(task_nothing, NULL, NULL);	/* the handle needs memory in every build */
	EXPECT_NULL(more);
	EXPECT_EQ(errno, ENOMEM);
	EXPECT_EQ(kc_join(task, NULL), 0);
	EXPECT_EQ(kc_sleep(KC_SEC), 0);
	ktest_fail_nth(0, 0);
	join(spawn(task_nothing, NULL));
	return arg;
}

KTEST(task, failed_spawn_changes_nothing)
{
	EXPECT_EQ(kc_clock_virtual(START), 0);
	EXPECT_EQ(kc_run(survives, NULL), 0);
}

static void quiet(void)
{
}

static void *leaves_stuck(void *arg)
{
	kc_go(task_sleep_forever, NULL);
	kc_go(task_park, NULL);
	kc_yield();
	return arg;
}

KTEST(task, run_leaves_nothing)
{
	int result;
	long before;

	EXPECT_EQ(kc_run(spawns_and_joins, &result), 0);	/* what is done once per process */
	before = ktest_fail_outstanding();
	kc_set_deadlock_hook(quiet);
	for (int i = 0; i < 20; i++) {
		EXPECT_EQ(kc_run(spawns_and_joins, &result), 0);
		EXPECT_EQ(result, 0);
		if (DEADLOCK_RETURNS)
			EXPECT_ERR(kc_run(leaves_stuck, NULL), EDEADLK);
		EXPECT_EQ(kc_attach(), 0);
		EXPECT_EQ(kc_sleep(1), 0);
		EXPECT_EQ(kc_detach(), 0);
		ASSERT_EQ(ktest_fail_outstanding(), before);
	}
}

static void *thread_runs(void *arg)
{
	EXPECT_EQ(kc_run(spawns_and_joins, arg), 0);
	return NULL;
}

static void *thread_forgets(void *arg)
{
	EXPECT_EQ(kc_attach(), 0);
	EXPECT_EQ(kc_sleep(1), 0);
	return arg;			/* no detach */
}

KTEST(task, threads_leave_nothing)
{
	int result;
	long before;

	NEED_THREADS();
	run_thread(thread_runs, &result);
	before = ktest_fail_outstanding();
	for (int i = 0; i < 20; i++)
		run_thread(thread_runs, &result);
	EXPECT_EQ(ktest_fail_outstanding(), before);
	for (int i = 0; i < 20; i++)
		run_thread(thread_forgets, &result);
	EXPECT_EQ(ktest_fail_outstanding(), before);
	EXPECT_EQ(kc_clock_virtual(START), 0);		/* and holds no clock */
}

/* ---- turns cost no memory ---- */

KTEST_SUITE(sched, .timeout = 60);

static struct kc_timer timer;
static long ticks;

static void tick(void *arg)
{
	(void)arg;
	ticks++;
	kc_timer_set(&timer, kc_after(KC_MSEC));
}

static void *task_turns(void *arg)
{
	for (int i = 0; i < 200; i++) {
		kc_yield();
		kc_sleep(100 * KC_USEC);
		kcoro_yield();
	}
	return arg;
}

static void *takes_turns(void *arg)
{
	struct kc_task *task[6], *parked = spawn(task_park, NULL);
	struct kc_task *sleeper = spawn(task_sleep_forever, NULL);

	for (int i = 0; i < 6; i++)
		task[i] = spawn(task_turns, NULL);
	ktest_fail_all(KTEST_ANY_ALLOC);
	kc_timer_init(&timer, tick, NULL);
	kc_timer_set(&timer, kc_after(KC_MSEC));
	kc_yield();
	EXPECT_EQ(kcoro_unpark(kc_task_coro(parked)), 1);
	EXPECT_EQ(kc_interrupt(sleeper), 0);
	for (int i = 0; i < 6; i++)
		EXPECT_EQ(kc_join(task[i], NULL), 0);
	EXPECT_EQ(kc_join(parked, NULL), 0);
	EXPECT_EQ(kc_join(sleeper, NULL), 0);
	EXPECT_EQ(ktest_fail_fired(), 0);
	ktest_fail_nth(0, 0);
	EXPECT_GT(ticks, 0);
	return arg;
}

KTEST(sched, turns_allocate_nothing)
{
	EXPECT_EQ(kc_clock_virtual(START), 0);
	EXPECT_EQ(kc_run(takes_turns, NULL), 0);
}
