// SPDX-License-Identifier: MIT
/* Mutex. */
#include "../chan/rt.h"

KTEST_SUITE(sync, .init = rt_init, .exit = rt_exit);

static struct kc_mutex m = KC_MUTEX_INIT;
static struct story story;

static void *lock_tell(void *arg)
{
	int err = kc_mutex_lock(&m);

	tell(&story, err ? err : (int)(intptr_t)arg);
	if (!err)
		EXPECT_EQ(kc_mutex_unlock(&m), 0);
	return ret(err);
}

static void *lock_until(void *arg)
{
	(void)arg;
	return ret(kc_mutex_lock_until(&m, kc_after(KC_SEC)));
}

KTEST(sync, mutex_lock_unlock)
{
	EXPECT_EQ(kc_mutex_lock(&m), 0);
	EXPECT_PTR_EQ(m.owner_, kcoro_current());
	EXPECT_EQ(kc_mutex_unlock(&m), 0);
	EXPECT_NULL(m.owner_);
	EXPECT_EQ(kc_try_mutex_lock(&m), 0);
	EXPECT_EQ(kc_mutex_unlock(&m), 0);
}

KTEST(sync, mutex_own_twice)
{
	EXPECT_EQ(kc_mutex_lock(&m), 0);
	EXPECT_ERR(kc_mutex_lock(&m), EDEADLK);
	EXPECT_ERR(kc_try_mutex_lock(&m), EDEADLK);
	EXPECT_ERR(kc_mutex_lock_until(&m, T0 - 1), EDEADLK);
	EXPECT_EQ(kc_mutex_unlock(&m), 0);
	EXPECT_NULL(m.owner_);
}

static void *unlock_stranger(void *arg)
{
	(void)arg;
	return ret(kc_mutex_unlock(&m));
}

KTEST(sync, mutex_unlock_by_a_stranger)
{
	struct kc_task *task;

	EXPECT_ERR(kc_mutex_unlock(&m), EPERM);
	EXPECT_NULL(m.owner_);
	EXPECT_EQ(kc_mutex_lock(&m), 0);
	task = spawn(lock_tell, ret(1));
	settle();
	EXPECT_EQ(join(spawn(unlock_stranger, NULL)), -EPERM);
	EXPECT_PTR_EQ(m.owner_, kcoro_current());
	EXPECT_EQ(length(&m.queue_), 1);
	EXPECT_EQ(kc_mutex_unlock(&m), 0);
	EXPECT_EQ(join(task), 0);
}

KTEST(sync, mutex_fifo)
{
	EXPECT_EQ(kc_mutex_lock(&m), 0);
	for (intptr_t i = 1; i <= CREW; i++)
		go(lock_tell, (void *)i);
	settle();
	EXPECT_EQ(kc_mutex_unlock(&m), 0);
	settle();
	EXPECT_STORY(&story, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
	EXPECT_NULL(m.owner_);
}

static void *try_tell(void *arg)
{
	tell(&story, kc_try_mutex_lock(&m));
	return arg;
}

/* The one who waits owns it before it runs, and the one who unlocks goes on. */
KTEST(sync, mutex_handed_over)
{
	struct kc_task *first, *second;

	EXPECT_EQ(kc_mutex_lock(&m), 0);
	first = spawn(lock_tell, ret(1));
	second = spawn(lock_tell, ret(2));
	settle();
	go(try_tell, NULL);
	EXPECT_EQ(kc_mutex_unlock(&m), 0);
	EXPECT_PTR_EQ(m.owner_, kc_task_coro(first));
	EXPECT_EQ(story.n, 0);
	EXPECT_STREQ(STATE(kc_task_coro(first)), "READY");
	EXPECT_ERR(kc_try_mutex_lock(&m), EBUSY);
	/* at the tail: who was ready before runs before */
	EXPECT_EQ(join(first), 0);
	EXPECT_EQ(join(second), 0);
	EXPECT_STORY(&story, -EBUSY, 1, 2);
}

KTEST(sync, mutex_waiter_gives_up)
{
	struct kc_task *a, *b, *c;

	EXPECT_EQ(kc_mutex_lock(&m), 0);
	a = spawn(lock_tell, ret(1));
	b = spawn(lock_until, NULL);
	c = spawn(lock_tell, ret(3));
	settle();
	EXPECT_EQ(length(&m.queue_), 3);
	EXPECT_EQ(join(b), -ETIMEDOUT);
	EXPECT_EQ(kc_now(), T0 + KC_SEC);
	EXPECT_EQ(length(&m.queue_), 2);
	EXPECT_EQ(kc_mutex_unlock(&m), 0);
	EXPECT_EQ(join(a), 0);
	EXPECT_EQ(join(c), 0);
	EXPECT_STORY(&story, 1, 3);
}

/* An interrupted waiter leaves at once, the order of the others stays, and it never owns. */
KTEST(sync, mutex_interrupted_waiter_is_passed_over)
{
	struct kc_task *a, *b, *c;

	EXPECT_EQ(kc_mutex_lock(&m), 0);
	a = spawn(lock_tell, ret(1));
	b = spawn(lock_tell, ret(2));
	c = spawn(lock_tell, ret(3));
	settle();
	EXPECT_EQ(kc_interrupt(a), 0);
	/* it has not run yet */
	EXPECT_EQ(length(&m.queue_), 2);
	EXPECT_EQ(kc_mutex_unlock(&m), 0);
	EXPECT_PTR_EQ(m.owner_, kc_task_coro(b));
	EXPECT_EQ(join(a), -EINTR);
	EXPECT_EQ(join(b), 0);
	EXPECT_EQ(join(c), 0);
	EXPECT_STORY(&story, -EINTR, 2, 3);
}

static void *lock_then_sleep(void *arg)
{
	tell(&story, kc_mutex_lock(&m));
	EXPECT_PTR_EQ(m.owner_, kcoro_current());
	tell(&story, kc_sleep(KC_SEC));
	tell(&story, kc_sleep(KC_SEC));
	EXPECT_EQ(kc_mutex_unlock(&m), 0);
	return arg;
}

KTEST(sync, mutex_owner_before_interrupt)
{
	struct kc_task *task;

	EXPECT_EQ(kc_mutex_lock(&m), 0);
	task = spawn(lock_then_sleep, NULL);
	settle();
	EXPECT_EQ(kc_mutex_unlock(&m), 0);
	EXPECT_EQ(kc_interrupt(task), 0);
	join(task);
	EXPECT_STORY(&story, 0, -EINTR, 0);
}

static void *order_of_checks(void *arg)
{
	/* interrupted, then free, then its own */
	tell(&story, kc_mutex_lock(&m));
	EXPECT_NULL(m.owner_);
	tell(&story, kc_mutex_lock(&m));
	EXPECT_EQ(kc_interrupt(kc_self()), 0);
	tell(&story, kc_mutex_lock(&m));
	tell(&story, kc_mutex_lock(&m));
	EXPECT_EQ(kc_mutex_unlock(&m), 0);
	return arg;
}

KTEST(sync, mutex_order_of_checks)
{
	struct kc_task *task = spawn(order_of_checks, NULL);

	EXPECT_EQ(kc_interrupt(task), 0);
	join(task);
	EXPECT_STORY(&story, -EINTR, 0, -EINTR, -EDEADLK);
}

KTEST(sync, mutex_destroy)
{
	struct kc_task *task;

	EXPECT_EQ(kc_mutex_destroy(&m), 0);
	EXPECT_EQ(kc_mutex_lock(&m), 0);
	EXPECT_ERR(kc_mutex_destroy(&m), EBUSY);
	task = spawn(lock_tell, ret(1));
	settle();
	EXPECT_ERR(kc_mutex_destroy(&m), EBUSY);
	/* and it still works */
	EXPECT_EQ(kc_mutex_unlock(&m), 0);
	EXPECT_ERR(kc_mutex_destroy(&m), EBUSY);
	EXPECT_EQ(join(task), 0);
	EXPECT_EQ(kc_mutex_destroy(&m), 0);
}

/* Nobody is in twice, nobody starves. */
static int inside, turns[CREW];

static void *worker(void *arg)
{
	int *mine = arg;

	for (int i = 0; i < 200; i++) {
		EXPECT_EQ(kc_mutex_lock(&m), 0);
		EXPECT_EQ(inside++, 0);
		kc_yield();
		inside--;
		++*mine;
		for (int k = 0; k < CREW; k++)
			EXPECT_GE(turns[k] + 2, *mine);
		EXPECT_EQ(kc_mutex_unlock(&m), 0);
	}
	return NULL;
}

KTEST(sync, mutex_excludes_and_is_fair)
{
	struct kc_task *task[CREW];

	for (int i = 0; i < CREW; i++)
		task[i] = spawn(worker, &turns[i]);
	for (int i = 0; i < CREW; i++)
		join(task[i]);
	EXPECT_EQ(kc_mutex_destroy(&m), 0);
}

#ifdef CONFIG_INSPECT
static int look(const struct kc_info *info, void *arg)
{
	uint64_t *holder = arg;

	if (info->object == &m) {
		EXPECT_STREQ(info->waits_on, "mutex");
		*holder = info->holder;
	}
	return 0;
}

/* A program's error, but the list of who waits must not trip over it. */
static void *lock_and_end(void *arg)
{
	if (arg)
		EXPECT_EQ(kc_mutex_lock(&m), 0);
	return NULL;
}

static void *lock_late(void *arg)
{
	EXPECT_EQ(kc_sleep(KC_MSEC), 0);
	return lock_until(arg);
}

KTEST(sync, mutex_of_one_that_ended)
{
	struct kc_task *task = spawn(lock_late, NULL);
	uint64_t holder = 1;

	/* the first one's stack may be kept for the next, the second one's is released */
	go(lock_and_end, NULL);
	go(lock_and_end, &m);
	EXPECT_EQ(kc_sleep(KC_MSEC), 0);
	settle();
	kcoro_reclaim();
	EXPECT_EQ(length(&m.queue_), 1);
	EXPECT_EQ(kc_each(look, &holder), 0);
	EXPECT_EQ(holder, 0);
	EXPECT_EQ(join(task), -ETIMEDOUT);
}

KTEST(sync, mutex_holder_is_known)
{
	struct kc_task *task[2];
	uint64_t holder = 0;

	EXPECT_EQ(kc_mutex_lock(&m), 0);
	for (int i = 0; i < 2; i++)
		task[i] = spawn(lock_until, NULL);
	settle();
	EXPECT_EQ(kc_each(look, &holder), 0);
	EXPECT_EQ(holder, kcoro_id(kcoro_current()));
	EXPECT_EQ(kc_mutex_unlock(&m), 0);
	EXPECT_EQ(kc_each(look, &holder), 0);
	EXPECT_EQ(holder, kcoro_id(kc_task_coro(task[0])));
	/* the first ends with it */
	EXPECT_EQ(join(task[0]), 0);
	EXPECT_EQ(join(task[1]), -ETIMEDOUT);
}
#endif
