// SPDX-License-Identifier: MIT
/* The switch with announcements, for builds with a sanitizer. */
#include <internal/arch.h>
#include <internal/coro.h>

/* whom we came from; read right after the switch */
static KC_TLS struct kcoro *previous;

/* first thing on the new side */
static void arrive(struct kc_san *self)
{
	(void)self;
#ifdef CONFIG_ASAN
	const void *bottom;
	size_t size;

	__sanitizer_finish_switch_fiber(self->fake_stack, &bottom, &size);
	if (!previous->san.bottom) {	/* a main coroutine: now its bounds are known */
		previous->san.bottom = bottom;
		previous->san.size = size;
	}
#endif
}

void kc_san_enter(void)
{
	struct kc_san fresh = { .fake_stack = NULL };

	arrive(&fresh);
}

void kcoro_switch_hooked(struct kcoro_head *from, struct kcoro_head *to)
{
	struct kcoro *f = (struct kcoro *)from;
	struct kcoro *t = (struct kcoro *)to;

	(void)t;
	previous = f;
#ifdef CONFIG_ASAN
	/* NULL: a finished coroutine's fake stack is released */
	__sanitizer_start_switch_fiber(kc_state_get(from) == KCORO_FINISHED ? NULL :
				       &f->san.fake_stack, t->san.bottom, t->san.size);
#endif
#ifdef CONFIG_TSAN
	__tsan_switch_to_fiber(t->san.fiber, 0);
#endif
	kc_arch_switch(&from->ctx, &to->ctx);
	arrive(&f->san);
}
