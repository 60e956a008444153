// SPDX-License-Identifier: MIT
/*
 * Resume, yield and yield_to out of line: the bodies of kcoro/inline.h once more, and the paths
 * that are too rare to be inlined.
 */
#include <errno.h>

#include <internal/runtime.h>
#include <internal/sched.h>

KC_TLS struct kcoro_head *kcoro_current_head;

int kcoro_resume(kcoro_t *co)
{
	return kcoro_resume_inline(co);
}

int kcoro_yield(void)
{
	return kcoro_yield_inline();
}

int kcoro_yield_to(kcoro_t *co)
{
	return kcoro_yield_to_inline(co);
}

kcoro_t *kcoro_current(void)
{
	return kcoro_current_inline();
}

/* 0 if @me may run @co, else why not */
static int check(const struct kcoro_head *me, const kcoro_t *co)
{
	if (!me)
		return -EPERM;
	if (!co)
		return -EINVAL;
	if (co->head.thread != me->thread)
		return -EPERM;
	switch (kc_read_acquire(&co->head.state)) {	/* pairs with kcoro_unpark() */
	case KCORO_CREATED:
	case KCORO_SUSPENDED:
	case KCORO_READY:
		return 0;
	case KCORO_PARKED:
		return -EAGAIN;
	case KCORO_FINISHED:
		return -ESRCH;
	default:
		KC_CHECK(kc_is_active(co), "released coroutine used", co);
		return -EBUSY;
	}
}

int kcoro_resume_slow(kcoro_t *co)
{
	struct kcoro_head *me = kcoro_current_head;
	int err = check(me, co);

	if (err)
		return err;
	co->head.back = me;
	kc_state_set(me, KC_ST_RESUMING);
	kc_step(me, &co->head);
	return 0;
}

/* nobody to return to: a coroutine of a scheduler lets the others run */
int kcoro_yield_slow(void)
{
	struct kcoro *me = kc_me();

	if (!me || !kc_may_switch(me))
		return -EPERM;
	kc_sched_ready(me);
	kc_sched_away(me);
	return 0;
}

int kcoro_yield_to_slow(kcoro_t *co)
{
	struct kcoro_head *me = kcoro_current_head;
	int err;

	if (me && co == (kcoro_t *)me)
		return 0;
	if (me && me->back == me)	/* main stays the return target */
		return kcoro_resume_slow(co);
	if (me && co && &co->head == me->back)
		return kcoro_yield_inline();
	err = check(me, co);
	if (err)
		return err;
	co->head.back = me->back;
	kc_state_set(me, KCORO_SUSPENDED);
	kc_step(me, &co->head);
	return 0;
}
