// SPDX-License-Identifier: MIT
/* The switch with announcements, for builds with a sanitizer. */
#include <internal/arch.h>
#include <internal/coro.h>

#ifdef CONFIG_ASAN

/* whom we came from; read right after the switch */
static KC_TLS struct kcoro *previous;

static void leave(struct kcoro *from, struct kcoro *to)
{
	previous = from;
	/* NULL: a finished coroutine's fake stack is released */
	__sanitizer_start_switch_fiber(kc_state_get(&from->head) == KCORO_FINISHED ? NULL :
				       &from->san.fake_stack, to->san.bottom, to->san.size);
}

static void arrive(void *fake_stack)
{
	const void *bottom;
	size_t size;

	__sanitizer_finish_switch_fiber(fake_stack, &bottom, &size);
	if (!previous->san.bottom) {	/* a main coroutine: now its bounds are known */
		previous->san.bottom = bottom;
		previous->san.size = size;
	}
}

#else /* TSan */

/* inline without optimisation as well: the return from a call would count for the other fibre */
static inline __attribute__((always_inline)) void leave(struct kcoro *from, struct kcoro *to)
{
	(void)from;
	__tsan_switch_to_fiber(to->san.fiber, 0);
}

static void arrive(void *fake_stack)
{
	(void)fake_stack;
}

#endif

void kc_san_enter(void)
{
	arrive(NULL);
}

void kcoro_switch_hooked(struct kcoro_head *from, struct kcoro_head *to)
{
	struct kcoro *f = (struct kcoro *)from;

	leave(f, (struct kcoro *)to);
	kc_arch_switch(&from->ctx, &to->ctx);
	arrive(f->san.fake_stack);
}
