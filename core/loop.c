// SPDX-License-Identifier: MIT
/* What happens between two coroutines: the clock, events, requests, sleep. */
#include <internal/backend.h>
#include <internal/runtime.h>
#include <internal/sched.h>

/* Events first, then the clock: a coroutine whose time is up runs before one that got an event. */
static void look(struct kc_thread *t)
{
	struct kc_runtime *rt = t->rt;

	rt->now = kc_now();
	t->urgent = NULL;
	kc_callbacks_begin();
	kc_timers_expire(&rt->timers, rt->now);
	if (kc_unlikely(rt->safepoint != NULL)) {
		void (*fn)(void *arg) = rt->safepoint;

		rt->safepoint = NULL;
		fn(rt->safepoint_arg);
	}
	kc_callbacks_end();
	kcoro_runq.budget = t->hooked || rt->safepoint ? 0 : CONFIG_POLL_INTERVAL;
}

void kc_poll(struct kc_thread *t)
{
	kc_backend_wait(t, 0);
	look(t);
}

void kc_idle(struct kc_thread *t)
{
	look(t);
	while (!kcoro_runq.first) {
		kc_time_t next = kc_timers_next(&t->rt->timers);

		if (next == KC_FOREVER && !kc_backend_expects(t))
			kc_deadlock(t);
		else
			kc_clock_sleep(t, next);
		look(t);
	}
}
