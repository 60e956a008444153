// SPDX-License-Identifier: MIT
/* Stacks that are resident from the start: a mapping each, populated. */
#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>

#include <internal/compiler.h>
#include <internal/stack.h>

size_t kc_stackmem_round(size_t size)
{
	return size > SIZE_MAX / 2 ? 0 : kc_align_up(size, 4096);
}

int kc_stackmem_get(struct kc_stack_pool *pool, size_t size, struct kc_stack *out)
{
	char *base = mmap(NULL, size, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (base == MAP_FAILED)
		return -errno;
	*out = (struct kc_stack){ .base = base, .size = size };
	pool->nmem++;
	return 0;
}

void kc_stackmem_put(struct kc_stack_pool *pool, const struct kc_stack *stack)
{
	munmap(stack->base, stack->size);
	pool->nmem--;
}

void kc_stackmem_fini(struct kc_stack_pool *pool)
{
	(void)pool;
}
