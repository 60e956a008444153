// SPDX-License-Identifier: MIT
/*
 * The chain of frame pointers, which perf and other profilers follow. The build compiles this
 * file with frame pointers.
 */
#include "arch_test.h"

ARCH_SUITE();

#define LINKS	32

static struct {
	uintptr_t low, high;	/* the stack */
	uintptr_t link[LINKS];
	int n;
	bool ended;
} chain;

/* where a frame keeps its caller's frame pointer, counted in words from its own */
#ifdef __riscv
#define CALLER	-2
#else
#define CALLER	0
#endif

static bool on_stack(uintptr_t fp)
{
	return fp >= chain.low + 16 && fp <= chain.high - 16 && fp % sizeof(fp) == 0;
}

static NOINLINE int walk(int depth)
{
	uintptr_t fp = (uintptr_t)__builtin_frame_address(0);

	if (depth)
		return walk(depth - 1) + 1;
	while (chain.n < LINKS && (fp == chain.high || on_stack(fp))) {
		chain.link[chain.n++] = fp;
		fp = ((uintptr_t *)fp)[CALLER];
	}
	chain.ended = fp == 0;
	return 0;
}

static void walks(void *arg)
{
	*(int *)arg = walk(3);
}

KTEST(arch, frame_pointers_end_at_entry)
{
	void *low, *high;
	struct test_co t;
	int depth = 0;

	KTEST_REQUIRES(!IS_ENABLED(CONFIG_SWITCH_UCONTEXT), "makecontext() does not end the chain");
	test_co_make(&t, walks, &depth);
	ASSERT_EQ(kcoro_stack_bounds(t.co, &low, &high), 0);
	chain.low = (uintptr_t)low;
	chain.high = (uintptr_t)high;
	EXPECT_EQ(kcoro_resume(t.co), 0);
	EXPECT_EQ(depth, 3);
	EXPECT_TRUE(chain.ended);
	/* walk() four times, walks() and the library's first function at least */
	EXPECT_GE(chain.n, 6);
	EXPECT_LT(chain.n, 10);
	for (int i = 1; i < chain.n; i++)
		EXPECT_GT(chain.link[i], chain.link[i - 1]);
	test_co_free(&t);
}
