// SPDX-License-Identifier: MIT
/* References, the retire queue and its drains. */
#include "common.h"

KTEST_SUITE(core, .init = common_init, .timeout = 30);

static struct kcoro_stats stats(void)
{
	struct kcoro_stats st;

	kcoro_get_stats(&st);
	return st;
}

KTEST(core, get_put)
{
	kcoro_t *co = make(body_yield_forever, NULL);

	/* the creator's is the only reference */
	EXPECT_PTR_EQ(kcoro_get(co), co);
	EXPECT_ERR(kcoro_destroy(co), EBUSY);
	kcoro_put(co);
	EXPECT_EQ(kcoro_destroy(co), 0);

	co = make(body_yield_forever, NULL);
	kcoro_resume(co);
	for (int i = 0; i < 1000; i++)
		ASSERT_PTR_EQ(kcoro_get(co), co);
	for (int i = 0; i < 1000; i++)
		kcoro_put(co);
	EXPECT_EQ(stats().retired, 0);
	EXPECT_EQ(kcoro_resume(co), 0);
	kcoro_put(co);				/* the last one retires, it does not free */
	EXPECT_EQ(stats().retired, 1);
	EXPECT_EQ(stats().live, 1);
	EXPECT_EQ(kcoro_reclaim(), 1);
	EXPECT_EQ(stats().live, 0);
	EXPECT_EQ(kcoro_reclaim(), 0);
	kcoro_put(NULL);
}

KTEST(core, no_get_after_last_put)
{
	static char mem[OWN_STACK];
	kcoro_t *co = kcoro_create_on(body_nothing, NULL, mem, sizeof(mem));

	ASSERT_NOT_NULL(co);
	kcoro_put(co);
	EXPECT_NULL(kcoro_get(co));		/* retired: nobody brings it back */
	EXPECT_EQ(kcoro_reclaim(), 1);
}

KTEST(core, put_drains_by_batch)
{
	enum { BATCH = KC_CONFIG_RETIRE_BATCH };
	kcoro_t *co[BATCH];

	KTEST_REQUIRES(BATCH > 1 && BATCH <= MAX_LIVE, "needs RETIRE_BATCH coroutines at a time");
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < BATCH; i++)
			co[i] = make(body_nothing, NULL);
		for (int i = 0; i < BATCH - 1; i++) {
			kcoro_put(co[i]);
			ASSERT_EQ(stats().retired, i + 1);
		}
		EXPECT_EQ(stats().live, BATCH);
		kcoro_put(co[BATCH - 1]);
		EXPECT_EQ(stats().retired, 0);
		EXPECT_EQ(stats().live, 0);
	}
}

KTEST(core, create_drains)
{
	kcoro_t *co = make(body_nothing, NULL);

	kcoro_put(co);
	EXPECT_EQ(stats().live, 1);
	co = make(body_nothing, NULL);
	EXPECT_EQ(stats().live, 1);
	EXPECT_EQ(stats().retired, 0);
	EXPECT_EQ(kcoro_destroy(co), 0);
}

static void body_put_other(void *arg)
{
	kcoro_put(arg);
	EXPECT_EQ(stats().retired, 1);
}

KTEST(core, finish_drains)
{
	kcoro_t *other = make(body_nothing, NULL);
	kcoro_t *co = make(body_put_other, other);

	EXPECT_EQ(kcoro_resume(co), 0);
	EXPECT_EQ(stats().retired, 0);
	EXPECT_EQ(stats().live, 1);
	EXPECT_EQ(kcoro_destroy(co), 0);
}

static void body_inner(void *arg)
{
	struct job *job = arg;

	/* the resumer has no reference left, but waits in its resume */
	EXPECT_EQ(kcoro_reclaim(), 0);
	EXPECT_STREQ(STATE(job->self), "SUSPENDED");
	job->steps++;
}

static void body_put_self(void *arg)
{
	struct job *job = arg;
	volatile long canary = 0x5eed;
	kcoro_t *inner;

	kcoro_put(job->self);
	EXPECT_EQ(stats().retired, 1);
	EXPECT_EQ(kcoro_reclaim(), 0);
	EXPECT_EQ(stats().retired, 1);
	inner = make(body_inner, job);		/* drains as well */
	EXPECT_EQ(kcoro_resume(inner), 0);
	EXPECT_EQ(kcoro_destroy(inner), 0);
	EXPECT_STREQ(STATE(job->self), "RUNNING");
	EXPECT_EQ(canary, 0x5eed);
	job->steps++;
}

KTEST(core, put_inside_running_coroutine)
{
	struct job job = { .steps = 0 };

	job.self = make(body_put_self, &job);
	EXPECT_EQ(kcoro_resume(job.self), 0);
	EXPECT_EQ(job.steps, 2);
	/* finished and left: now it may go, once */
	EXPECT_EQ(stats().live, 1);
	EXPECT_EQ(kcoro_reclaim(), 1);
	EXPECT_EQ(stats().live, 0);
	EXPECT_EQ(kcoro_reclaim(), 0);
}

static void body_put_and_yield(void *arg)
{
	struct job *job = arg;

	kcoro_put(job->self);
	kcoro_yield();
	job->steps++;
}

KTEST(core, put_then_yield)
{
	struct job job = { .steps = 0 };

	job.self = make(body_put_and_yield, &job);
	EXPECT_EQ(kcoro_resume(job.self), 0);
	EXPECT_EQ(stats().retired, 1);
	EXPECT_EQ(kcoro_reclaim(), 1);		/* off the CPU and unreferenced: gone for good */
	EXPECT_EQ(stats().live, 0);
	EXPECT_EQ(job.steps, 0);
}

/* a storm of short coroutines that are put, never destroyed: what waits is bounded */
KTEST(core, storm_is_bounded)
{
	unsigned long n = ktest_iterations(100000), most = 0;

	if (HAVE_SANITIZER)
		n = at_most(n, 5000);
	for (unsigned long i = 0; i < n; i++) {
		kcoro_t *co = make(body_nothing, NULL);

		kcoro_resume(co);
		kcoro_put(co);
		if (stats().live > most)
			most = stats().live;
	}
	EXPECT_LE(most, KC_CONFIG_RETIRE_BATCH);
	kcoro_reclaim();
	EXPECT_EQ(stats().live, 0);
	EXPECT_EQ(stats().retired, 0);
}
