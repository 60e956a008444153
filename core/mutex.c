// SPDX-License-Identifier: MIT
/* Mutex and condition. */
#include <errno.h>

#include <internal/runtime.h>
#include <kcoro/sync.h>

void kc_mutex_init(struct kc_mutex *m)
{
	*m = (struct kc_mutex)KC_MUTEX_INIT;
}

/* flat: one frame between a switch and the program */
static inline __attribute__((always_inline)) int lock(struct kc_mutex *m, kc_time_t deadline)
{
	struct kcoro *me = kc_me();

	if (kc_unlikely(!m || !me))
		return m ? -EPERM : -EINVAL;
	if (kc_unlikely(me->rt.interrupted))
		return kc_wait_interrupted();
	if (kc_likely(!m->owner_)) {
		m->owner_ = me;
		return 0;
	}
	if (m->owner_ == me)
		return -EDEADLK;
	/* the one who unlocks makes us the owner */
	return kc_waitq_sleep(&m->queue_, deadline, "mutex", m, &m->owner_, NULL);
}

int kc_mutex_lock_until(struct kc_mutex *m, kc_time_t deadline)
{
	return lock(m, deadline);
}

int kc_mutex_lock(struct kc_mutex *m)
{
	return lock(m, KC_FOREVER);
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
	struct kc_node *n;

	if (!m)
		return -EINVAL;
	if (!m->owner_ || m->owner_ != kc_me())
		return -EPERM;
	n = m->queue_.first;
	m->owner_ = n ? n->wait->co : NULL;
	if (n)
		kc_wait_end(n->wait, n, 0);
	return 0;
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

/* back to being the owner, whatever happens to us meanwhile */
static void relock(struct kc_mutex *m)
{
	struct kcoro *me = kc_me();
	bool interrupted = me->rt.interrupted;

	me->rt.interrupted = false;
	while (kc_mutex_lock(m) == -EINTR)
		interrupted = true;
	me->rt.interrupted = interrupted;
}

static inline __attribute__((always_inline)) int cond_wait(struct kc_cond *c, struct kc_mutex *m,
							   kc_time_t deadline)
{
	struct kc_wait w;
	struct kc_node n;
	int err;

	if (!c)
		return -EINVAL;
	if (m && m->owner_ != kc_me())
		return -EPERM;
	err = kc_wait_begin(&w, deadline, "condition", c);
	if (err)
		return err;
	kc_wait_on(&w, &n, &c->queue_, NULL);
	if (m)
		kc_mutex_unlock(m);
	err = kc_wait_sleep(&w, deadline);
	if (m)
		relock(m);
	return err;
}

int kc_cond_wait_until(struct kc_cond *c, struct kc_mutex *m, kc_time_t deadline)
{
	return cond_wait(c, m, deadline);
}

int kc_cond_wait(struct kc_cond *c, struct kc_mutex *m)
{
	return cond_wait(c, m, KC_FOREVER);
}

int kc_cond_signal(struct kc_cond *c)
{
	return c ? kc_waitq_wake(&c->queue_, 0) : -EINVAL;
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
