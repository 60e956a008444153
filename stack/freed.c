// SPDX-License-Identifier: MIT
/* No reuse: memory goes back as soon as nobody stands on it. */
#include <internal/stack.h>

int kc_stack_get(struct kc_stack_pool *pool, size_t size, struct kc_stack *out)
{
	return kc_stackmem_get(pool, size, out);
}

void kc_stack_put(struct kc_stack_pool *pool, const struct kc_stack *stack, void *top)
{
	(void)top;
	kc_stackmem_put(pool, stack);
}

int kc_stack_trim(struct kc_stack_pool *pool, unsigned long keep)
{
	(void)pool, (void)keep;
	return 0;
}
