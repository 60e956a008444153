// SPDX-License-Identifier: MIT
/* Where in its stack memory a coroutine's control block lies. */
#include <internal/compiler.h>
#include <internal/coro.h>

#define COLOUR_BITS	5
#define COLOURS		(1 << COLOUR_BITS)
#define COLOUR_STEP	64	/* a cache line */

/* Process-wide, set by the program; a coroutine keeps the place it was given. */
static int colouring = IS_ENABLED(CONFIG_STACK_COLOUR);

int kcoro_stack_colouring(int on)
{
	int was = kc_read(&colouring);

	if (IS_ENABLED(CONFIG_STACK_COLOUR))
		kc_write(&colouring, !!on);
	return was;
}

size_t kc_stack_colour(const struct kc_stack *stack)
{
	uint32_t page = (uint32_t)((uintptr_t)stack->base >> 12);

	if (!IS_ENABLED(CONFIG_STACK_COLOUR) || !kc_read(&colouring) ||
	    stack->size < 8 * COLOURS * COLOUR_STEP)
		return 0;
	/* by the golden ratio: neighbours lie far apart, whatever the distance of stacks */
	return (page * 2654435769u >> (32 - COLOUR_BITS)) * COLOUR_STEP;
}

struct kcoro *kc_stack_place(const struct kc_stack *stack, size_t colour)
{
	uintptr_t top = (uintptr_t)stack->base + stack->size;

	return (struct kcoro *)kc_align_down(top - sizeof(struct kcoro) - colour, KC_CO_ALIGN);
}

const struct kcoro *kc_stack_tenant(const struct kc_stack *stack)
{
	for (size_t colour = 0; colour < COLOURS * COLOUR_STEP; colour += COLOUR_STEP) {
		const struct kcoro *co = kc_stack_place(stack, colour);

		if (co->stack.base == stack->base && co->stack.size == stack->size &&
		    co->head.state <= (uint32_t)KC_ST_RESUMING)
			return co;
		if (!IS_ENABLED(CONFIG_STACK_COLOUR))
			break;
	}
	return NULL;
}
