// SPDX-License-Identifier: MIT
/* Park, unpark, and the table of legal steps. */
#include "common.h"

KTEST_SUITE(core, .init = common_init, .timeout = 30);

static void body_parks(void *arg)
{
	struct job *job = arg;

	for (;;) {
		EXPECT_EQ(kcoro_park(), 0);
		EXPECT_STREQ(STATE(job->self), "RUNNING");
		job->steps++;
	}
}

KTEST(core, park_and_unpark)
{
	struct job job = { .steps = 0 };

	job.self = make(body_parks, &job);
	EXPECT_EQ(kcoro_resume(job.self), 0);
	for (int i = 0; i < 100; i++) {
		EXPECT_STREQ(STATE(job.self), "PARKED");
		EXPECT_ERR(kcoro_resume(job.self), EAGAIN);
		EXPECT_ERR(kcoro_yield_to(job.self), EAGAIN);
		EXPECT_EQ(job.steps, i);
		EXPECT_EQ(kcoro_unpark(job.self), 1);
		/* nobody runs it by itself, and one wake makes it ready once */
		EXPECT_STREQ(STATE(job.self), "READY");
		EXPECT_EQ(job.steps, i);
		EXPECT_EQ(i % 2 ? kcoro_yield_to(job.self) : kcoro_resume(job.self), 0);
		EXPECT_EQ(job.steps, i + 1);
	}
	EXPECT_EQ(kcoro_destroy(job.self), 0);
}

static void body_yield_then_park(void *arg)
{
	struct job *job = arg;

	kcoro_yield();
	kcoro_park();
	job->steps++;
	kcoro_park();
	job->steps++;
}

KTEST(core, unpark_before_park_is_kept)
{
	struct job job = { .steps = 0 };
	kcoro_t *co = make(body_yield_then_park, &job);

	EXPECT_EQ(kcoro_unpark(co), 0);
	EXPECT_STREQ(STATE(co), "CREATED");
	EXPECT_EQ(kcoro_resume(co), 0);
	EXPECT_STREQ(STATE(co), "SUSPENDED");
	EXPECT_EQ(kcoro_unpark(co), 0);		/* the second and third are the same wake */
	EXPECT_EQ(kcoro_unpark(co), 0);
	EXPECT_STREQ(STATE(co), "SUSPENDED");
	EXPECT_EQ(kcoro_resume(co), 0);
	EXPECT_EQ(job.steps, 1);		/* past the first park, in the second */
	EXPECT_STREQ(STATE(co), "PARKED");
	EXPECT_EQ(kcoro_unpark(co), 1);
	EXPECT_EQ(kcoro_resume(co), 0);
	EXPECT_EQ(job.steps, 2);
	EXPECT_ERR(kcoro_unpark(co), ESRCH);
	EXPECT_ERR(kcoro_unpark(NULL), EINVAL);
	EXPECT_EQ(kcoro_destroy(co), 0);
}

static void body_unpark_self(void *arg)
{
	struct job *job = arg;

	EXPECT_EQ(kcoro_unpark(kcoro_current()), 0);
	EXPECT_EQ(kcoro_park(), 0);
	job->steps++;
}

KTEST(core, unpark_oneself)
{
	struct job job = { .steps = 0 };
	kcoro_t *co = make(body_unpark_self, &job);

	EXPECT_EQ(kcoro_resume(co), 0);
	EXPECT_EQ(job.steps, 1);
	EXPECT_STREQ(STATE(co), "FINISHED");
	EXPECT_EQ(kcoro_destroy(co), 0);
}

static void body_to_state(void *arg)
{
	switch (*(const enum kcoro_state *)arg) {
	case KCORO_SUSPENDED:
		kcoro_yield();
		break;
	case KCORO_READY:
	case KCORO_PARKED:
		kcoro_park();
		break;
	default:
		break;
	}
}

static kcoro_t *make_in(enum kcoro_state *state)
{
	kcoro_t *co = make(body_to_state, state);

	if (*state != KCORO_CREATED)
		EXPECT_EQ(kcoro_resume(co), 0);
	if (*state == KCORO_READY)
		EXPECT_EQ(kcoro_unpark(co), 1);
	EXPECT_EQ(kcoro_state(co), *state);
	return co;
}

/* what a call gives for a coroutine in each state, and the state it leaves (-1: the same) */
static const struct {
	const char *desc;
	enum kcoro_state state;
	int resume, yield_to, unpark;
	int after_unpark;
} steps[] = {
	{ "CREATED", KCORO_CREATED, 0, 0, 0, -1 },
	{ "SUSPENDED", KCORO_SUSPENDED, 0, 0, 0, -1 },
	{ "READY", KCORO_READY, 0, 0, 0, -1 },
	{ "PARKED", KCORO_PARKED, -EAGAIN, -EAGAIN, 1, KCORO_READY },
	{ "FINISHED", KCORO_FINISHED, -ESRCH, -ESRCH, -ESRCH, -1 },
};

/* RUNNING is up to the running one itself: resume_refused, yield_to_refused, destroy_refused */
KTEST_PARAM(core, illegal_steps, steps)
{
	enum kcoro_state state = param->state;
	kcoro_t *co = make_in(&state);

	EXPECT_EQ(kcoro_resume(co), param->resume);
	EXPECT_EQ(kcoro_state(co), param->resume ? state : KCORO_FINISHED);
	EXPECT_STREQ(STATE(kcoro_current()), "RUNNING");
	EXPECT_EQ(kcoro_destroy(co), 0);

	co = make_in(&state);
	EXPECT_EQ(kcoro_yield_to(co), param->yield_to);
	EXPECT_EQ(kcoro_state(co), param->yield_to ? state : KCORO_FINISHED);
	EXPECT_STREQ(STATE(kcoro_current()), "RUNNING");
	EXPECT_EQ(kcoro_destroy(co), 0);

	co = make_in(&state);
	EXPECT_EQ(kcoro_unpark(co), param->unpark);
	EXPECT_EQ((int)kcoro_state(co), param->after_unpark < 0 ? (int)state : param->after_unpark);
	EXPECT_EQ(kcoro_destroy(co), 0);
}
