// SPDX-License-Identifier: MIT
/* Reuse: a list per thread, the last one released is the first one taken. */
#include <internal/compiler.h>
#include <internal/stack.h>

/* how far to look for the right size; programs use one or two sizes */
#define REACH	16

int kc_stack_get(struct kc_stack_pool *pool, size_t size, struct kc_stack *out)
{
	struct kc_stack_node **link = &pool->cache;
	struct kc_stack_node *node;

	for (int i = 0; (node = *link) && i < REACH; link = &node->next, i++) {
		if (node->stack.size < size || node->stack.size / 2 >= size)
			continue;	/* too small, or a waste */
		*link = node->next;
		__builtin_prefetch(node->next);	/* a burst takes it soon */
		pool->ncached--;
		*out = node->stack;
		return 0;
	}
	return kc_stackmem_get(pool, size, out);
}

void kc_stack_put(struct kc_stack_pool *pool, const struct kc_stack *stack,
		  struct kc_stack_node *spare)
{
	if (kc_unlikely(pool->ncached >= CONFIG_STACK_CACHE_MAX)) {
		kc_stackmem_put(pool, stack);
		return;
	}
	spare->stack = *stack;
	spare->next = pool->cache;
	pool->cache = spare;
	pool->ncached++;
}

int kc_stack_trim(struct kc_stack_pool *pool, unsigned long keep)
{
	int n = 0;

	while (pool->ncached > keep) {
		struct kc_stack stack = pool->cache->stack;

		pool->cache = pool->cache->next;
		pool->ncached--;
		kc_stackmem_put(pool, &stack);
		n++;
	}
	return n;
}
