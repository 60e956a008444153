/* SPDX-License-Identifier: MIT */
/*
 * wait.h - the one way to wait.
 *
 * A caller that cannot go on describes its wait on its own stack, links one node per source,
 * and sleeps:
 *
 *	struct kc_wait w;
 *	struct kc_node node;
 *	int err = kc_wait_begin(&w, deadline, "mutex", m);
 *
 *	if (err)
 *		return err;
 *	kc_wait_on(&w, &node, &m->queue_, NULL);
 *	return kc_wait_sleep(&w, deadline);
 *
 * Whoever ends the wait finishes the operation on the sleeper's behalf and calls
 * kc_wait_end(), which takes all nodes off their queues, disarms the timer and makes the
 * sleeper ready. A node that is linked therefore belongs to a wait that nobody has ended:
 * to find it on a queue is to have claimed it. The sleeper goes on in its caller with
 * nothing left to do.
 *
 * Everything here belongs to the thread of the runtime.
 */
#ifndef KC_INTERNAL_WAIT_H
#define KC_INTERNAL_WAIT_H

#include <errno.h>

#include <internal/coro.h>
#include <internal/sched.h>
#include <kcoro/time.h>
#include <kcoro/wait.h>

/**
 * struct kc_wait - one coroutine's wait
 * @co: who waits
 * @nodes: its sources, linked by @sibling
 * @fired: the source that ended it, NULL for time, interrupt and deadlock
 * @result: what kc_wait_sleep() returns
 * @what: kind of the object, for people
 * @object: its address
 * @holder: where the object says who has it, or NULL
 * @timer: armed if there is a deadline
 */
struct kc_wait {
	struct kcoro *co;
	struct kc_node *nodes;
	struct kc_node *fired;
	int result;
	const char *what;
	const void *object;
	kcoro_t *const *holder;
	struct kc_timer timer;
};

/*
 * The functions below are inlined into the calls that wait: each library frame between a
 * switch and the program costs a mispredicted return.
 */
#define KC_WAIT_INLINE	static inline __attribute__((always_inline))

/* why not: -EPERM, -EINTR, or 0 */
int kc_wait_refused(void);
void kc_wait_arm(struct kc_wait *w, kc_time_t deadline);

/**
 * kc_wait_begin - may the running coroutine wait now?
 * Return: 0; -EPERM outside a runtime; -EINTR if an interrupt is pending (it is consumed);
 * -ETIMEDOUT if @deadline has passed.
 */
KC_WAIT_INLINE int kc_wait_begin(struct kc_wait *w, kc_time_t deadline, const char *what,
				 const void *object)
{
	struct kcoro *me = kc_me();

	if (kc_unlikely(!me || !me->head.thread->rt || me->rt.interrupted))
		return kc_wait_refused();
	if (deadline != KC_FOREVER && deadline <= kc_now())
		return -ETIMEDOUT;
	w->co = me;
	w->nodes = NULL;
	w->what = what;
	w->object = object;
	w->holder = NULL;
	w->timer.link_ = NULL;
	return 0;
}

/** kc_wait_sleep - wait; returns what was given to kc_wait_end() */
KC_WAIT_INLINE int kc_wait_sleep(struct kc_wait *w, kc_time_t deadline)
{
	struct kcoro *me = w->co;

	if (deadline != KC_FOREVER)
		kc_wait_arm(w, deadline);
	me->rt.wait = w;
	kc_state_set(&me->head, KCORO_PARKED);
	kc_sched_away(me);
	return w->result;
}

/** kc_wait_interrupted - consume a pending interrupt: -EINTR or 0 */
int kc_wait_interrupted(void);

static inline void kc_waitq_append(struct kc_waitq *q, struct kc_node *n)
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

static inline void kc_waitq_remove(struct kc_node *n)
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

static inline unsigned long kc_waitq_length(const struct kc_waitq *q)
{
	unsigned long count = 0;

	for (const struct kc_node *n = q->first; n; n = n->next)
		count++;
	return count;
}

/* take @w off everything it waits for, if that is more than one queue */
void kc_wait_unlink(struct kc_wait *w);

/** kc_wait_end - end a wait with @result; @fired: the node that did it, or NULL */
static inline void kc_wait_end(struct kc_wait *w, struct kc_node *fired, int result)
{
	if (kc_likely(fired && !fired->sibling && w->nodes == fired && !w->timer.link_))
		kc_waitq_remove(fired);
	else
		kc_wait_unlink(w);
	w->fired = fired;
	w->result = result;
	w->co->rt.wait = NULL;
	kc_sched_ready(w->co);
}

/* link @n into @q as a source of @w */
static inline void kc_wait_on(struct kc_wait *w, struct kc_node *n, struct kc_waitq *q, void *data)
{
	n->wait = w;
	n->data = data;
	n->sibling = w->nodes;
	w->nodes = n;
	kc_waitq_append(q, n);
}

/* end the wait of the first in @q; false if there is none */
static inline bool kc_waitq_wake(struct kc_waitq *q, int result)
{
	struct kc_node *n = q->first;

	if (!n)
		return false;
	kc_wait_end(n->wait, n, result);
	return true;
}

/* wait in @q and nowhere else */
KC_WAIT_INLINE int kc_waitq_sleep(struct kc_waitq *q, kc_time_t deadline, const char *what,
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

#endif /* KC_INTERNAL_WAIT_H */
