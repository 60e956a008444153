// SPDX-License-Identifier: MIT
/*
 * Park and unpark.
 *
 * head.wake decides between the sleeper and its wakers, each of whom changes it by one
 * compare-exchange:
 *
 *   NONE   -> PARKED  by the sleeper, before it leaves
 *   PARKED -> NONE    by the one waker that may set READY
 *   NONE   -> TOKEN   by a waker that came too early (a second one finds TOKEN: one wake)
 *   TOKEN  -> NONE    by the sleeper, which then does not leave
 *
 * Only the owning thread resumes, and it does so after it has left the sleeper's stack, so
 * READY may become visible while the sleeper is still on its way out.
 */
#include <errno.h>

#include <internal/runtime.h>
#include <internal/sched.h>

enum { WAKE_NONE, WAKE_TOKEN, WAKE_PARKED };

int kcoro_park(void)
{
	struct kcoro_head *me = kcoro_current_head;

	if (!me || (me->back == me && !kc_may_switch((struct kcoro *)me)))
		return -EPERM;
	kc_state_set(me, KCORO_PARKED);
	if (!kc_cas(&me->wake, WAKE_NONE, WAKE_PARKED)) {
		kc_xchg(&me->wake, WAKE_NONE);
		kc_state_set(me, KCORO_RUNNING);
		return 0;
	}
	if (me->back == me)
		kc_sched_away((struct kcoro *)me);
	else
		kc_step(me, me->back);
	return 0;
}

int kcoro_unpark(kcoro_t *co)
{
	if (!co)
		return -EINVAL;
	/* a runtime of one thread takes no calls from others */
	if (kc_is_scheduled(co) && co->head.thread != kc_this_thread())
		return -EPERM;
	for (;;) {
		if (kc_state_get(&co->head) == KCORO_FINISHED)
			return -ESRCH;
		if (kc_cas(&co->head.wake, WAKE_PARKED, WAKE_NONE)) {
			/* pairs with the acquire in kcoro_state() and resume's check */
			kc_write_release(&co->head.state, KCORO_READY);
			if (kc_is_scheduled(co))
				kc_sched_ready(co);
			return 1;
		}
		if (kc_cas(&co->head.wake, WAKE_NONE, WAKE_TOKEN) ||
		    kc_read(&co->head.wake) == WAKE_TOKEN)
			return 0;
	}
}
