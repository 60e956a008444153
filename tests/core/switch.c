// SPDX-License-Identifier: MIT
/* Resume and yield. */
#include "common.h"

KTEST_SUITE(core, .init = common_init, .timeout = 30);

static void body_look(void *arg)
{
	struct job *job = arg;

	job->seen[0] = STATE(job->other);
	job->seen[1] = STATE(job->self);
	kcoro_yield();
	job->seen[2] = STATE(job->other);
	job->seen[3] = STATE(job->self);
}

KTEST(core, resume_states)
{
	struct job job = { .other = kcoro_current() };

	job.self = make(body_look, &job);
	EXPECT_EQ(kcoro_resume(job.self), 0);
	EXPECT_STREQ(job.seen[0], "SUSPENDED");
	EXPECT_STREQ(job.seen[1], "RUNNING");
	EXPECT_STREQ(STATE(job.other), "RUNNING");
	EXPECT_EQ(kcoro_resume(job.self), 0);
	EXPECT_STREQ(job.seen[2], "SUSPENDED");
	EXPECT_STREQ(job.seen[3], "RUNNING");
	EXPECT_EQ(kcoro_destroy(job.self), 0);
}

KTEST(core, yield_states)
{
	struct job job = { .other = kcoro_current() };

	job.self = make(body_look, &job);
	EXPECT_STREQ(STATE(job.self), "CREATED");
	EXPECT_EQ(kcoro_resume(job.self), 0);
	EXPECT_STREQ(STATE(job.self), "SUSPENDED");
	EXPECT_STREQ(STATE(kcoro_current()), "RUNNING");
	EXPECT_EQ(kcoro_resume(job.self), 0);
	EXPECT_STREQ(STATE(job.self), "FINISHED");
	EXPECT_EQ(kcoro_destroy(job.self), 0);
}

static void body_steps(void *arg)
{
	struct job *job = arg;

	for (;;) {
		job->steps++;
		EXPECT_PTR_EQ(kcoro_current(), job->self);
		EXPECT_EQ(kcoro_yield(), 0);
	}
}

KTEST(core, resume_returns_to_caller)
{
	struct job job = { .steps = 0 };
	kcoro_t *me = kcoro_current();

	job.self = make(body_steps, &job);
	for (int i = 1; i <= 1000; i++) {
		ASSERT_EQ(kcoro_resume(job.self), 0);
		ASSERT_EQ(job.steps, i);
		ASSERT_PTR_EQ(kcoro_current(), me);
	}
	EXPECT_EQ(kcoro_destroy(job.self), 0);
}

static void body_bad_resumes(void *arg)
{
	struct job *job = arg;

	EXPECT_ERR(kcoro_resume(job->self), EBUSY);	/* itself */
	EXPECT_ERR(kcoro_resume(job->other), EBUSY);	/* waits for us */
	EXPECT_PTR_EQ(kcoro_current(), job->self);
	EXPECT_STREQ(STATE(job->self), "RUNNING");
	EXPECT_STREQ(STATE(job->other), "SUSPENDED");
	job->steps = 1;
}

KTEST(core, resume_refused)
{
	struct job job = { .steps = 0 };
	kcoro_t *middle = make(body_resume_job, &job), *parked = make(body_park, NULL);

	job.other = middle;
	job.self = make(body_bad_resumes, &job);
	EXPECT_EQ(kcoro_resume(middle), 0);
	EXPECT_EQ(job.steps, 2);
	EXPECT_ERR(kcoro_resume(middle), ESRCH);
	EXPECT_ERR(kcoro_resume(kcoro_current()), EBUSY);
	EXPECT_ERR(kcoro_resume(NULL), EINVAL);
	EXPECT_EQ(kcoro_resume(parked), 0);
	EXPECT_ERR(kcoro_resume(parked), EAGAIN);
	EXPECT_STREQ(STATE(parked), "PARKED");
	EXPECT_STREQ(STATE(kcoro_current()), "RUNNING");
	EXPECT_EQ(kcoro_destroy(parked), 0);
	EXPECT_EQ(kcoro_destroy(middle), 0);
	EXPECT_EQ(kcoro_destroy(job.self), 0);
}

static void body_main_refused(void *arg)
{
	kcoro_t *main_co = arg;

	EXPECT_ERR(kcoro_resume(main_co), EBUSY);
	EXPECT_STREQ(STATE(main_co), "SUSPENDED");
}

KTEST(core, resume_main_refused)
{
	kcoro_t *co = make(body_main_refused, kcoro_current());

	EXPECT_EQ(kcoro_resume(co), 0);
	EXPECT_EQ(kcoro_destroy(co), 0);
}

struct gen {
	struct gen *inner;
	kcoro_t *co;
	long value, base;
};

/* each level yields 3 values per value of the level below */
static void body_nested(void *arg)
{
	struct gen *g = arg;

	if (!g->inner) {
		for (g->value = 0; g->value < 3; g->value++)
			kcoro_yield();
		return;
	}
	for (kcoro_resume(g->inner->co); kcoro_state(g->inner->co) != KCORO_FINISHED;
	     kcoro_resume(g->inner->co))
		for (int i = 0; i < 3; i++) {
			g->value = g->inner->value * 3 + i;
			kcoro_yield();
		}
}

KTEST(core, nested_generators_return_to_resumer)
{
	struct gen g[4];
	long expected = 0;

	for (int i = 0; i < 4; i++)
		g[i] = (struct gen){ .inner = i ? &g[i - 1] : NULL,
				     .co = make(body_nested, &g[i]) };
	for (kcoro_resume(g[3].co); kcoro_state(g[3].co) != KCORO_FINISHED; kcoro_resume(g[3].co))
		ASSERT_EQ(g[3].value, expected++);
	EXPECT_EQ(expected, 81);
	for (int i = 0; i < 4; i++)
		EXPECT_EQ(kcoro_destroy(g[i].co), 0);
}

KTEST(core, yield_without_resumer)
{
	EXPECT_ERR(kcoro_yield(), EPERM);
	EXPECT_ERR(kcoro_park(), EPERM);
	EXPECT_STREQ(STATE(kcoro_current()), "RUNNING");
}

static void body_finish_deep(void *arg)
{
	struct job *job = arg;

	job->steps++;
}

KTEST(core, finish_never_returns)
{
	struct job job = { .steps = 0 };

	for (int i = 0; i < 100; i++) {
		kcoro_t *co = make(body_finish_deep, &job);

		EXPECT_EQ(kcoro_resume(co), 0);
		EXPECT_EQ(job.steps, i + 1);
		EXPECT_ERR(kcoro_resume(co), ESRCH);
		EXPECT_ERR(kcoro_yield_to(co), ESRCH);
		EXPECT_EQ(kcoro_destroy(co), 0);
	}
}

static void body_locals(void *arg)
{
	struct job *job = arg;
	volatile long a = job->value, b = a * 3, c = a ^ 0x55;
	volatile double d = (double)a / 7;

	for (int i = 0; i < 50; i++) {
		a++, b += 3, c ^= i, d += 1;
		kcoro_yield();
	}
	for (int i = 0; i < 50; i++)
		c ^= i;
	job->steps = a == job->value + 50 && b == (job->value + 50) * 3 &&
		     c == (job->value ^ 0x55) && d > (double)job->value / 7 + 49;
}

KTEST(core, locals_survive_interleaving)
{
	unsigned long n = at_most(100, MAX_LIVE);
	struct job job[100];

	for (unsigned long i = 0; i < n; i++) {
		job[i] = (struct job){ .value = (long)(ktest_rand() >> 8) % 1000000 };
		job[i].self = make(body_locals, &job[i]);
	}
	for (int round = 0; round <= 50; round++)
		for (unsigned long i = 0; i < n; i++)
			ASSERT_EQ(kcoro_resume(job[i].self), 0);
	for (unsigned long i = 0; i < n; i++) {
		EXPECT_EQ(job[i].steps, 1);
		EXPECT_STREQ(STATE(job[i].self), "FINISHED");
		EXPECT_EQ(kcoro_destroy(job[i].self), 0);
	}
}

__attribute__((noinline)) static void create_deep(kcoro_t **co, int *runs, int depth)
{
	volatile char frame[256];

	frame[0] = (char)depth;
	if (depth)
		create_deep(co, runs, depth - 1);
	else
		*co = make(body_count, runs);
	frame[255] = frame[0];
}

static void body_creator(void *arg)
{
	struct job *job = arg;

	job->other = make(body_count, &job->steps);
}

KTEST(core, creation_order_independent_of_creator_frame)
{
	struct job job = { .steps = 0 };
	kcoro_t *co, *creator;

	/* run after the frame, and after the coroutine, that created it are gone */
	create_deep(&co, &job.steps, 10);
	creator = make(body_creator, &job);
	EXPECT_EQ(kcoro_resume(creator), 0);
	EXPECT_EQ(kcoro_destroy(creator), 0);
	EXPECT_EQ(kcoro_resume(job.other), 0);
	EXPECT_EQ(kcoro_resume(co), 0);
	EXPECT_EQ(job.steps, 2);
	EXPECT_EQ(kcoro_destroy(co), 0);
	EXPECT_EQ(kcoro_destroy(job.other), 0);
}
