// SPDX-License-Identifier: MIT
/* Mutex and condition. */
#include <errno.h>

#include <internal/runtime.h>
#include <kcoro/inline-sync.h>

void kc_mutex_init(struct kc_mutex *m)
{
	*m = (struct kc_mutex)KC_MUTEX_INIT;
}

int kc_mutex_lock_until(struct kc_mutex *m, kc_time_t deadline)
{
	return kc_mutex_lock_until_inline(m, deadline);
}

int kc_mutex_lock(struct kc_mutex *m)
{
	return kc_mutex_lock_until_inline(m, KC_FOREVER);
}

int kc_try_mutex_lock(struct kc_mutex *m)
{
	struct kcoro *me = kc_me();

	if (!m || !me)
		return m ? -EPERM : -EINVAL;
	if (m->owner_)
		return m->owner_ == me ? -EDEADLK : -EBUSY;
	m->owner_ = me;
	return 0;
}

int kc_mutex_unlock(struct kc_mutex *m)
{
	return kc_mutex_unlock_inline(m);
}

int kc_mutex_relock(struct kc_mutex *m)
{
	struct kcoro_head *me = kcoro_current_head;
	uint32_t interrupted = me->interrupted;
	int err;

	me->interrupted = 0;
	while ((err = kc_mutex_lock(m)) == -EINTR)
		interrupted = 1;
	me->interrupted = interrupted;
	return err;
}

int kc_mutex_destroy(struct kc_mutex *m)
{
	if (!m)
		return -EINVAL;
	return m->owner_ || m->queue_.first ? -EBUSY : 0;
}

void kc_cond_init(struct kc_cond *c)
{
	*c = (struct kc_cond)KC_COND_INIT;
}

int kc_cond_wait_until(struct kc_cond *c, struct kc_mutex *m, kc_time_t deadline)
{
	return kc_cond_wait_until_inline(c, m, deadline);
}

int kc_cond_wait(struct kc_cond *c, struct kc_mutex *m)
{
	return kc_cond_wait_until_inline(c, m, KC_FOREVER);
}

int kc_cond_signal(struct kc_cond *c)
{
	return kc_cond_signal_inline(c);
}

int kc_cond_broadcast(struct kc_cond *c)
{
	int n = 0;

	if (!c)
		return -EINVAL;
	while (kc_waitq_wake(&c->queue_, 0))
		n++;
	return n;
}

int kc_cond_destroy(struct kc_cond *c)
{
	if (!c)
		return -EINVAL;
	return c->queue_.first ? -EBUSY : 0;
}
