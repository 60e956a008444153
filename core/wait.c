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

void kc_wait_arm(struct kc_wait *w, kc_time_t deadline)
{
	struct kc_timers *timers = &w->co->head.thread->rt->timers;

	w->timer = (struct kc_timer){
		.due_ = deadline, .fn_ = expired, .arg_ = w, .timers_ = timers,
	};
	kc_timers_add(timers, &w->timer);
}

void kc_wait_unlink(struct kc_wait *w)
{
	for (struct kc_node *n = w->nodes; n; n = n->sibling)
		kc_waitq_remove(n);
	if (kc_timer_armed(&w->timer))
		kc_timers_remove(w->timer.timers_, &w->timer);
}

void kc_wait_expire(struct kc_wait *w, int result)
{
	kc_wait_unlink(w);
	w->fired = NULL;
	w->result = result;
	w->co->rt.wait = NULL;
	kc_sched_urgent(w->co);
}
