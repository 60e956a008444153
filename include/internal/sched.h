/* SPDX-License-Identifier: MIT */
/*
 * sched.h - the contract of a scheduler: who runs next.
 *
 * A scheduler keeps the coroutines that can run, in struct kc_runq of their thread, and
 * switches straight from the one that stops to the next; there is no context of its own.
 * When nothing can run, the one that stops runs kc_idle() on its own stack, and may find
 * that it is itself the next.
 */
#ifndef KC_INTERNAL_SCHED_H
#define KC_INTERNAL_SCHED_H

#include <internal/coro.h>

#ifdef CONFIG_RUNTIME

/** kc_sched_ready - @co can run: it goes to the end of the queue, in state KC_ST_QUEUED */
static inline void kc_sched_ready(struct kcoro *co)
{
	kc_ready_inline(&co->head);
}

/**
 * kc_sched_urgent - @co can run and goes before all that are queued now
 *
 * Several that come in one look at the clock (t->urgent is NULL at its begin) keep their order.
 */
void kc_sched_urgent(struct kcoro *co);

/** kc_sched_remove - @co, which is queued, will not run after all */
void kc_sched_remove(struct kcoro *co);

/**
 * kc_sched_away - run others until it is the caller's turn
 * @me: the running coroutine; its state says why it stops: KC_ST_QUEUED (it has been
 *	given to kc_sched_ready()), PARKED, or FINISHED (then this does not return)
 */
static inline __attribute__((always_inline)) void kc_sched_away(struct kcoro *me)
{
	kc_away_inline(&me->head);
}

/* ---- core's side ---- */

/**
 * kc_poll - look at the clock, at events and at requests; does not sleep
 * Called at least every CONFIG_POLL_INTERVAL switches.
 */
void kc_poll(struct kc_thread *t);

/** kc_idle - sleep until a coroutine of @t can run */
void kc_idle(struct kc_thread *t);

/** kc_hooks_call - @from stops, @to goes on; only while t->hooked is set */
#ifdef CONFIG_INSPECT
void kc_hooks_call(struct kcoro *from, struct kcoro *to);
#else
static inline void kc_hooks_call(struct kcoro *from, struct kcoro *to)
{
	(void)from, (void)to;
}
#endif

#else

static inline void kc_sched_ready(struct kcoro *co)
{
	(void)co;
}

static inline void kc_sched_away(struct kcoro *me)
{
	(void)me;
}

#endif
#endif /* KC_INTERNAL_SCHED_H */
