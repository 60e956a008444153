// SPDX-License-Identifier: MIT
/* Semaphore, wait group, once, barrier, event; and generators that wait. */
#include <limits.h>
#include <stdlib.h>

#include "../chan/rt.h"

KTEST_SUITE(sync, .init = rt_init, .exit = rt_exit);

static struct story story;

/* ---- semaphore ---- */

static struct kc_sem sem = KC_SEM_INIT(2);

static void *sem_tell(void *arg)
{
	int err = kc_sem_wait(&sem);

	tell(&story, err ? err : (int)(intptr_t)arg);
	return ret(err);
}

KTEST(sync, sem_counts)
{
	EXPECT_EQ(kc_sem_count(&sem), 2);
	EXPECT_EQ(kc_sem_wait(&sem), 0);
	EXPECT_EQ(kc_try_sem_wait(&sem), 0);
	EXPECT_ERR(kc_try_sem_wait(&sem), EAGAIN);
	EXPECT_EQ(kc_sem_post(&sem), 0);
	EXPECT_EQ(kc_sem_count(&sem), 1);
	sem.count_ = ULONG_MAX;
	EXPECT_ERR(kc_sem_post(&sem), EOVERFLOW);
	EXPECT_EQ(kc_sem_count(&sem), ULONG_MAX);
}

/* A post goes to the one who waits longest; nobody takes it away from it. */
KTEST(sync, sem_fifo)
{
	kc_sem_init(&sem, 0);
	for (intptr_t i = 1; i <= 4; i++)
		go(sem_tell, (void *)i);
	settle();
	EXPECT_EQ(kc_sem_post(&sem), 0);
	EXPECT_EQ(kc_sem_count(&sem), 0);
	EXPECT_ERR(kc_try_sem_wait(&sem), EAGAIN);
	EXPECT_EQ(story.n, 0);
	settle();
	EXPECT_STORY(&story, 1);
	for (int i = 0; i < 4; i++)
		EXPECT_EQ(kc_sem_post(&sem), 0);
	settle();
	EXPECT_STORY(&story, 1, 2, 3, 4);
	EXPECT_EQ(kc_sem_count(&sem), 1);
}

KTEST(sync, sem_interrupted_waiter_takes_nothing)
{
	struct kc_task *a, *b;

	kc_sem_init(&sem, 0);
	a = spawn(sem_tell, ret(1));
	b = spawn(sem_tell, ret(2));
	settle();
	EXPECT_EQ(kc_interrupt(a), 0);
	EXPECT_EQ(kc_sem_post(&sem), 0);
	EXPECT_EQ(join(a), -EINTR);
	EXPECT_EQ(join(b), 0);
	EXPECT_EQ(kc_sem_count(&sem), 0);
}

/* ---- wait group ---- */

static struct kc_waitgroup group = KC_WAITGROUP_INIT;

static void *group_tell(void *arg)
{
	tell(&story, kc_waitgroup_wait(&group) ? -1 : (int)(intptr_t)arg);
	return NULL;
}

static void *group_worker(void *arg)
{
	EXPECT_EQ(kc_sleep((kc_time_t)(intptr_t)arg * KC_SEC), 0);
	EXPECT_EQ(kc_waitgroup_done(&group), 0);
	return NULL;
}

KTEST(sync, waitgroup_waits_for_all)
{
	EXPECT_EQ(kc_waitgroup_wait(&group), 0);
	EXPECT_EQ(kc_waitgroup_add(&group, 5), 0);
	EXPECT_ERR(kc_waitgroup_destroy(&group), EBUSY);
	for (intptr_t i = 1; i <= 5; i++)
		go(group_worker, (void *)i);
	go(group_tell, ret(1));
	go(group_tell, ret(2));
	EXPECT_EQ(kc_waitgroup_wait(&group), 0);
	EXPECT_EQ(kc_now(), T0 + 5 * KC_SEC);
	settle();
	EXPECT_STORY(&story, 1, 2);
	EXPECT_EQ(kc_waitgroup_destroy(&group), 0);
}

/* Who was let go stays so, even if the group is used again before it runs. */
KTEST(sync, waitgroup_reuse)
{
	EXPECT_EQ(kc_waitgroup_add(&group, 1), 0);
	go(group_tell, ret(1));
	settle();
	EXPECT_EQ(kc_waitgroup_done(&group), 0);
	EXPECT_EQ(kc_waitgroup_add(&group, 1), 0);
	settle();
	EXPECT_STORY(&story, 1);
	EXPECT_EQ(kc_waitgroup_done(&group), 0);
}

KTEST(sync, waitgroup_limits)
{
	EXPECT_ERR(kc_waitgroup_done(&group), EINVAL);
	EXPECT_EQ(kc_waitgroup_add(&group, 2), 0);
	EXPECT_ERR(kc_waitgroup_add(&group, ULONG_MAX - 1), EOVERFLOW);
	EXPECT_EQ(kc_waitgroup_done(&group), 0);
	EXPECT_ERR(kc_try_waitgroup_wait(&group), EAGAIN);
	EXPECT_EQ(kc_waitgroup_done(&group), 0);
	EXPECT_ERR(kc_waitgroup_done(&group), EINVAL);
}

/* ---- once ---- */

static struct kc_once once = KC_ONCE_INIT;
static int calls;

static void slow_start(void *arg)
{
	(void)arg;
	EXPECT_EQ(kc_sleep(KC_SEC), 0);
	calls++;
}

static void *once_user(void *arg)
{
	int err = kc_once_call(&once, slow_start, NULL);

	EXPECT_EQ(calls, 1);
	EXPECT_EQ(kc_now(), T0 + KC_SEC);
	return arg ? arg : ret(err);
}

KTEST(sync, once_calls_once)
{
	struct kc_task *task[6];

	for (int i = 0; i < 6; i++)
		task[i] = spawn(once_user, NULL);
	for (int i = 0; i < 6; i++)
		EXPECT_EQ(join(task[i]), 0);
	EXPECT_EQ(kc_once_call(&once, slow_start, NULL), 0);
	EXPECT_EQ(kc_once_call_until(&once, slow_start, NULL, T0 - 1), 0);
	EXPECT_EQ(calls, 1);
}

static void recursive(void *arg)
{
	calls++;
	EXPECT_ERR(kc_once_call(arg, recursive, arg), EDEADLK);
}

KTEST(sync, once_calls_itself)
{
	EXPECT_EQ(kc_once_call(&once, recursive, &once), 0);
	EXPECT_EQ(calls, 1);
}

static void exits(void *arg)
{
	calls++;
	kc_yield();
	if (arg)
		kc_exit(ret(7));
}

static void *once_exits(void *arg)
{
	return ret(kc_once_call(&once, exits, arg));
}

/* a call that does not come back is no call: the next in the queue makes its own */
KTEST(sync, once_abandoned)
{
	struct kc_task *task[4];

	for (int i = 0; i < 4; i++)
		task[i] = spawn(once_exits, i < 2 ? &once : NULL);
	EXPECT_EQ(join(task[0]), 7);
	EXPECT_EQ(join(task[1]), 7);
	EXPECT_EQ(join(task[2]), 0);
	EXPECT_EQ(join(task[3]), 0);
	EXPECT_EQ(calls, 3);
	EXPECT_EQ(kc_once_call(&once, exits, &once), 0);
	EXPECT_EQ(calls, 3);
}

/* ---- barrier ---- */

static struct kc_barrier barrier = KC_BARRIER_INIT(3);

static void *arrive(void *arg)
{
	kc_time_t *deadline = arg;

	tell(&story, deadline ? kc_barrier_wait_until(&barrier, *deadline) :
				kc_barrier_wait(&barrier));
	return NULL;
}

KTEST(sync, barrier_rounds)
{
	for (int round = 1; round <= 3; round++) {
		go(arrive, NULL);
		go(arrive, NULL);
		settle();
		EXPECT_EQ(story.n, 2 * round - 2);
		EXPECT_ERR(kc_barrier_destroy(&barrier), EBUSY);
		EXPECT_EQ(kc_barrier_wait(&barrier), 1);
		settle();
		EXPECT_EQ(story.n, 2 * round);
	}
	EXPECT_STORY(&story, 0, 0, 0, 0, 0, 0);
	kc_barrier_init(&barrier, 1);
	EXPECT_EQ(kc_barrier_wait(&barrier), 1);
}

/* One that left is not counted. */
KTEST(sync, barrier_with_leavers)
{
	kc_time_t soon = T0 + KC_SEC;
	struct kc_task *task;

	go(arrive, &soon);
	task = spawn(arrive, NULL);
	settle();
	EXPECT_EQ(kc_interrupt(task), 0);
	join(task);
	EXPECT_EQ(kc_sleep(2 * KC_SEC), 0);
	EXPECT_STORY(&story, -EINTR, -ETIMEDOUT);
	go(arrive, NULL);
	go(arrive, NULL);
	settle();
	EXPECT_EQ(story.n, 2);
	EXPECT_EQ(kc_barrier_wait(&barrier), 1);
	settle();
	EXPECT_STORY(&story, -EINTR, -ETIMEDOUT, 0, 0);
}

/* Who comes next belongs to the next round, even before those of this one have run. */
KTEST(sync, barrier_next_round)
{
	go(arrive, NULL);
	go(arrive, NULL);
	settle();
	EXPECT_EQ(kc_barrier_wait(&barrier), 1);
	EXPECT_ERR(kc_barrier_wait_until(&barrier, T0 + KC_SEC), ETIMEDOUT);
	EXPECT_STORY(&story, 0, 0);
}

/* ---- event ---- */

static struct kc_event event = KC_EVENT_INIT;

static void *event_tell(void *arg)
{
	tell(&story, kc_event_wait(&event) ? -1 : (int)(intptr_t)arg);
	return NULL;
}

KTEST(sync, event_stays_set)
{
	EXPECT_FALSE(kc_event_is_set(&event));
	for (intptr_t i = 1; i <= 3; i++)
		go(event_tell, (void *)i);
	settle();
	EXPECT_EQ(kc_event_set(&event), 0);
	EXPECT_TRUE(kc_event_is_set(&event));
	EXPECT_EQ(kc_event_wait(&event), 0);
	/* who was woken stays so */
	EXPECT_EQ(kc_event_clear(&event), 0);
	go(event_tell, ret(4));
	settle();
	EXPECT_STORY(&story, 1, 2, 3);
	EXPECT_ERR(kc_try_event_wait(&event), EAGAIN);
	EXPECT_EQ(kc_event_set(&event), 0);
	settle();
	EXPECT_STORY(&story, 1, 2, 3, 4);
}

/* ---- generators ---- */

static void *ends_interrupted(void *arg)
{
	EXPECT_EQ(kc_interrupt(kc_self()), 0);
	return arg;
}

static void generator(void *arg)
{
	struct kc_defer d;

	(void)arg;
	/* nothing of whoever had the stack before */
	tell(&story, kc_event_wait(&event));
	tell(&story, kc_defer_push(&d, free, NULL));
	EXPECT_NULL(kc_self());
	kcoro_yield();
	tell(&story, kc_sleep(KC_SEC));
}

static void *set_later(void *arg)
{
	EXPECT_EQ(kc_event_set(&event), 0);
	return arg;
}

KTEST(sync, generator_waits)
{
	struct kc_task *task[4];
	kcoro_t *co;

	/* at the same time: one stack may be kept for the next task, the others are for anybody */
	for (int i = 0; i < 4; i++)
		task[i] = spawn(ends_interrupted, NULL);
	for (int i = 0; i < 4; i++)
		join(task[i]);
	kcoro_reclaim();
	co = kcoro_create(generator, NULL, 0);
	ASSERT_NOT_NULL(co);
	go(set_later, NULL);
	EXPECT_EQ(kcoro_resume(co), 0);
	EXPECT_STORY(&story, 0, -EPERM);
	EXPECT_EQ(kcoro_resume(co), 0);
	EXPECT_STORY(&story, 0, -EPERM, 0);
	EXPECT_EQ(kc_now(), T0 + KC_SEC);
	EXPECT_STREQ(STATE(co), "FINISHED");
	kcoro_put(co);
}
