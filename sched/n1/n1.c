// SPDX-License-Identifier: MIT
/*
 * Many coroutines, one thread: first come, first served, nothing is locked. The usual paths are
 * in kcoro/inline.h; here are the rare ones.
 */
#include <errno.h>

#include <internal/sched.h>

KC_TLS struct kc_runq kcoro_runq;

void kc_sched_urgent(struct kcoro *co)
{
	struct kc_thread *t = co->head.thread;
	struct kcoro_head **link = t->urgent ? &t->urgent->next : &kcoro_runq.first;

	kcoro_check_ready(&co->head);
	kc_state_set(&co->head, KC_ST_QUEUED);
	co->head.next = *link;
	*link = &co->head;
	if (!co->head.next)
		kcoro_runq.last = &co->head;
	t->urgent = &co->head;
}

/* at the end of a runtime only: it looks for the one before */
void kc_sched_remove(struct kcoro *co)
{
	struct kcoro_head **link = &kcoro_runq.first, *before = NULL;

	for (; *link != &co->head; link = &before->next)
		before = *link;
	*link = co->head.next;
	if (kcoro_runq.last == &co->head)
		kcoro_runq.last = before;
}

/* The clock is due, nobody is ready, or somebody wants to hear of switches. */
void kc_away_slow(struct kcoro_head *me)
{
	struct kc_thread *t = me->thread;
	struct kcoro_head *to;

	if (--kcoro_runq.budget <= 0)
		kc_poll(t);
	if (!kcoro_runq.first)
		kc_idle(t);
	to = kcoro_runq.first;
	kcoro_runq.first = to->next;
	if (t->hooked)
		kc_hooks_call((struct kcoro *)me, (struct kcoro *)to);
	if (to == me)
		kc_state_set(to, KCORO_RUNNING);
	else
		kc_step(me, to);
}

int kc_yield_slow(void)
{
	struct kcoro_head *me = kcoro_current_head;

	if (!me || !kcoro_runq.attached)
		return -EPERM;
	kc_ready_inline(me);
	kc_away_slow(me);
	return 0;
}

int kc_yield(void)
{
	return kc_yield_inline();
}
