/* SPDX-License-Identifier: MIT */
/* inline-sync.h - mutex and condition, as inline functions; for the library and kcoro/inline.h. */
#ifndef KCORO_INLINE_SYNC_H
#define KCORO_INLINE_SYNC_H

#include <kcoro/inline-wait.h>
#include <kcoro/sync.h>

#ifdef __cplusplus
extern "C" {
#endif

/* be the owner again, whatever happens meanwhile; -EDEADLK if nobody will ever release it */
KC_API int kc_mutex_relock(struct kc_mutex *m);

KC_INLINE int kc_mutex_lock_until_inline(struct kc_mutex *m, kc_time_t deadline)
{
	struct kcoro_head *me = kcoro_current_head;

	if (__builtin_expect(!m || !me, 0))
		return m ? -EPERM : -EINVAL;
	if (__builtin_expect(me->interrupted, 0))
		return kc_wait_refused();
	if (__builtin_expect(!m->owner_, 1)) {
		m->owner_ = (kcoro_t *)me;
		return 0;
	}
	if (m->owner_ == (kcoro_t *)me)
		return -EDEADLK;
	/* the one who unlocks makes us the owner */
	return kc_waitq_sleep(&m->queue_, deadline, "mutex", m, &m->owner_, NULL);
}

KC_INLINE int kc_mutex_unlock_inline(struct kc_mutex *m)
{
	struct kc_node *n;

	if (__builtin_expect(!m, 0))
		return -EINVAL;
	if (__builtin_expect(!m->owner_ || m->owner_ != (kcoro_t *)kcoro_current_head, 0))
		return -EPERM;
	n = m->queue_.first;
	if (__builtin_expect(!n, 1)) {
		m->owner_ = NULL;
		return 0;
	}
	m->owner_ = (kcoro_t *)n->wait->co;
	kc_wait_end(n->wait, n, 0);
	return 0;
}

KC_INLINE int kc_cond_wait_until_inline(struct kc_cond *c, struct kc_mutex *m, kc_time_t deadline)
{
	struct kc_wait w;
	struct kc_node n;
	int err, lost = 0;

	if (__builtin_expect(!c, 0))
		return -EINVAL;
	if (m && m->owner_ != (kcoro_t *)kcoro_current_head)
		return -EPERM;
	err = kc_wait_begin(&w, deadline, "condition", c);
	if (err)
		return err;
	kc_wait_on(&w, &n, &c->queue_, NULL);
	if (m)
		kc_mutex_unlock_inline(m);
	err = kc_wait_sleep(&w, deadline);
	if (m)
		lost = kc_mutex_relock(m);
	return lost ? lost : err;
}

KC_INLINE int kc_cond_signal_inline(struct kc_cond *c)
{
	return c ? kc_waitq_wake(&c->queue_, 0) : -EINVAL;
}

#ifdef KCORO_INLINE
#define kc_mutex_lock(m)	kc_mutex_lock_until_inline(m, KC_FOREVER)
#define kc_mutex_unlock(m)	kc_mutex_unlock_inline(m)
#define kc_cond_wait(c, m)	kc_cond_wait_until_inline(c, m, KC_FOREVER)
#define kc_cond_signal(c)	kc_cond_signal_inline(c)
#endif

#ifdef __cplusplus
}
#endif

#endif /* KCORO_INLINE_SYNC_H */
