// SPDX-License-Identifier: MIT
/* NULL and other things that are no objects. */
#include "../chan/rt.h"

KTEST_SUITE(blocking, .init = rt_init, .exit = rt_exit);

#ifdef CONFIG_CHAN
KTEST(blocking, null_send)
{
	struct kc_chan *a = kc_chan_new(sizeof(int), 1);
	int sent = 0;

	EXPECT_ERR(kc_chan_send(a, NULL), EINVAL);
	EXPECT_ERR(kc_try_chan_send(NULL, &sent), EINVAL);
	EXPECT_ERR(kc_chan_send_until(NULL, &sent, KC_FOREVER), EINVAL);
	EXPECT_ERR(kc_chan_send(NULL, &sent), EINVAL);
	kc_chan_put(a);
}

KTEST(blocking, null_recv)
{
	int got;

	EXPECT_ERR(kc_try_chan_recv(NULL, &got), EINVAL);
	EXPECT_ERR(kc_chan_recv_until(NULL, KC_FOREVER, &got), EINVAL);
	EXPECT_ERR(kc_chan_recv(NULL, &got), EINVAL);
}
#endif

#ifdef CONFIG_SELECT
KTEST(blocking, null_select)
{
	struct kc_case c = KC_RECV(NULL, NULL);

	EXPECT_ERR(kc_try_select(NULL, 1), EINVAL);
	EXPECT_ERR(kc_select(&c, -1), EINVAL);
	EXPECT_ERR(kc_select_until(NULL, 2, KC_FOREVER), EINVAL);
}
#endif

KTEST(blocking, null_mutex)
{
	EXPECT_ERR(kc_try_mutex_lock(NULL), EINVAL);
	EXPECT_ERR(kc_mutex_unlock(NULL), EINVAL);
	EXPECT_ERR(kc_mutex_destroy(NULL), EINVAL);
	EXPECT_ERR(kc_mutex_lock_until(NULL, T0), EINVAL);
	EXPECT_ERR(kc_mutex_lock(NULL), EINVAL);
}

KTEST(blocking, null_cond)
{
	EXPECT_ERR(kc_cond_signal(NULL), EINVAL);
	EXPECT_ERR(kc_cond_broadcast(NULL), EINVAL);
	EXPECT_ERR(kc_cond_destroy(NULL), EINVAL);
	EXPECT_ERR(kc_cond_wait_until(NULL, NULL, T0), EINVAL);
	EXPECT_ERR(kc_cond_wait(NULL, NULL), EINVAL);
}

KTEST(blocking, null_sem)
{
	EXPECT_ERR(kc_try_sem_wait(NULL), EINVAL);
	EXPECT_ERR(kc_sem_post(NULL), EINVAL);
	EXPECT_ERR(kc_sem_destroy(NULL), EINVAL);
	EXPECT_EQ(kc_sem_count(NULL), 0);
	EXPECT_ERR(kc_sem_wait_until(NULL, T0), EINVAL);
	EXPECT_ERR(kc_sem_wait(NULL), EINVAL);
}

KTEST(blocking, null_rwlock)
{
	EXPECT_ERR(kc_try_rwlock_read(NULL), EINVAL);
	EXPECT_ERR(kc_try_rwlock_write(NULL), EINVAL);
	EXPECT_ERR(kc_rwlock_write(NULL), EINVAL);
	EXPECT_ERR(kc_rwlock_write_until(NULL, T0), EINVAL);
	EXPECT_ERR(kc_rwlock_read_until(NULL, T0), EINVAL);
	EXPECT_ERR(kc_rwlock_unlock(NULL), EINVAL);
	EXPECT_ERR(kc_rwlock_destroy(NULL), EINVAL);
	EXPECT_ERR(kc_rwlock_read(NULL), EINVAL);
}

KTEST(blocking, null_waitgroup)
{
	EXPECT_ERR(kc_waitgroup_add(NULL, 1), EINVAL);
	EXPECT_ERR(kc_waitgroup_done(NULL), EINVAL);
	EXPECT_ERR(kc_try_waitgroup_wait(NULL), EINVAL);
	EXPECT_ERR(kc_waitgroup_destroy(NULL), EINVAL);
	EXPECT_ERR(kc_waitgroup_wait_until(NULL, T0), EINVAL);
	EXPECT_ERR(kc_waitgroup_wait(NULL), EINVAL);
}

static void once_fn(void *arg)
{
	(void)arg;
}

KTEST(blocking, null_once)
{
	struct kc_once once = KC_ONCE_INIT;

	EXPECT_ERR(kc_once_call(&once, NULL, NULL), EINVAL);
	EXPECT_ERR(kc_once_call_until(NULL, once_fn, NULL, T0), EINVAL);
	EXPECT_ERR(kc_once_call(NULL, once_fn, NULL), EINVAL);
}

KTEST(blocking, null_barrier)
{
	struct kc_barrier nobody = KC_BARRIER_INIT(0);

	EXPECT_ERR(kc_barrier_wait(&nobody), EINVAL);
	EXPECT_ERR(kc_barrier_destroy(NULL), EINVAL);
	EXPECT_ERR(kc_barrier_wait_until(NULL, T0), EINVAL);
	EXPECT_ERR(kc_barrier_wait(NULL), EINVAL);
}

KTEST(blocking, null_event)
{
	EXPECT_ERR(kc_event_set(NULL), EINVAL);
	EXPECT_ERR(kc_event_clear(NULL), EINVAL);
	EXPECT_EQ(kc_event_is_set(NULL), 0);
	EXPECT_ERR(kc_try_event_wait(NULL), EINVAL);
	EXPECT_ERR(kc_event_destroy(NULL), EINVAL);
	EXPECT_ERR(kc_event_wait_until(NULL, T0), EINVAL);
	EXPECT_ERR(kc_event_wait(NULL), EINVAL);
}

KTEST(blocking, null_join)
{
	EXPECT_ERR(kc_try_join(NULL, NULL), EINVAL);
	EXPECT_ERR(kc_join_until(NULL, T0, NULL), EINVAL);
	EXPECT_ERR(kc_join(NULL, NULL), EINVAL);
}
