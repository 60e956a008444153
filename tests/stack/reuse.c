// SPDX-License-Identifier: MIT
/* What becomes of the stacks of ended coroutines. */
#include "stack_test.h"

KTEST_SUITE(stack, .init = common_init, .timeout = 30);

#define NEED_CACHE()	KTEST_REQUIRES(HAVE_CACHE, "needs STACK_CACHED")

KTEST(stack, reuse_is_lifo)
{
	void *low[8];
	kcoro_t *co[8];

	NEED_CACHE();
	for (int i = 0; i < 8; i++) {
		co[i] = make(body_nothing, NULL);
		low[i] = low_end(co[i]);
	}
	for (int i = 0; i < 8; i++) {
		EXPECT_EQ(kcoro_resume(co[i]), 0);
		EXPECT_EQ(kcoro_destroy(co[i]), 0);
		EXPECT_EQ(cached_stacks(), i + 1);
	}
	for (int i = 7; i >= 0; i--) {
		co[i] = make(body_nothing, NULL);
		EXPECT_PTR_EQ(low_end(co[i]), low[i]);
		EXPECT_EQ(cached_stacks(), i);
	}
	for (int i = 0; i < 8; i++) {
		EXPECT_EQ(kcoro_resume(co[i]), 0);
		EXPECT_EQ(kcoro_destroy(co[i]), 0);
	}
}

KTEST(stack, waste_is_not_reused)
{
	kcoro_t *large, *small;

	NEED_CACHE();
	KTEST_REQUIRES(MEMORY != STATIC, "static stacks have one size");
	large = kcoro_create(body_nothing, NULL, 1 << 20);
	ASSERT_NOT_NULL(large);
	EXPECT_EQ(kcoro_destroy(large), 0);
	small = kcoro_create(body_nothing, NULL, 65536);
	ASSERT_NOT_NULL(small);
	EXPECT_EQ(cached_stacks(), 1);		/* the megabyte waits for its like */
	large = kcoro_create(body_nothing, NULL, (1 << 20) - 9000);
	ASSERT_NOT_NULL(large);
	EXPECT_EQ(cached_stacks(), 0);
	EXPECT_EQ(kcoro_destroy(large), 0);
	EXPECT_EQ(kcoro_destroy(small), 0);
}

KTEST(stack, cache_limit_and_trim)
{
	unsigned long n = at_most(at_most(CACHE_MAX, 10000) + 100, MAX_LIVE), kept;
	kcoro_t **co = calloc(n + 1, sizeof(*co));

	NEED_CACHE();
	if (strcmp(ktest_runner(), "native"))
		n = at_most(n, 200);
	kept = at_most(n, CACHE_MAX);
	for (unsigned long i = 0; i < n; i++)
		co[i] = make(body_nothing, NULL);
	EXPECT_EQ(cached_stacks(), 0);
	for (unsigned long i = 0; i < n; i++)
		ASSERT_EQ(kcoro_destroy(co[i]), 0);
	EXPECT_EQ(cached_stacks(), kept);
	EXPECT_EQ(kcoro_stack_trim(UINT32_MAX), 0);
	EXPECT_EQ(kcoro_stack_trim(10), kept - 10);
	EXPECT_EQ(cached_stacks(), 10);
	EXPECT_EQ(kcoro_stack_trim(10), 0);
	/* what is left is good, and so is what comes anew */
	for (unsigned long i = 0; i < 16; i++) {
		co[i] = make(body_nothing, NULL);
		EXPECT_EQ(kcoro_resume(co[i]), 0);
	}
	EXPECT_EQ(kcoro_stack_trim(0), 0);
	for (unsigned long i = 0; i < 16; i++)
		ASSERT_EQ(kcoro_destroy(co[i]), 0);
	EXPECT_EQ(kcoro_stack_trim(0), 16);
	EXPECT_EQ(cached_stacks(), 0);
	free(co);
}

static void body_dirty(void *arg)
{
	volatile char deep[1500];

	for (size_t i = 0; i < sizeof(deep); i++)
		deep[i] = 0x77;
	(void)arg;
	kcoro_yield();
}

KTEST(stack, zero_state_on_recycled)
{
	struct job job = { .steps = 0 };
	uint64_t id;
	kcoro_t *co;

	for (int i = 0; i < 3; i++) {
		co = make(body_dirty, &job);
		kcoro_set_name(co, "predecessor");
		EXPECT_EQ(kcoro_resume(co), 0);
		EXPECT_EQ(kcoro_unpark(co), 0);		/* a wake it never takes */
		EXPECT_PTR_EQ(kcoro_get(co), co);
		kcoro_put(co);
		id = kcoro_id(co);
		EXPECT_EQ(kcoro_destroy(co), 0);

		co = make(body_park, NULL);
		EXPECT_STREQ(STATE(co), "CREATED");
		EXPECT_STREQ(kcoro_name(co), "");
		EXPECT_GT(kcoro_id(co), id);
		EXPECT_EQ(kcoro_resume(co), 0);
		EXPECT_STREQ(STATE(co), "PARKED");	/* not woken by the old wake */
		EXPECT_EQ(kcoro_destroy(co), 0);	/* one reference, not two */
	}
}

static void body_fill(void *arg)
{
	volatile char frame[1024];

	for (size_t i = 0; i < sizeof(frame); i++)
		frame[i] = (char)0xee;
	(void)arg;
}

static void body_stand(void *arg)
{
	struct job *job = arg;
	volatile unsigned char mine[256];
	/* not the address of a local, which ASan may keep elsewhere */
	char *here = __builtin_frame_address(0);
	char *low = low_end(job->self), *high = high_end(job->self);
	kcoro_t *co[8];

	for (int i = 0; i < 256; i++)
		mine[i] = (unsigned char)i;
	EXPECT_TRUE(here >= low && here < high);
	kcoro_put(job->self);			/* the last reference, on its own stack */
	for (int round = 0; round < 4; round++) {
		kcoro_reclaim();
		kcoro_stack_trim(0);
		for (int i = 0; i < 8; i++) {	/* each creation is a drain */
			co[i] = make(body_fill, NULL);
			EXPECT_TRUE((char *)high_end(co[i]) < low || (char *)low_end(co[i]) > high);
			EXPECT_EQ(kcoro_resume(co[i]), 0);
		}
		for (int i = 0; i < 8; i++)
			kcoro_put(co[i]);
	}
	for (int i = 0; i < 256; i++)
		EXPECT_EQ(mine[i], i);
	job->steps++;
}

KTEST(stack, finished_stack_not_reused_while_standing)
{
	struct job job = { .steps = 0 };

	for (int i = 0; i < 10; i++) {
		job.self = make(body_stand, &job);
		EXPECT_EQ(kcoro_resume(job.self), 0);
		EXPECT_EQ(job.steps, i + 1);
		/* its own end did not take it either; from here it goes */
		EXPECT_EQ(live_coroutines(), 1);
		EXPECT_EQ(kcoro_reclaim(), 1);
	}
}

static void *thread_pool(void *arg)
{
	struct job *job = arg;
	kcoro_t *co;

	ASSERT_NOT_NULL(kcoro_create_main());
	EXPECT_EQ(cached_stacks(), 0);
	co = make(body_nothing, NULL);
	job->steps = (void *)low_end(co) != (void *)job->value;
	EXPECT_EQ(kcoro_destroy(co), 0);
	EXPECT_EQ(cached_stacks(), 1);
	return NULL;
}

KTEST(stack, per_thread_pools)
{
	struct job job = { .steps = 0 };
	kcoro_t *co;

	NEED_THREADS();
	NEED_CACHE();
	co = make(body_nothing, NULL);
	job.value = (long)(uintptr_t)low_end(co);
	EXPECT_EQ(kcoro_destroy(co), 0);
	EXPECT_EQ(cached_stacks(), 1);
	run_thread(thread_pool, &job);
	EXPECT_EQ(job.steps, 1);		/* not the one that waits here */
	EXPECT_EQ(cached_stacks(), 1);
	co = make(body_nothing, NULL);
	EXPECT_EQ((long)(uintptr_t)low_end(co), job.value);
	EXPECT_EQ(kcoro_destroy(co), 0);
}

KTEST(stack, colouring_spreads_and_switches)
{
	unsigned long n = at_most(64, MAX_LIVE);
	unsigned char seen[64] = { 0 };
	kcoro_t *co[64], *later[2];
	int colours = 0;

	EXPECT_EQ(kcoro_stack_colouring(1), HAVE_COLOUR);
	KTEST_REQUIRES(HAVE_COLOUR, "needs STACK_COLOUR");
	KTEST_REQUIRES(MEMORY == MAPPED, "only mapped stacks all end alike");
	for (unsigned long i = 0; i < n; i++) {
		co[i] = make(body_nothing, NULL);
		seen[(uintptr_t)high_end(co[i]) % 4096 / 64] = 1;
	}
	for (int i = 0; i < 64; i++)
		colours += seen[i];
	EXPECT_GE(colours, 8);
	EXPECT_EQ(kcoro_stack_colouring(0), 1);
	EXPECT_EQ(kcoro_stack_colouring(0), 0);
	for (int i = 0; i < 2; i++)
		later[i] = make(body_nothing, NULL);
	EXPECT_EQ((uintptr_t)high_end(later[0]) % 4096, (uintptr_t)high_end(later[1]) % 4096);
	/* those of before stay where they are, and run */
	for (unsigned long i = 0; i < n; i++) {
		EXPECT_TRUE(seen[(uintptr_t)high_end(co[i]) % 4096 / 64]);
		EXPECT_EQ(kcoro_resume(co[i]), 0);
		EXPECT_EQ(kcoro_destroy(co[i]), 0);
	}
	for (int i = 0; i < 2; i++)
		EXPECT_EQ(kcoro_destroy(later[i]), 0);
	EXPECT_EQ(kcoro_stack_colouring(1), 0);
	/* recycled stacks get their colour again */
	memset(seen, 0, sizeof(seen));
	for (unsigned long i = 0; i < n; i++) {
		co[i] = make(body_nothing, NULL);
		seen[(uintptr_t)high_end(co[i]) % 4096 / 64] = 1;
	}
	colours = 0;
	for (int i = 0; i < 64; i++)
		colours += seen[i];
	EXPECT_GE(colours, 8);
	for (unsigned long i = 0; i < n; i++)
		EXPECT_EQ(kcoro_destroy(co[i]), 0);
}
