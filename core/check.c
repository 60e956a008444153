// SPDX-License-Identifier: MIT
/* The table of legal steps, asserted at every switch of a debug build. */
#include <internal/runtime.h>

#define BIT(state)	(1u << (state))

/* a coroutine that leaves the CPU has one of these, one that gets it had one of those */
#define LEAVES	(BIT(KCORO_SUSPENDED) | BIT(KC_ST_RESUMING) | BIT(KCORO_PARKED) | \
		 BIT(KCORO_READY) | BIT(KC_ST_QUEUED) | BIT(KCORO_FINISHED))
#define ARRIVES	(BIT(KCORO_CREATED) | BIT(KCORO_SUSPENDED) | BIT(KCORO_READY) | \
		 BIT(KC_ST_RESUMING) | BIT(KC_ST_QUEUED))

void kcoro_check_step(const struct kcoro_head *from, const struct kcoro_head *to)
{
	if (!(BIT(kc_state_get(from)) & LEAVES))
		kc_panic("illegal state of the coroutine that leaves", (const kcoro_t *)from);
	if (!(BIT(kc_state_get(to)) & ARRIVES))
		kc_panic("illegal state of the coroutine to run", (const kcoro_t *)to);
	if (from->thread != to->thread)
		kc_panic("switch to another thread's coroutine", (const kcoro_t *)to);
}

/* before a coroutine joins a queue: it is on none, and the runtime holds it */
void kcoro_check_ready(const struct kcoro_head *co)
{
	const kcoro_t *c = (const kcoro_t *)co;
	uint32_t state = kc_state_get(co);

	if (state == KC_ST_QUEUED)
		kc_panic("coroutine queued twice", c);
	/* a generator may wait for something when nobody wants it any more */
	if (state == KCORO_FINISHED || state == KC_ST_FREED ||
	    (!kc_read(&c->refs) && kc_is_scheduled(c)))
		kc_panic("released coroutine queued", c);
}
