// SPDX-License-Identifier: MIT
/* The rare parts of the one way to wait; kcoro/inline-wait.h tells how it works. */
#include <errno.h>

#include <internal/runtime.h>
#include <internal/sched.h>

int kc_wait_refused(void)
{
	struct kcoro_head *me = kcoro_current_head;

	/* a runtime that is not attached has called us back */
	if (!me || !me->interrupted || (me->thread->rt && !kcoro_runq.attached))
		return -EPERM;
	me->interrupted = 0;
	return -EINTR;
}

static void expired(void *arg)
{
	kc_wait_expire(arg, -ETIMEDOUT);
}

void kc_wait_arm(struct kc_wait *w, kc_time_t deadline)
{
	struct kc_timers *timers = &w->co->thread->rt->timers;

	w->timer = (struct kc_timer){
		.due_ = deadline, .fn_ = expired, .arg_ = w, .timers_ = timers,
	};
	w->armed = 1;
	kc_timers_add(timers, &w->timer);
}

void kc_wait_unlink(struct kc_wait *w)
{
	for (struct kc_node *n = w->nodes; n; n = n->sibling)
		kc_waitq_remove(n);
	if (w->armed && kc_timer_armed(&w->timer))
		kc_timers_remove(w->timer.timers_, &w->timer);
}

void kc_wait_expire(struct kc_wait *w, int result)
{
	kc_wait_unlink(w);
	w->fired = NULL;
	w->result = result;
	w->co->waits = NULL;
	kc_sched_urgent((struct kcoro *)w->co);
}
