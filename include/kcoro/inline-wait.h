/* SPDX-License-Identifier: MIT */
/*
 * inline-wait.h - the one way to wait, as inline functions; for the library and for
 * kcoro/inline.h.
 *
 * A caller that cannot go on describes its wait on its own stack, links one node per source,
 * and sleeps:
 *
 *	struct kc_wait w;
 *	struct kc_node node;
 *	int err = kc_wait_begin(&w, deadline, "event", e);
 *
 *	if (err)
 *		return err;
 *	kc_wait_on(&w, &node, &e->queue_, NULL);
 *	return kc_wait_sleep(&w, deadline);
 *
 * Whoever ends the wait finishes the operation on the sleeper's behalf and calls
 * kc_wait_end(), which takes all nodes off their queues, disarms the timer and makes the
 * sleeper ready. A node that is linked therefore belongs to a wait that nobody has ended:
 * to find it on a queue is to have claimed it. The sleeper goes on in its caller with
 * nothing left to do.
 *
 * All of it is inlined because each library frame between a switch and the program costs a
 * mispredicted return. Everything here belongs to the thread of the runtime.
 */
#ifndef KCORO_INLINE_WAIT_H
#define KCORO_INLINE_WAIT_H

#include <kcoro/time.h>
#include <kcoro/wait.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct kc_wait - one coroutine's wait
 * @co: who waits
 * @nodes: its sources, linked by @sibling
 * @fired: the source that ended it, NULL for time, interrupt and deadlock
 * @result: what kc_wait_sleep() returns
 * @armed: is there a timer?
 * @what: kind of the object, for people
 * @object: its address
 * @holder: where the object says who has it, or NULL
 * @timer: untouched if there is no deadline
 */
struct kc_wait {
	struct kcoro_head *co;
	struct kc_node *nodes;
	struct kc_node *fired;
	int result;
	int armed;
	const char *what;
	const void *object;
	kcoro_t *const *holder;
	struct kc_timer timer;
};

/* the rare parts */
KC_API int kc_wait_refused(void);	/* why not: -EPERM, or -EINTR, which is consumed */
KC_API void kc_wait_arm(struct kc_wait *w, kc_time_t deadline);
KC_API void kc_wait_unlink(struct kc_wait *w);

KC_INLINE void kc_waitq_append(struct kc_waitq *q, struct kc_node *n)
{
	n->queue = q;
	n->next = NULL;
	n->prev = q->last;
	if (q->last)
		q->last->next = n;
	else
		q->first = n;
	q->last = n;
}

KC_INLINE void kc_waitq_remove(struct kc_node *n)
{
	struct kc_waitq *q = n->queue;

	if (!q)
		return;
	if (n->prev)
		n->prev->next = n->next;
	else
		q->first = n->next;
	if (n->next)
		n->next->prev = n->prev;
	else
		q->last = n->prev;
	n->queue = NULL;
}

/**
 * kc_wait_begin - may the running coroutine wait now?
 * Return: 0; -EPERM outside a runtime; -EINTR if an interrupt is pending (it is consumed);
 * -ETIMEDOUT if @deadline has passed.
 */
KC_INLINE int kc_wait_begin(struct kc_wait *w, kc_time_t deadline, const char *what,
			    const void *object)
{
	struct kcoro_head *me = kcoro_current_head;

	if (__builtin_expect(!kcoro_runq.attached || me->interrupted, 0))
		return kc_wait_refused();
	if (deadline != KC_FOREVER && deadline <= kc_now())
		return -ETIMEDOUT;
	w->co = me;
	w->nodes = NULL;
	w->what = what;
	w->object = object;
	w->holder = NULL;
	w->armed = 0;
	return 0;
}

/* link @n into @q as a source of @w */
KC_INLINE void kc_wait_on(struct kc_wait *w, struct kc_node *n, struct kc_waitq *q, void *data)
{
	n->wait = w;
	n->data = data;
	n->sibling = w->nodes;
	w->nodes = n;
	kc_waitq_append(q, n);
}

/** kc_wait_sleep - wait; returns what was given to kc_wait_end() */
KC_INLINE int kc_wait_sleep(struct kc_wait *w, kc_time_t deadline)
{
	struct kcoro_head *me = w->co;

	if (deadline != KC_FOREVER)
		kc_wait_arm(w, deadline);
	me->waits = w;
	kc_state_set(me, KCORO_PARKED);
	kc_away_inline(me);
	return w->result;
}

/** kc_wait_end - end a wait with @result; @fired: the node that did it, or NULL */
KC_INLINE void kc_wait_end(struct kc_wait *w, struct kc_node *fired, int result)
{
	/* one source and no timer: nothing to search */
	if (__builtin_expect(fired && w->nodes == fired && !fired->sibling && !w->armed, 1))
		kc_waitq_remove(fired);
	else
		kc_wait_unlink(w);
	w->fired = fired;
	w->result = result;
	w->co->waits = NULL;
	kc_ready_inline(w->co);
}

/* end the wait of the first in @q; 0 if there is none */
KC_INLINE int kc_waitq_wake(struct kc_waitq *q, int result)
{
	struct kc_node *n = q->first;

	if (!n)
		return 0;
	kc_wait_end(n->wait, n, result);
	return 1;
}

/* wait in @q and nowhere else */
KC_INLINE int kc_waitq_sleep(struct kc_waitq *q, kc_time_t deadline, const char *what,
			     const void *object, kcoro_t *const *holder, void *data)
{
	struct kc_wait w;
	struct kc_node n;
	int err = kc_wait_begin(&w, deadline, what, object);

	if (err)
		return err;
	w.holder = holder;
	kc_wait_on(&w, &n, q, data);
	return kc_wait_sleep(&w, deadline);
}

#ifdef __cplusplus
}
#endif

#endif /* KCORO_INLINE_WAIT_H */
