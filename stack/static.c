// SPDX-License-Identifier: MIT
/* Stacks from an array fixed at build time: no malloc(), no mmap(). */
#include <errno.h>

#include <internal/compiler.h>
#include <internal/stack.h>

#define SIZE	((CONFIG_STACK_DEFAULT_SIZE + 63) & ~63)

static char stacks[CONFIG_STACK_STATIC_COUNT][SIZE] __attribute__((aligned(64)));
static unsigned short unused[CONFIG_STACK_STATIC_COUNT];	/* indices given back */
static unsigned int nunused;
static unsigned int touched;	/* stacks handed out at least once: a prefix of the array */

size_t kc_stackmem_round(size_t size)
{
	return size <= SIZE ? SIZE : 0;
}

int kc_stackmem_get(struct kc_stack_pool *pool, size_t size, struct kc_stack *out)
{
	unsigned int i;

	if (nunused)
		i = unused[--nunused];
	else if (touched < CONFIG_STACK_STATIC_COUNT)
		i = touched++;
	else
		return -ENOMEM;
	*out = (struct kc_stack){ .base = stacks[i], .size = size };
	pool->nmem++;
	return 0;
}

void kc_stackmem_put(struct kc_stack_pool *pool, const struct kc_stack *stack)
{
	unused[nunused++] = (unsigned short)((size_t)(stack->base - stacks[0]) / SIZE);
	pool->nmem--;
}

void kc_stackmem_fini(struct kc_stack_pool *pool)
{
	(void)pool;
}
