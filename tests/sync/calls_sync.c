// SPDX-License-Identifier: MIT
/* Calls that wait: locks, join and sleep. */
#include "calls.h"

struct kc_task *helper;
static struct kc_event gate;	/* what helpers wait for */

static void *wait_at_gate(void *arg)
{
	(void)arg;
	EXPECT_EQ(kc_event_wait(&gate), 0);
	return ret(7);
}

void help(kc_fn fn)
{
	helper = spawn(fn, NULL);
	settle();
}

static void open_gate(void)
{
	EXPECT_EQ(kc_event_set(&gate), 0);
}

void helper_ends(void)
{
	open_gate();
	if (helper)
		join(helper);
	helper = NULL;
	EXPECT_EQ(kc_event_clear(&gate), 0);
}

static struct kc_mutex m;
static struct kc_cond c;
static struct kc_sem sem;
static struct kc_rwlock rw;
static struct kc_waitgroup group;
static struct kc_once once;
static struct kc_barrier barrier;
static struct kc_event event;

static void mutex_setup(enum mode mode)
{
	kc_mutex_init(&m);
	if (mode == MUST_WAIT)
		ASSERT_EQ(kc_mutex_lock(&m), 0);
}

static int mutex_call(kc_time_t deadline)
{
	int err = deadline == KC_FOREVER ? kc_mutex_lock(&m) : kc_mutex_lock_until(&m, deadline);

	if (!err)
		EXPECT_EQ(kc_mutex_unlock(&m), 0);
	return err;
}

CALL(int, mutex_try, return kc_try_mutex_lock(&m))
CALL(void, mutex_wake, EXPECT_EQ(kc_mutex_unlock(&m), 0))
CALL(int, mutex_stop, return kc_mutex_destroy(&m))

static void mutex_finish(void)
{
	if (m.owner_)
		EXPECT_EQ(kc_mutex_unlock(&m), 0);
	EXPECT_EQ(kc_mutex_destroy(&m), 0);
}

static void cond_setup(enum mode mode)
{
	(void)mode;
	kc_cond_init(&c);
	kc_mutex_init(&m);
}

FORMS(cond, kc_cond_wait(&c, NULL), kc_cond_wait_until(&c, NULL, deadline))

static int cond_mutex_call(kc_time_t deadline)
{
	int err = 0;

	/* outside a runtime nobody can own it */
	if (kc_this_runtime())
		while ((err = kc_try_mutex_lock(&m)) == -EBUSY)
			kc_yield();
	EXPECT_EQ(err, 0);
	err = deadline == KC_FOREVER ? kc_cond_wait(&c, &m) : kc_cond_wait_until(&c, &m, deadline);
	if (kc_this_runtime())
		EXPECT_EQ(kc_mutex_unlock(&m), 0);
	return err;
}

CALL(void, cond_wake, EXPECT_EQ(kc_cond_signal(&c), 1))
CALL(int, cond_stop, return kc_cond_destroy(&c))

static void cond_finish(void)
{
	EXPECT_EQ(kc_cond_destroy(&c), 0);
	EXPECT_EQ(kc_mutex_destroy(&m), 0);
}

static void sem_setup(enum mode mode)
{
	kc_sem_init(&sem, mode == NEED_NOT);
}

FORMS(sem, kc_sem_wait(&sem), kc_sem_wait_until(&sem, deadline))
CALL(int, sem_try, return kc_try_sem_wait(&sem))
CALL(void, sem_wake, EXPECT_EQ(kc_sem_post(&sem), 0))
CALL(int, sem_stop, return kc_sem_destroy(&sem))
CALL(void, sem_finish, EXPECT_EQ(kc_sem_destroy(&sem), 0))

static void read_setup(enum mode mode)
{
	kc_rwlock_init(&rw);
	if (mode == MUST_WAIT)
		ASSERT_EQ(kc_rwlock_write(&rw), 0);
	else
		ASSERT_EQ(kc_rwlock_read(&rw), 0);
}

static void write_setup(enum mode mode)
{
	kc_rwlock_init(&rw);
	if (mode == MUST_WAIT)
		ASSERT_EQ(kc_rwlock_read(&rw), 0);
}

static int read_call(kc_time_t deadline)
{
	int err = deadline == KC_FOREVER ? kc_rwlock_read(&rw) :
					   kc_rwlock_read_until(&rw, deadline);

	if (!err)
		EXPECT_EQ(kc_rwlock_unlock(&rw), 0);
	return err;
}

static int write_call(kc_time_t deadline)
{
	int err = deadline == KC_FOREVER ? kc_rwlock_write(&rw) :
					   kc_rwlock_write_until(&rw, deadline);

	if (!err)
		EXPECT_EQ(kc_rwlock_unlock(&rw), 0);
	return err;
}

static int read_try(void)
{
	int err = kc_try_rwlock_read(&rw);

	if (!err)
		EXPECT_EQ(kc_rwlock_unlock(&rw), 0);
	return err;
}

CALL(int, write_try, return kc_try_rwlock_write(&rw))
CALL(void, rw_wake, EXPECT_EQ(kc_rwlock_unlock(&rw), 0))
CALL(int, rw_stop, return kc_rwlock_destroy(&rw))

static void rw_finish(void)
{
	if (rw.readers_ || rw.writer_)
		EXPECT_EQ(kc_rwlock_unlock(&rw), 0);
	EXPECT_EQ(kc_rwlock_destroy(&rw), 0);
}

static void group_setup(enum mode mode)
{
	kc_waitgroup_init(&group);
	EXPECT_EQ(kc_waitgroup_add(&group, mode == MUST_WAIT), 0);
}

FORMS(group, kc_waitgroup_wait(&group), kc_waitgroup_wait_until(&group, deadline))
CALL(int, group_try, return kc_try_waitgroup_wait(&group))
CALL(void, group_wake, EXPECT_EQ(kc_waitgroup_done(&group), 0))
CALL(int, group_stop, return kc_waitgroup_destroy(&group))

static void group_finish(void)
{
	if (group.count_)
		EXPECT_EQ(kc_waitgroup_done(&group), 0);
	EXPECT_EQ(kc_waitgroup_destroy(&group), 0);
}

static void once_fn(void *arg)
{
	if (arg)
		wait_at_gate(NULL);
}

static void *once_helper(void *arg)
{
	(void)arg;
	return ret(kc_once_call(&once, once_fn, &once));
}

static void once_setup(enum mode mode)
{
	once = (struct kc_once)KC_ONCE_INIT;
	if (mode == MUST_WAIT)
		help(once_helper);
}

FORMS(once, kc_once_call(&once, once_fn, NULL), kc_once_call_until(&once, once_fn, NULL, deadline))

static void *barrier_helper(void *arg)
{
	(void)arg;
	return ret(kc_barrier_wait(&barrier));
}

static void barrier_setup(enum mode mode)
{
	kc_barrier_init(&barrier, 2);
	if (mode == NEED_NOT)
		help(barrier_helper);
}

FORMS(barrier, kc_barrier_wait(&barrier), kc_barrier_wait_until(&barrier, deadline))
CALL(void, barrier_wake, EXPECT_EQ(kc_barrier_wait(&barrier), 1))
CALL(int, barrier_stop, return kc_barrier_destroy(&barrier))

static void barrier_finish(void)
{
	helper_ends();
	EXPECT_EQ(kc_barrier_destroy(&barrier), 0);
}

static void event_setup(enum mode mode)
{
	kc_event_init(&event);
	if (mode == NEED_NOT)
		kc_event_set(&event);
}

FORMS(event, kc_event_wait(&event), kc_event_wait_until(&event, deadline))
CALL(int, event_try, return kc_try_event_wait(&event))
CALL(void, event_wake, EXPECT_EQ(kc_event_set(&event), 0))
CALL(int, event_stop, return kc_event_destroy(&event))
CALL(void, event_finish, EXPECT_EQ(kc_event_destroy(&event), 0))

/* ---- join and sleep ---- */

static void join_setup(enum mode mode)
{
	if (mode == NEED_NOT)
		open_gate();
	help(wait_at_gate);
}

static int join_call(kc_time_t deadline)
{
	void *value = NULL;
	int err = deadline == KC_FOREVER ? kc_join(helper, &value) :
					   kc_join_until(helper, deadline, &value);

	EXPECT_EQ((intptr_t)value, err ? 0 : 7);
	if (!err)
		helper = NULL;
	return err;
}

static int join_try(void)
{
	int err = kc_try_join(helper, NULL);

	if (!err)
		helper = NULL;
	return err;
}

CALL(int, join_stop, return kc_task_detach(helper))

static void sleep_setup(enum mode mode)
{
	(void)mode;
}

/* A sleep's success is what others call time-out. */
static int sleep_call(kc_time_t deadline)
{
	int err = kc_sleep_until(deadline);

	return err ? err : -ETIMEDOUT;
}

static void sleep_finish(void)
{
}

unsigned long queued_sync(void)
{
	return length(&m.queue_) + length(&c.queue_) + length(&sem.queue_) + length(&rw.queue_) +
	       length(&group.queue_) + length(&once.queue_) + length(&barrier.queue_) +
	       length(&event.queue_) + (helper ? length(&helper->joiner) : 0);
}

const struct call call_mutex = {
	mutex_setup, mutex_call, mutex_try, mutex_wake, mutex_stop, mutex_finish,
	.busy = -EBUSY, .interrupt_first = true, .owner = true
};

const struct call call_cond = {
	cond_setup, cond_call, NULL, cond_wake, cond_stop, cond_finish, .always = true
};

const struct call call_cond_mutex = {
	cond_setup, cond_mutex_call, NULL, cond_wake, cond_stop, cond_finish, .always = true
};

const struct call call_sem = {
	sem_setup, sem_call, sem_try, sem_wake, sem_stop, sem_finish, .busy = -EAGAIN
};

const struct call call_read = {
	read_setup, read_call, read_try, rw_wake, rw_stop, rw_finish, .busy = -EBUSY, .owner = true
};

const struct call call_write = {
	write_setup, write_call, write_try, rw_wake, rw_stop, rw_finish, .busy = -EBUSY
};

const struct call call_group = {
	group_setup, group_call, group_try, group_wake, group_stop, group_finish, .busy = -EAGAIN
};

const struct call call_once = {
	once_setup, once_call, NULL, open_gate, NULL, helper_ends, .helper = true
};

const struct call call_barrier = {
	barrier_setup, barrier_call, NULL, barrier_wake, barrier_stop, barrier_finish,
	.first = 1, .helper = true
};

const struct call call_event = {
	event_setup, event_call, event_try, event_wake, event_stop, event_finish, .busy = -EAGAIN
};

const struct call call_join = {
	join_setup, join_call, join_try, open_gate, join_stop, helper_ends,
	.busy = -EAGAIN, .helper = true
};

const struct call call_sleep = {
	sleep_setup, sleep_call, NULL, NULL, NULL, sleep_finish, .always = true
};
