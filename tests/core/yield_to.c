// SPDX-License-Identifier: MIT
/* Yield_to: straight to another coroutine, which takes over the way back. */
#include "common.h"

KTEST_SUITE(core, .init = common_init, .timeout = 30);

static int order[16], norder;

static void body_pass_on(void *arg)
{
	struct job *job = arg;

	order[norder++] = (int)job->value;
	if (job->other)
		EXPECT_EQ(kcoro_yield_to(job->other), 0);
	order[norder++] = (int)job->value + 10;
}

KTEST(core, yield_to_direct)
{
	struct job a = { .value = 1 }, b = { .value = 2 };

	b.self = make(body_pass_on, &b);
	a.self = make(body_pass_on, &a);
	a.other = b.self;
	EXPECT_EQ(kcoro_resume(a.self), 0);	/* a, then b to its end, then here */
	EXPECT_EQ(norder, 3);
	EXPECT_EQ(order[0], 1);
	EXPECT_EQ(order[1], 2);
	EXPECT_EQ(order[2], 12);
	EXPECT_STREQ(STATE(a.self), "SUSPENDED");
	EXPECT_STREQ(STATE(b.self), "FINISHED");
	EXPECT_EQ(kcoro_yield_to(a.self), 0);	/* from main, as a resume */
	EXPECT_EQ(order[3], 11);
	EXPECT_STREQ(STATE(a.self), "FINISHED");
	EXPECT_EQ(kcoro_destroy(a.self), 0);
	EXPECT_EQ(kcoro_destroy(b.self), 0);
}

static void body_bad_yield_to(void *arg)
{
	struct job *job = arg;

	EXPECT_ERR(kcoro_yield_to(NULL), EINVAL);
	EXPECT_EQ(kcoro_yield_to(job->self), 0);
	EXPECT_ERR(kcoro_yield_to(job->other), EAGAIN);	/* parked */
	EXPECT_STREQ(STATE(job->self), "RUNNING");
	job->steps++;
}

static void body_yield_to_main(void *arg)
{
	EXPECT_ERR(kcoro_yield_to(arg), EBUSY);
}

KTEST(core, yield_to_refused)
{
	struct job job = { .other = make(body_park, NULL) };
	kcoro_t *done = make(body_nothing, NULL), *outer;
	struct job up = { .self = make(body_yield_to_main, kcoro_current()) };

	kcoro_resume(job.other);
	kcoro_resume(done);
	job.self = make(body_bad_yield_to, &job);
	EXPECT_EQ(kcoro_resume(job.self), 0);
	EXPECT_EQ(job.steps, 1);
	EXPECT_ERR(kcoro_yield_to(done), ESRCH);
	EXPECT_ERR(kcoro_yield_to(NULL), EINVAL);
	EXPECT_EQ(kcoro_yield_to(kcoro_current()), 0);
	/* main waits further up: it is not the return target of the inner one */
	outer = make(body_resume_job, &up);
	EXPECT_EQ(kcoro_resume(outer), 0);
	EXPECT_EQ(kcoro_destroy(outer), 0);
	EXPECT_EQ(kcoro_destroy(up.self), 0);
	EXPECT_EQ(kcoro_destroy(done), 0);
	EXPECT_EQ(kcoro_destroy(job.self), 0);
	EXPECT_EQ(kcoro_destroy(job.other), 0);
}

static const struct {
	const char *desc;
	kcoro_fn fn;
	const char *state;
} last_links[] = {
	{ "ends", body_nothing, "FINISHED" },
	{ "yields", body_yield_forever, "SUSPENDED" },
	{ "parks", body_park, "PARKED" },
};

KTEST_PARAM(core, yield_to_hands_return_target_along, last_links)
{
	enum { N = 10 };
	kcoro_t *last = make(param->fn, NULL), *resumer;
	struct job job[N];

	for (int i = N - 1; i >= 0; i--) {
		job[i] = (struct job){ .value = i, .other = i < N - 1 ? job[i + 1].self : last };
		job[i].self = make(body_pass_on, &job[i]);
	}
	/* from the last one control goes to whoever resumed the first one, and to its end */
	resumer = make(body_resume_job, &job[0]);
	EXPECT_EQ(kcoro_resume(resumer), 0);
	EXPECT_STREQ(STATE(resumer), "FINISHED");
	EXPECT_STREQ(STATE(last), param->state);
	EXPECT_EQ(norder, N);
	for (int i = 0; i < N; i++) {
		EXPECT_EQ(order[i], i);
		EXPECT_STREQ(STATE(job[i].self), "SUSPENDED");
		EXPECT_EQ(kcoro_destroy(job[i].self), 0);
	}
	EXPECT_EQ(kcoro_destroy(resumer), 0);
	EXPECT_EQ(kcoro_destroy(last), 0);
}

KTEST(core, yield_to_ready)
{
	struct job job = { .value = 1, .other = make(body_park, NULL) };

	EXPECT_EQ(kcoro_resume(job.other), 0);
	EXPECT_EQ(kcoro_unpark(job.other), 1);
	job.self = make(body_pass_on, &job);
	EXPECT_EQ(kcoro_resume(job.self), 0);	/* a woken one takes over the way back, too */
	EXPECT_EQ(norder, 1);
	EXPECT_STREQ(STATE(job.other), "FINISHED");
	EXPECT_STREQ(STATE(job.self), "SUSPENDED");
	EXPECT_EQ(kcoro_destroy(job.self), 0);
	EXPECT_EQ(kcoro_destroy(job.other), 0);
}

static void body_yield_to_back(void *arg)
{
	struct job *job = arg;

	for (;;) {
		job->steps++;
		EXPECT_EQ(kcoro_yield_to(job->other), 0);
	}
}

KTEST(core, yield_to_return_target)
{
	struct job job = { .other = kcoro_current() };

	job.self = make(body_yield_to_back, &job);
	for (int i = 1; i < 10; i++) {
		EXPECT_EQ(kcoro_resume(job.self), 0);
		EXPECT_EQ(job.steps, i);
		EXPECT_STREQ(STATE(job.self), "SUSPENDED");
		EXPECT_STREQ(STATE(job.other), "RUNNING");
	}
	EXPECT_EQ(kcoro_destroy(job.self), 0);
}
