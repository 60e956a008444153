/* SPDX-License-Identifier: MIT */
/* What the suites of the stacks need to know of the configuration. */
#ifndef TESTS_STACK_TEST_H
#define TESTS_STACK_TEST_H

#include "../core/common.h"

enum { MAPPED, HEAP, STATIC };

#ifdef KC_CONFIG_STACK_MAPPED
#define MEMORY	MAPPED
#elif defined(KC_CONFIG_STACK_HEAP)
#define MEMORY	HEAP
#else
#define MEMORY	STATIC
#endif

#ifdef KC_CONFIG_STACK_CACHED
#define HAVE_CACHE	1
#define CACHE_MAX	((unsigned long)KC_CONFIG_STACK_CACHE_MAX)
#else
#define HAVE_CACHE	0
#define CACHE_MAX	0UL
#endif

#define HAVE_COLOUR	IS_ENABLED(CONFIG_STACK_COLOUR)
#define HAVE_HIGHWATER	IS_ENABLED(CONFIG_STACK_HIGHWATER)
#define HAVE_GUARD	(!IS_ENABLED(CONFIG_GUARD_NONE))
#define HAVE_REPORT	IS_ENABLED(CONFIG_GUARD_REPORT)

/* 4 KiB of memory for stack and control block */
#define SMALL_STACK	(4096 + (HAVE_GUARD ? (size_t)sysconf(_SC_PAGESIZE) : 0))

static inline void *low_end(kcoro_t *co)
{
	void *low = NULL;

	ASSERT_EQ(kcoro_stack_bounds(co, &low, NULL), 0);
	return low;
}

static inline void *high_end(kcoro_t *co)
{
	void *high = NULL;

	ASSERT_EQ(kcoro_stack_bounds(co, NULL, &high), 0);
	return high;
}

/* asks the kernel, which costs no death */
static inline bool readable(const void *p)
{
	int fds[2];
	bool yes;

	ASSERT_EQ(pipe(fds), 0);
	yes = write(fds[1], p, 1) == 1;
	close(fds[0]);
	close(fds[1]);
	return yes;
}

static inline unsigned long cached_stacks(void)
{
	struct kcoro_stats st;

	kcoro_get_stats(&st);
	return st.cached;
}

#endif
