// SPDX-License-Identifier: MIT
/* The one way to wait; include/internal/wait.h tells how it works. */
#include <errno.h>

#include <internal/runtime.h>
#include <internal/sched.h>

static void expired(void *arg)
{
	kc_wait_expire(arg, -ETIMEDOUT);
}

int kc_wait_interrupted(void)
{
	struct kcoro *me = kc_me();

	if (!me || !me->rt.interrupted)
		return 0;
	me->rt.interrupted = false;
	return -EINTR;
}

int kc_wait_refused(void)
{
	return kc_this_runtime() ? kc_wait_interrupted() : -EPERM;
}

void kc_wait_arm(struct kc_wait *w)
{
	struct kc_timers *timers = &w->co->head.thread->rt->timers;

	w->timer = (struct kc_timer){
		.due_ = w->deadline, .fn_ = expired, .arg_ = w, .timers_ = timers,
	};
	kc_timers_add(timers, &w->timer);
}

/* take it off all queues; it is ended */
static void finish(struct kc_wait *w, struct kc_node *fired, int result)
{
	for (struct kc_node *n = w->nodes; n; n = n->sibling)
		kc_waitq_remove(n);
	if (kc_timer_armed(&w->timer))
		kc_timers_remove(w->timer.timers_, &w->timer);
	w->fired = fired;
	w->result = result;
	w->co->rt.wait = NULL;
}

void kc_wait_end(struct kc_wait *w, struct kc_node *fired, int result)
{
	finish(w, fired, result);
	kc_sched_ready(w->co);
}

void kc_wait_expire(struct kc_wait *w, int result)
{
	finish(w, NULL, result);
	kc_sched_urgent(w->co);
}
