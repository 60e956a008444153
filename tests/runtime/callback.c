// SPDX-License-Identifier: MIT
/* Functions that the runtime calls in the middle of a switch, and what they must not do. */
#include "common.h"

#include <internal/coro.h>

KTEST_SUITE(callback, .init = virtual_init, .timeout = 30);

static int called;

static void tries(void *arg)
{
	(void)arg;
	called++;
	EXPECT_ERR(kc_sleep(KC_SEC), EPERM);
	EXPECT_ERR(kc_sleep_until(0), EPERM);
	EXPECT_ERR(kc_yield(), EPERM);
	EXPECT_ERR(kcoro_yield(), EPERM);
	EXPECT_ERR(kcoro_park(), EPERM);
	EXPECT_LT(kc_detach(), 0);
	kc_exit(NULL);
	EXPECT_EQ(kc_go(task_nothing, NULL), 0);
}

static void sleeps_over_a_timer(void)
{
	kc_time_t begin = kc_now();
	struct kc_timer timer;

	kc_timer_init(&timer, tries, NULL);
	EXPECT_EQ(kc_timer_set(&timer, kc_after(KC_SEC)), 0);
	EXPECT_EQ(kc_sleep(2 * KC_SEC), 0);
	EXPECT_EQ(kc_now(), begin + 2 * KC_SEC);
	EXPECT_EQ(kc_sleep(2 * KC_SEC), 0);
	EXPECT_EQ(kc_now(), begin + 4 * KC_SEC);
	EXPECT_EQ(called, 1);
}

RT_TEST(callback, timer_cannot_wait)
{
	sleeps_over_a_timer();
}

/* the callback stands on the stack of the coroutine that may detach */
KTEST(callback, timer_cannot_detach)
{
	ASSERT_EQ(kc_attach(), 0);
	sleeps_over_a_timer();
	EXPECT_EQ(kc_detach(), 0);
}

static void pending(void *arg)
{
	EXPECT_EQ(kc_interrupt(arg), 0);
	EXPECT_ERR(kc_sleep(KC_SEC), EPERM);
}

RT_TEST(callback, refusal_keeps_the_interrupt)
{
	struct kc_timer timer;

	kc_timer_init(&timer, pending, kc_self());
	EXPECT_EQ(kc_timer_set(&timer, 1), 0);
	while (kc_now() == START && kc_yield() == 0 && timer.link_)
		;
	EXPECT_ERR(kc_sleep(KC_SEC), EINTR);
	EXPECT_EQ(kc_sleep(KC_SEC), 0);
}

static void tries_once(void)
{
	if (!called)
		tries(NULL);
}

KTEST(callback, deadlock_hook_cannot_wait)
{
	KTEST_REQUIRES(DEADLOCK_RETURNS, "a deadlock is a panic in this build");
	kc_set_deadlock_hook(tries_once);
	EXPECT_ERR(kc_run(task_sleep_forever, NULL), EDEADLK);
	EXPECT_EQ(called, 1);
}

static struct kc_timer rescue;
static struct kc_task *lost;

static void interrupts(void *arg)
{
	(void)arg;
	EXPECT_EQ(kc_interrupt(lost), 0);
}

static void arms(void)
{
	kc_timer_init(&rescue, interrupts, NULL);
	EXPECT_EQ(kc_timer_set(&rescue, kc_after(KC_SEC)), 0);
}

static void *task_lost(void *arg)
{
	lost = kc_self();
	return task_sleep_forever(arg);
}

KTEST(callback, deadlock_hook_may_arm_a_timer)
{
	KTEST_REQUIRES(DEADLOCK_RETURNS, "a deadlock is a panic in this build");
	kc_set_deadlock_hook(arms);
	EXPECT_ERR(kc_run(task_lost, NULL), EINTR);
	EXPECT_EQ(kc_now(), START + KC_SEC);
}

#ifdef KC_CONFIG_INSPECT
RT_TEST(callback, safepoint_cannot_wait)
{
	EXPECT_EQ(kc_safepoint(tries, NULL), 0);
	EXPECT_EQ(kc_yield(), 0);
	EXPECT_EQ(kc_sleep(KC_SEC), 0);
	EXPECT_EQ(called, 1);
}

static void hook(kcoro_t *co, void *arg)
{
	(void)co;
	if (!called)
		tries(arg);
}

RT_TEST(callback, hook_cannot_wait)
{
	struct kc_hooks hooks = { .out = hook };

	EXPECT_EQ(kc_go(task_nothing, NULL), 0);
	EXPECT_EQ(kc_set_hooks(&hooks), 0);
	EXPECT_EQ(kc_yield(), 0);
	EXPECT_EQ(kc_sleep(KC_SEC), 0);
	EXPECT_EQ(called, 1);
}

static kcoro_t *held[8];
static int nheld;

static void holds(kcoro_t *co, void *arg)
{
	(void)arg;
	if (kcoro_state(co) == KCORO_FINISHED && nheld < 8 && kcoro_get(co))
		held[nheld++] = co;
}

/* its stack is not for the next one then */
RT_TEST(callback, hook_takes_a_reference)
{
	struct kc_hooks hooks = { .out = holds };

	EXPECT_EQ(kc_set_hooks(&hooks), 0);
	for (int i = 0; i < 4; i++) {
		EXPECT_EQ(kc_go(task_nothing, NULL), 0);
		kc_yield();
	}
	EXPECT_EQ(kc_set_hooks(NULL), 0);
	for (int i = 0; i < nheld; i++) {
		EXPECT_STREQ(STATE(held[i]), "FINISHED");
		for (int k = 0; k < i; k++)
			EXPECT_TRUE(held[i] != held[k]);
		kcoro_put(held[i]);
	}
}
#endif

/* ---- handlers of the thread's own coroutine, and its interrupt ---- */

static void detaches(void *arg)
{
	++*(int *)arg;
	EXPECT_ERR(kc_detach(), EBUSY);
}

KTEST(callback, handler_cannot_detach)
{
	struct kc_defer d[2];
	int count = 0;

	ASSERT_EQ(kc_attach(), 0);
	EXPECT_EQ(kc_defer_push(&d[0], detaches, &count), 0);
	EXPECT_EQ(kc_defer_push(&d[1], detaches, &count), 0);
	EXPECT_EQ(kc_detach(), 0);
	EXPECT_EQ(count, 2);
	EXPECT_NULL(kcoro_current());
}

/* as a callback could that asks for kc_self() on the stack of kc_run()'s caller */
static void *task_interrupts_main(void *arg)
{
	struct kc_task main_task = { .co = kcoro_create_main() };

	(void)arg;
	EXPECT_EQ(kc_interrupt(&main_task), 0);
	return (void *)7;
}

KTEST(callback, interrupt_of_main_is_no_result)
{
	EXPECT_EQ(kc_run(task_interrupts_main, NULL), 7);
}

/* ---- the end of all, in which each may look at the others' frames ---- */

#define CROWD	(MAX_TASKS < 48 ? (int)MAX_TASKS / 2 : 48)

static void *task_scribbles(void *arg)
{
	volatile char frame[4096];

	for (size_t i = 0; i < sizeof(frame); i++)
		frame[i] = 99;
	return arg;
}

static void counts(void *arg)
{
	EXPECT_EQ(kc_go(task_scribbles, NULL), 0);
	EXPECT_EQ(kc_yield(), 0);
	called += *(int *)arg;
}

static void *task_child(void *arg)
{
	struct kc_defer d;

	EXPECT_EQ(kc_defer_push(&d, counts, arg), 0);
	return task_sleep_forever(arg);
}

static void *task_parent(void *arg)
{
	int one = 1;

	for (int i = 0; i < CROWD; i++)
		EXPECT_EQ(kc_go(task_child, &one), 0);
	return task_sleep_forever(arg);
}

static void quiet(void)
{
}

KTEST(callback, frames_outlive_handlers)
{
	KTEST_REQUIRES(DEADLOCK_RETURNS, "a deadlock is a panic in this build");
	kc_set_deadlock_hook(quiet);
	EXPECT_ERR(kc_run(task_parent, NULL), EDEADLK);
	EXPECT_EQ(called, CROWD);
}
