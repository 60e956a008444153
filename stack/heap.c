// SPDX-License-Identifier: MIT
/* Stacks from malloc(). */
#include <errno.h>
#include <stdlib.h>

#include <internal/compiler.h>
#include <internal/stack.h>

size_t kc_stackmem_round(size_t size)
{
	return size > SIZE_MAX / 2 ? 0 : kc_align_up(size, 16);
}

int kc_stackmem_get(struct kc_stack_pool *pool, size_t size, struct kc_stack *out)
{
	char *base = malloc(size);

	if (!base)
		return -ENOMEM;
	*out = (struct kc_stack){ .base = base, .size = size };
	pool->nmem++;
	return 0;
}

void kc_stackmem_put(struct kc_stack_pool *pool, const struct kc_stack *stack)
{
	free(stack->base);
	pool->nmem--;
}

void kc_stackmem_fini(struct kc_stack_pool *pool)
{
	(void)pool;
}
