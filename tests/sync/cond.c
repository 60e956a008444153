// SPDX-License-Identifier: MIT
/* Condition. */
#include "../chan/rt.h"

KTEST_SUITE(sync, .init = rt_init, .exit = rt_exit);

static struct kc_mutex m = KC_MUTEX_INIT;
static struct kc_cond c = KC_COND_INIT;
static struct story story;

static void *wait_tell(void *arg)
{
	int err = kc_cond_wait(&c, NULL);

	tell(&story, err ? err : (int)(intptr_t)arg);
	return ret(err);
}

static void *wait_second(void *arg)
{
	int err = kc_cond_wait_until(&c, NULL, T0 + KC_SEC);

	tell(&story, err ? err : (int)(intptr_t)arg);
	return ret(err);
}

KTEST(sync, cond_signal_wakes_the_longest)
{
	for (intptr_t i = 1; i <= 3; i++)
		go(wait_tell, (void *)i);
	settle();
	for (int i = 1; i <= 3; i++) {
		EXPECT_EQ(kc_cond_signal(&c), 1);
		/* and does not yield */
		EXPECT_EQ(story.n, i - 1);
		settle();
		EXPECT_EQ(story.n, i);
	}
	EXPECT_STORY(&story, 1, 2, 3);
	EXPECT_EQ(kc_cond_signal(&c), 0);
}

KTEST(sync, cond_broadcast_wakes_all_in_order)
{
	for (intptr_t i = 1; i <= 5; i++)
		go(wait_tell, (void *)i);
	settle();
	EXPECT_EQ(kc_cond_broadcast(&c), 5);
	EXPECT_EQ(story.n, 0);
	settle();
	EXPECT_STORY(&story, 1, 2, 3, 4, 5);
	EXPECT_EQ(kc_cond_broadcast(&c), 0);
}

KTEST(sync, cond_signal_is_not_remembered)
{
	struct kc_task *task;

	EXPECT_EQ(kc_cond_signal(&c), 0);
	EXPECT_EQ(kc_cond_broadcast(&c), 0);
	task = spawn(wait_second, ret(1));
	EXPECT_EQ(join(task), -ETIMEDOUT);
}

/* No mutex is needed: nothing runs between the check and the wait. */
static int tokens;

static void *consumer(void *arg)
{
	long n = 0;

	(void)arg;
	for (int i = 0; i < 100; i++) {
		while (!tokens)
			EXPECT_EQ(kc_cond_wait(&c, NULL), 0);
		tokens--;
		n++;
	}
	return ret(n);
}

KTEST(sync, cond_check_then_wait)
{
	struct kc_task *task[4];

	for (int i = 0; i < 4; i++)
		task[i] = spawn(consumer, NULL);
	for (int i = 0; i < 400; i++) {
		tokens++;
		EXPECT_GE(kc_cond_signal(&c), 0);
		if (i % 3 == 0)
			kc_yield();
	}
	for (int i = 0; i < 4; i++)
		EXPECT_EQ(join(task[i]), 100);
	EXPECT_EQ(tokens, 0);
}

/* ---- with a mutex ---- */

static void *wait_with_mutex(void *arg)
{
	kc_time_t deadline = arg ? T0 + KC_SEC : KC_FOREVER;
	int err;

	EXPECT_EQ(kc_mutex_lock(&m), 0);
	err = kc_cond_wait_until(&c, &m, deadline);
	EXPECT_PTR_EQ(m.owner_, kcoro_current());
	tell(&story, err);
	EXPECT_EQ(kc_mutex_unlock(&m), 0);
	return ret(err);
}

KTEST(sync, cond_releases_the_mutex_while_it_waits)
{
	struct kc_task *task = spawn(wait_with_mutex, NULL);

	settle();
	EXPECT_NULL(m.owner_);
	EXPECT_EQ(kc_mutex_lock(&m), 0);
	EXPECT_EQ(kc_cond_signal(&c), 1);
	settle();
	/* woken, and waits for the mutex now */
	EXPECT_EQ(story.n, 0);
	EXPECT_EQ(length(&m.queue_), 1);
	EXPECT_EQ(kc_mutex_unlock(&m), 0);
	EXPECT_EQ(join(task), 0);
}

/* The mutex goes to the next who waits for it as with any unlock. */
static void *lock_first(void *arg)
{
	EXPECT_EQ(kc_mutex_lock(&m), 0);
	tell(&story, 77);
	EXPECT_EQ(kc_cond_signal(&c), 1);
	EXPECT_EQ(kc_mutex_unlock(&m), 0);
	return arg;
}

KTEST(sync, cond_hands_the_mutex_over)
{
	EXPECT_EQ(kc_mutex_lock(&m), 0);
	go(lock_first, NULL);
	settle();
	EXPECT_EQ(kc_cond_wait(&c, &m), 0);
	EXPECT_STORY(&story, 77);
	EXPECT_EQ(kc_mutex_unlock(&m), 0);
}

KTEST(sync, cond_owns_the_mutex_after_a_deadline)
{
	struct kc_task *task = spawn(wait_with_mutex, &c);

	settle();
	EXPECT_EQ(kc_mutex_lock(&m), 0);
	EXPECT_EQ(kc_sleep(2 * KC_SEC), 0);
	EXPECT_EQ(story.n, 0);
	EXPECT_EQ(kc_mutex_unlock(&m), 0);
	EXPECT_EQ(join(task), -ETIMEDOUT);
}

static void *wait_then_sleep(void *arg)
{
	wait_with_mutex(arg);
	tell(&story, kc_sleep(KC_MSEC));
	tell(&story, kc_sleep(KC_MSEC));
	return NULL;
}

/* An interrupt while it waits for the mutex is for its next wait. */
KTEST(sync, cond_interrupted_while_it_locks)
{
	struct kc_task *task = spawn(wait_then_sleep, NULL);

	settle();
	EXPECT_EQ(kc_mutex_lock(&m), 0);
	EXPECT_EQ(kc_cond_signal(&c), 1);
	settle();
	EXPECT_EQ(kc_interrupt(task), 0);
	settle();
	EXPECT_EQ(story.n, 0);
	EXPECT_EQ(length(&m.queue_), 1);
	EXPECT_EQ(kc_mutex_unlock(&m), 0);
	join(task);
	EXPECT_STORY(&story, 0, -EINTR, 0);
}

KTEST(sync, cond_interrupted_owns_the_mutex)
{
	struct kc_task *task = spawn(wait_then_sleep, NULL);

	settle();
	EXPECT_EQ(kc_interrupt(task), 0);
	join(task);
	EXPECT_STORY(&story, -EINTR, 0, 0);
}

/* pending before: it gives up before it releases the mutex */
KTEST(sync, cond_interrupted_before)
{
	EXPECT_EQ(kc_mutex_lock(&m), 0);
	EXPECT_EQ(kc_interrupt(kc_self()), 0);
	EXPECT_ERR(kc_cond_wait(&c, &m), EINTR);
	EXPECT_PTR_EQ(m.owner_, kcoro_current());
	EXPECT_NULL(c.queue_.first);
	EXPECT_ERR(kc_cond_wait_until(&c, &m, T0), ETIMEDOUT);
	EXPECT_PTR_EQ(m.owner_, kcoro_current());
	EXPECT_EQ(kc_mutex_unlock(&m), 0);
}

static void *hold_for_ever(void *arg)
{
	EXPECT_EQ(kc_mutex_lock(&m), 0);
	EXPECT_ERR(kc_sleep_until(KC_FOREVER), EINTR);
	EXPECT_EQ(kc_mutex_unlock(&m), 0);
	return arg;
}

KTEST(sync, cond_needs_the_callers_mutex)
{
	struct kc_task *task;

	EXPECT_ERR(kc_cond_wait(&c, &m), EPERM);
	task = spawn(hold_for_ever, NULL);
	settle();
	EXPECT_ERR(kc_cond_wait(&c, &m), EPERM);
	EXPECT_NULL(c.queue_.first);
	EXPECT_EQ(kc_interrupt(task), 0);
	join(task);
}

/* If the mutex will never be free, the thread's own coroutine hears of it and does not own it. */
KTEST(sync, cond_deadlock_while_it_locks)
{
	struct kc_task *task;

	KTEST_REQUIRES(!IS_ENABLED(CONFIG_DEADLOCK_PANIC), "a deadlock is a panic");
	EXPECT_EQ(kc_mutex_lock(&m), 0);
	task = spawn(hold_for_ever, NULL);
	EXPECT_ERR(kc_cond_wait_until(&c, &m, T0 + KC_SEC), EDEADLK);
	EXPECT_PTR_EQ(m.owner_, kc_task_coro(task));
	EXPECT_EQ(kc_interrupt(task), 0);
	join(task);
}

/* ---- signal and deadline ---- */

KTEST(sync, cond_signal_before_the_deadline)
{
	struct kc_task *task = spawn(wait_second, ret(5));

	settle();
	EXPECT_TRUE(timers_armed());
	EXPECT_EQ(length(&c.queue_), 1);
	EXPECT_EQ(kc_cond_signal(&c), 1);
	EXPECT_FALSE(timers_armed());
	EXPECT_EQ(join(task), 0);
	/* once only: the deadline passes without a word */
	EXPECT_EQ(kc_sleep(5 * KC_SEC), 0);
	EXPECT_STORY(&story, 5);
}

static void signal_now(void *arg)
{
	tell(&story, kc_cond_signal(arg));
}

/*
 * A timer that expires right behind the waiter's signals before that waiter has run: the next
 * one gets it.
 */
KTEST(sync, cond_signal_is_not_swallowed)
{
	struct kc_task *first = spawn(wait_second, ret(1)), *second;
	struct kc_timer timer;

	settle();
	second = spawn(wait_tell, ret(2));
	settle();
	kc_timer_init(&timer, signal_now, &c);
	EXPECT_EQ(kc_timer_set(&timer, T0 + KC_SEC), 0);
	EXPECT_EQ(join(first), -ETIMEDOUT);
	EXPECT_EQ(join(second), 0);
	EXPECT_STORY(&story, 1, -ETIMEDOUT, 2);
}

static void interrupt_now(void *arg)
{
	tell(&story, kc_interrupt(arg));
}

static void *wait_second_then_sleep(void *arg)
{
	wait_second(arg);
	tell(&story, kc_sleep(KC_MSEC));
	return NULL;
}

/* The same with an interrupt: the deadline came first and the interrupt stays pending. */
KTEST(sync, cond_interrupt_after_the_deadline)
{
	struct kc_task *task = spawn(wait_second_then_sleep, ret(1));
	struct kc_timer timer;

	settle();
	kc_timer_init(&timer, interrupt_now, task);
	EXPECT_EQ(kc_timer_set(&timer, T0 + KC_SEC), 0);
	join(task);
	EXPECT_STORY(&story, 0, -ETIMEDOUT, -EINTR);
}

static void *busy(void *arg)
{
	while (kc_now() < T0 + KC_SEC)
		EXPECT_EQ(kc_sleep_until(T0 + KC_SEC), 0);
	tell(&story, 9);
	return arg;
}

/* Who expires runs before those that are ready. */
static void wake_then(void *arg)
{
	EXPECT_EQ(kc_cond_signal(arg), 1);
}

KTEST(sync, cond_expired_waiter_runs_first)
{
	static struct kc_cond other = KC_COND_INIT;
	struct kc_timer timer;

	/* the timer's coroutine is made ready first, the expired one goes before it */
	kc_timer_init(&timer, wake_then, &c);
	EXPECT_EQ(kc_timer_set(&timer, T0 + KC_SEC), 0);
	go(wait_tell, ret(1));
	go(busy, NULL);
	settle();
	EXPECT_ERR(kc_cond_wait_until(&other, NULL, T0 + KC_SEC), ETIMEDOUT);
	tell(&story, 8);
	settle();
	EXPECT_STORY(&story, 9, 8, 1);
}

KTEST(sync, cond_destroy)
{
	struct kc_task *task;

	EXPECT_EQ(kc_cond_destroy(&c), 0);
	task = spawn(wait_tell, ret(1));
	settle();
	EXPECT_ERR(kc_cond_destroy(&c), EBUSY);
	EXPECT_EQ(kc_cond_signal(&c), 1);
	EXPECT_EQ(kc_cond_destroy(&c), 0);
	EXPECT_EQ(join(task), 0);
}
