// SPDX-License-Identifier: MIT
/* Many coroutines, one thread: first come, first served, nothing is locked. */
#include <internal/sched.h>

void kc_sched_ready(struct kcoro *co)
{
	struct kc_runq *run = &co->head.thread->run;

	kc_state_set(&co->head, KC_ST_QUEUED);
	co->head.next = NULL;
	if (run->first)
		run->last->next = &co->head;
	else
		run->first = &co->head;
	run->last = &co->head;
}

void kc_sched_urgent(struct kcoro *co)
{
	struct kc_thread *t = co->head.thread;
	struct kc_runq *run = &t->run;

	kc_state_set(&co->head, KC_ST_QUEUED);
	if (!t->urgent) {
		co->head.next = run->first;
		run->first = &co->head;
	} else {
		co->head.next = t->urgent->next;
		t->urgent->next = &co->head;
	}
	if (!co->head.next)
		run->last = &co->head;
	t->urgent = &co->head;
}

void kc_sched_away(struct kcoro *me)
{
	struct kc_thread *t = me->head.thread;
	struct kc_runq *run = &t->run;
	struct kcoro_head *to;

	if (kc_unlikely(--run->budget <= 0))
		kc_poll(t);
	if (kc_unlikely(!run->first))
		kc_idle(t);
	to = run->first;
	run->first = to->next;
	t->urgent = NULL;
	if (kc_unlikely(t->hooked))
		kc_hooks_call(me, (struct kcoro *)to);
	if (to == &me->head)
		kc_state_set(to, KCORO_RUNNING);
	else
		kc_step(&me->head, to);
}

int kc_yield_slow(void)
{
	struct kcoro *me = kc_me();

	if (!me || !me->head.thread->rt)
		return -EPERM;
	kc_sched_ready(me);
	kc_sched_away(me);
	return 0;
}

int (kc_yield)(void)
{
	return kc_yield_inline();
}
