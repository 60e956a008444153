// SPDX-License-Identifier: MIT
/* How coroutines of the runtime start and end, and how others wait for it. */
#include "common.h"

KTEST_SUITE(task, .init = virtual_init, .timeout = 30);

RT_TEST(task, go_returns_first)
{
	int ran = 0;

	EXPECT_EQ(kc_go(task_count, &ran), 0);
	EXPECT_EQ(ran, 0);
	EXPECT_EQ(kc_yield(), 0);
	EXPECT_EQ(ran, 1);
	EXPECT_ERR(kc_go(NULL, NULL), EINVAL);
	EXPECT_NULL_ERR(kc_spawn(NULL, NULL, NULL), EINVAL);
}

RT_TEST(task, join_gets_the_value)
{
	int ran = 0;
	struct kc_task *task = spawn(task_nothing, &ran);
	void *value = NULL;

	/* nothing but the join makes it run */
	EXPECT_EQ(kc_join(task, &value), 0);
	EXPECT_PTR_EQ(value, &ran);
	EXPECT_EQ(kc_join(spawn(task_count, &ran), NULL), 0);
	EXPECT_EQ(ran, 1);
}

static void deep_exit(int depth, void *value)
{
	volatile char frame[64];

	frame[0] = (char)depth;
	if (depth)
		deep_exit(depth - 1, value);
	else
		kc_exit(value);
	frame[63] = frame[0];
	KTEST_FAIL("code after kc_exit() runs");
}

static void *task_exits(void *arg)
{
	deep_exit(8, arg);
	return NULL;
}

RT_TEST(task, exit_is_return)
{
	int x;

	EXPECT_PTR_EQ(join(spawn(task_exits, &x)), &x);
	EXPECT_PTR_EQ(join(spawn(task_nothing, &x)), &x);
}

RT_TEST(task, join_of_an_ended_one_does_not_wait)
{
	static int ran;				/* the last one outlives this function */
	struct kc_task *task = spawn(task_nothing, &ran);

	kc_yield();
	EXPECT_NULL(kc_task_coro(task));
	EXPECT_EQ(kc_go(task_count, &ran), 0);
	EXPECT_EQ(kc_join_until(task, START - 1, NULL), 0);
	EXPECT_EQ(ran, 0);
}

static void *task_joins_itself(void *arg)
{
	(void)arg;
	EXPECT_ERR(kc_join(kc_self(), NULL), EDEADLK);
	EXPECT_ERR(kc_try_join(kc_self(), NULL), EDEADLK);
	return NULL;
}

static void *task_joins(void *arg)
{
	return join(arg);
}

static void *task_sleeps(void *arg)
{
	EXPECT_EQ(kc_sleep(KC_SEC), 0);
	return arg;
}

RT_TEST(task, join_refused)
{
	struct kc_task *target = spawn(task_sleeps, &target), *joiner;

	EXPECT_ERR(kc_join(NULL, NULL), EINVAL);
	EXPECT_ERR(kc_try_join(NULL, NULL), EINVAL);
	EXPECT_ERR(kc_join(kc_self(), NULL), EINVAL);	/* kc_run()'s nobody can join */
	EXPECT_ERR(kc_task_detach(kc_self()), EINVAL);
	EXPECT_EQ(kc_join(spawn(task_joins_itself, NULL), NULL), 0);
	joiner = spawn(task_joins, target);
	kc_yield();
	EXPECT_ERR(kc_join(target, NULL), EINVAL);
	EXPECT_ERR(kc_try_join(target, NULL), EINVAL);
	EXPECT_ERR(kc_task_detach(target), EBUSY);
	EXPECT_PTR_EQ(join(joiner), &target);		/* the first was not disturbed */
}

static void *task_sleeps_a_second(void *arg)
{
	EXPECT_EQ(kc_sleep(KC_SEC), 0);
	return arg;
}

static void *task_joins_first(void *arg)
{
	return join(arg);
}

/* it has ended, and the one who waited for that has not run yet */
RT_TEST(task, a_joiner_has_the_record)
{
	struct kc_task *ends = spawn(task_sleeps_a_second, (void *)5);
	struct kc_task *joiner = spawn(task_joins_first, ends);

	kc_yield();
	EXPECT_EQ(kc_sleep(KC_SEC), 0);	/* due next to it, before the joiner */
	EXPECT_NULL(kc_task_coro(ends));
	EXPECT_ERR(kc_try_join(ends, NULL), EINVAL);
	EXPECT_ERR(kc_join(ends, NULL), EINVAL);
	EXPECT_ERR(kc_task_detach(ends), EINVAL);
	EXPECT_PTR_EQ(join(joiner), (void *)5);
}

RT_TEST(task, join_until)
{
	struct kc_task *task = spawn(task_sleeps, &task);
	void *value = NULL;

	EXPECT_ERR(kc_join_until(task, START, &value), ETIMEDOUT);
	EXPECT_ERR(kc_join_until(task, kc_after(KC_MSEC), &value), ETIMEDOUT);
	EXPECT_EQ(kc_now(), START + KC_MSEC);
	EXPECT_ERR(kc_try_join(task, &value), EAGAIN);
	EXPECT_NULL(value);
	EXPECT_EQ(kc_join_until(task, kc_after(KC_SEC), &value), 0);
	EXPECT_PTR_EQ(value, &task);
	EXPECT_LE(kc_now(), START + KC_SEC + KC_MSEC);
}

static void *task_interrupts(void *arg)
{
	EXPECT_EQ(kc_interrupt(arg), 0);
	return NULL;
}

RT_TEST(task, join_interrupted)
{
	struct kc_task *task = spawn(task_sleeps, &task);

	EXPECT_EQ(kc_interrupt(kc_self()), 0);
	EXPECT_ERR(kc_join(task, NULL), EINTR);
	EXPECT_EQ(kc_go(task_interrupts, kc_self()), 0);
	EXPECT_ERR(kc_join(task, NULL), EINTR);
	EXPECT_EQ(kc_now(), START);
	EXPECT_PTR_EQ(join(task), &task);		/* it slept its full time */
	EXPECT_EQ(kc_now(), START + KC_SEC);
}

static void *task_wakes_joiner(void *arg)
{
	kc_yield();
	EXPECT_EQ(kcoro_unpark(arg), 0);		/* kept for its next park */
	EXPECT_EQ(kc_sleep(KC_SEC), 0);
	return arg;
}

RT_TEST(task, stray_wake_does_not_end_a_join)
{
	struct kc_task *task = spawn(task_wakes_joiner, kcoro_current());

	EXPECT_PTR_EQ(join(task), kcoro_current());
	EXPECT_EQ(kc_now(), START + KC_SEC);
	EXPECT_EQ(kcoro_park(), 0);
}

RT_TEST(task, try_join)
{
	int ran = 0;
	struct kc_task *task = spawn(task_count, &ran);

	EXPECT_ERR(kc_try_join(task, NULL), EAGAIN);
	EXPECT_EQ(ran, 0);				/* it did not wait */
	kc_yield();
	EXPECT_EQ(kc_try_join(task, NULL), 0);
	EXPECT_EQ(ran, 1);
}

static void *task_watches_itself(void *arg)
{
	int *ran = arg;

	kc_yield();
	EXPECT_NOT_NULL(kc_self());
	EXPECT_PTR_EQ(kc_task_coro(kc_self()), kcoro_current());
	EXPECT_ERR(kc_join(kc_self(), NULL), EINVAL);	/* detached meanwhile */
	++*ran;
	return NULL;
}

RT_TEST(task, detach)
{
	int ran = 0;
	struct kc_task *task = spawn(task_watches_itself, &ran);

	EXPECT_EQ(kc_task_detach(task), 0);		/* not begun */
	task = spawn(task_watches_itself, &ran);
	kc_yield();
	EXPECT_EQ(kc_task_detach(task), 0);		/* in the middle */
	task = spawn(task_count, &ran);
	kc_yield();
	kc_yield();
	EXPECT_NULL(kc_task_coro(task));
	EXPECT_EQ(kc_task_detach(task), 0);		/* at its end */
	EXPECT_ERR(kc_task_detach(NULL), EINVAL);
	EXPECT_EQ(ran, 3);
}

RT_TEST(task, handles_hold_no_stacks)
{
	enum { N = 10000 };
	static struct kc_task *task[N];
	struct kcoro_stats st;

	for (int i = 0; i < N; i++) {
		task[i] = spawn(task_nothing, &task[i]);
		kc_yield();
	}
	kcoro_reclaim();
	kcoro_get_stats(&st);
	EXPECT_LE(st.live, 2);
	for (int i = 0; i < N; i++)
		ASSERT_PTR_EQ(join(task[i]), &task[i]);
}

static void *task_self(void *arg)
{
	EXPECT_PTR_EQ(kc_self(), *(struct kc_task **)arg);
	EXPECT_PTR_EQ(kc_task_coro(kc_self()), kcoro_current());
	return kc_self();
}

RT_TEST(task, self)
{
	struct kc_task *task;

	EXPECT_NOT_NULL(kc_self());
	EXPECT_PTR_EQ(kc_task_coro(kc_self()), kcoro_current());
	EXPECT_NULL(kc_task_coro(NULL));
	task = spawn(task_self, &task);
	EXPECT_STREQ(STATE(kc_task_coro(task)), "READY");
	EXPECT_PTR_EQ(join(task), task);
}

/* every call outside a runtime */
KTEST(task, refused_outside)
{
	struct kc_timer timer;
	struct kc_defer defer;

	for (int with_main = 0; with_main < 2; with_main++) {
		if (with_main)
			ASSERT_NOT_NULL(kcoro_create_main());
		EXPECT_ERR(kc_go(task_nothing, NULL), EPERM);
		EXPECT_NULL_ERR(kc_spawn(task_nothing, NULL, NULL), EPERM);
		EXPECT_NULL(kc_self());
		EXPECT_ERR(kc_yield(), EPERM);
		EXPECT_ERR(kc_sleep(KC_SEC), EPERM);
		EXPECT_ERR(kc_sleep(0), EPERM);
		EXPECT_ERR(kc_sleep_until(KC_FOREVER), EPERM);
		EXPECT_ERR(kc_detach(), EPERM);
		EXPECT_ERR(kc_interrupt(NULL), EINVAL);
		EXPECT_ERR(kc_defer_push(&defer, NULL, NULL), EINVAL);
		EXPECT_ERR(kc_defer_push(&defer, free, NULL), EPERM);
		EXPECT_ERR(kc_defer_pop(0), EPERM);
		kc_timer_init(&timer, free, NULL);
		EXPECT_ERR(kc_timer_set(&timer, START), EPERM);
		EXPECT_EQ(kc_timer_cancel(&timer), 0);
		kc_exit(NULL);
#if KC_CONFIG_KEYS > 0
		EXPECT_ERR(kc_key_set(0, NULL), EPERM);
		EXPECT_NULL(kc_key_get(0));
#endif
#ifdef KC_CONFIG_INSPECT
		EXPECT_ERR(kc_each(NULL, NULL), EPERM);
		EXPECT_ERR(kc_set_hooks(NULL), EPERM);
		EXPECT_ERR(kc_safepoint(free, NULL), EPERM);
		EXPECT_ERR(kc_set_user(NULL, NULL), EINVAL);
		EXPECT_NULL(kc_user(NULL));
#endif
	}
	EXPECT_EQ(kcoro_detach(), 0);
}

static void *task_sum(void *arg)
{
	long n = (long)(intptr_t)arg;

	for (long i = 0; i < n % 7; i++)
		kc_yield();
	return arg;
}

RT_TEST(task, many_at_a_time)
{
	long n = (long)at_most(ktest_iterations(20000), MAX_TASKS), sum = 0;
	struct kc_task **task = calloc((size_t)n, sizeof(task[0]));

	ASSERT_NOT_NULL(task);
	for (long i = 0; i < n; i++)
		task[i] = spawn(task_sum, (void *)(intptr_t)i);
	for (long i = 0; i < n; i++)
		sum += (long)(intptr_t)join(task[i]);
	EXPECT_EQ(sum, n * (n - 1) / 2);
	free(task);
}

/* each starts the next and ends: one after another in the memory of the one before */
static void *task_chain(void *arg)
{
	long *left = arg;

	if (--*left > 0)
		EXPECT_EQ(kc_go(task_chain, left), 0);
	return NULL;
}

KTEST(task, chain_of_starts)
{
	long left = (long)ktest_iterations(100000);

	EXPECT_EQ(kc_run(task_chain, &left), 0);
	EXPECT_EQ(left, 0);
}
