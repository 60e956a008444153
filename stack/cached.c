// SPDX-License-Identifier: MIT
/*
 * Reuse: the last one released is the first one taken.
 *
 * The stacks at rest are in an array of their own, not linked through their memory: a crowd of
 * them is in no cache and in no TLB, and an array tells which ones to fetch before they are needed.
 */
#include <stdlib.h>

#include <internal/compiler.h>
#include <internal/stack.h>

/* how far to look for the right size; programs use one or two sizes */
#define REACH	16
/* a burst takes this one soon */
#define AHEAD	6

#ifdef CONFIG_STACK_STATIC
static struct kc_stack_rest all[CONFIG_STACK_STATIC_COUNT];

static void make_room(struct kc_stack_pool *pool)
{
	pool->cache = all;
	pool->room = CONFIG_STACK_STATIC_COUNT;
}

static void drop_room(struct kc_stack_pool *pool)
{
	(void)pool;
}
#else
/* failure is bearable: what has no room here goes back to where it came from */
static void make_room(struct kc_stack_pool *pool)
{
	unsigned long room = pool->room ? pool->room * 2 : 64;
	struct kc_stack_rest *cache;

	if (pool->room >= CONFIG_STACK_CACHE_MAX)
		return;
	cache = realloc(pool->cache, room * sizeof(*cache));
	if (cache) {
		pool->cache = cache;
		pool->room = room;
	}
}

static void drop_room(struct kc_stack_pool *pool)
{
	free(pool->cache);
	pool->cache = NULL;
	pool->room = 0;
}
#endif

int kc_stack_get(struct kc_stack_pool *pool, size_t size, struct kc_stack *out)
{
	unsigned long n = pool->ncached, least = n > REACH ? n - REACH : 0;

	for (unsigned long i = n; i-- > least;) {
		struct kc_stack_rest *rest = &pool->cache[i];

		if (rest->stack.size < size || rest->stack.size / 2 >= size)
			continue;	/* too small, or a waste */
		*out = rest->stack;
		pool->ncached = --n;
		for (; i < n; i++)
			pool->cache[i] = pool->cache[i + 1];
		if (n >= AHEAD)
			kc_prefetch(pool->cache[n - AHEAD].top, 0);
		return 0;
	}
	/* here, as the end of a coroutine allocates nothing */
	if (pool->nmem >= pool->room)
		make_room(pool);
	return kc_stackmem_get(pool, size, out);
}

void kc_stack_put(struct kc_stack_pool *pool, const struct kc_stack *stack, void *top)
{
	if (kc_unlikely(pool->ncached >= CONFIG_STACK_CACHE_MAX || pool->ncached == pool->room)) {
		kc_stackmem_put(pool, stack);
		return;
	}
	pool->cache[pool->ncached++] = (struct kc_stack_rest){ .stack = *stack, .top = top };
}

int kc_stack_trim(struct kc_stack_pool *pool, unsigned long keep)
{
	int n = 0;

	for (; pool->ncached > keep; n++)
		kc_stackmem_put(pool, &pool->cache[--pool->ncached].stack);
	if (!pool->nmem)
		drop_room(pool);
	return n;
}
