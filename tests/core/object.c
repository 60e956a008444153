// SPDX-License-Identifier: MIT
/* The coroutine as an object: creation, identity, name and end. */
#include "common.h"

KTEST_SUITE(core, .init = common_init, .timeout = 30);

KTEST(core, states_and_names)
{
	static const struct {
		enum kcoro_state state;
		const char *name;
	} all[] = {
		{ KCORO_CREATED, "CREATED" },	  { KCORO_READY, "READY" },
		{ KCORO_RUNNING, "RUNNING" },	  { KCORO_SUSPENDED, "SUSPENDED" },
		{ KCORO_PARKED, "PARKED" },	  { KCORO_FINISHED, "FINISHED" },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		EXPECT_STREQ(kcoro_state_name(all[i].state), all[i].name);
		for (size_t k = 0; k < i; k++)
			EXPECT_NE(all[i].state, all[k].state);
	}
	EXPECT_STREQ(kcoro_state_name((enum kcoro_state)6), "?");
	EXPECT_STREQ(kcoro_state_name((enum kcoro_state)-1), "?");
}

static void body_arg(void *arg)
{
	struct job *job = arg;

	job->steps++;
	job->self = kcoro_current();
}

KTEST(core, fn_runs_once_with_arg)
{
	struct job job = { .steps = 0 };
	kcoro_t *co = make(body_arg, &job);

	EXPECT_EQ(kcoro_resume(co), 0);
	EXPECT_EQ(job.steps, 1);
	EXPECT_PTR_EQ(job.self, co);
	EXPECT_STREQ(STATE(co), "FINISHED");
	EXPECT_ERR(kcoro_resume(co), ESRCH);
	EXPECT_EQ(job.steps, 1);
	EXPECT_EQ(kcoro_destroy(co), 0);
}

KTEST(core, ids_unique_and_rising)
{
	uint64_t last = kcoro_id(kcoro_current());

	EXPECT_NE(last, 0);
	for (int i = 0; i < 1000; i++) {
		kcoro_t *co = make(body_nothing, NULL);

		ASSERT_GT(kcoro_id(co), last);
		last = kcoro_id(co);
		ASSERT_EQ(kcoro_destroy(co), 0);
	}
}

struct id_range {
	uint64_t first, last;
	unsigned long n;
	bool rising;
};

static void *thread_ids(void *arg)
{
	struct id_range *r = arg;
	char *mem = malloc(OWN_STACK);
	uint64_t last;

	if (!mem || !kcoro_create_main())
		return NULL;
	r->rising = true;
	r->first = last = kcoro_id(kcoro_current());
	for (unsigned long i = 0; i < r->n; i++) {
		kcoro_t *co = kcoro_create_on(body_nothing, NULL, mem, OWN_STACK);

		r->rising = r->rising && co && kcoro_id(co) > last;
		last = kcoro_id(co);
		kcoro_destroy(co);
	}
	r->last = last;
	kcoro_detach();
	free(mem);
	return NULL;
}

KTEST(core, ids_unique_across_threads)
{
	enum { THREADS = 4 };
	struct id_range r[THREADS];
	pthread_t thread[THREADS];

	NEED_THREADS();
	for (int i = 0; i < THREADS; i++) {
		r[i] = (struct id_range){ .n = ktest_iterations(HAVE_SANITIZER ? 10000 : 100000) };
		ASSERT_EQ(pthread_create(&thread[i], NULL, thread_ids, &r[i]), 0);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	/* each thread's ids rise, so ranges that do not overlap have no id in common */
	for (int i = 0; i < THREADS; i++) {
		EXPECT_TRUE(r[i].rising);
		EXPECT_NE(r[i].first, 0);
		for (int k = 0; k < i; k++)
			EXPECT_TRUE(r[i].last < r[k].first || r[k].last < r[i].first);
	}
}

static void body_generate(void *arg)
{
	struct job *job = arg;

	for (job->value = 0; job->value < 100; job->value++)
		kcoro_yield();
}

KTEST(core, no_scheduler_needed)
{
	struct job job = { .value = 0 };
	kcoro_t *co = make(body_generate, &job);
	long sum = 0;

	for (kcoro_resume(co); kcoro_state(co) != KCORO_FINISHED; kcoro_resume(co))
		sum += job.value;
	EXPECT_EQ(sum, 4950);
	EXPECT_EQ(kcoro_destroy(co), 0);
}

KTEST(core, create_runs_nothing)
{
	int runs = 0;
	kcoro_t *me = kcoro_current();
	kcoro_t *co = make(body_count, &runs);

	EXPECT_EQ(runs, 0);
	EXPECT_STREQ(STATE(co), "CREATED");
	EXPECT_STREQ(STATE(me), "RUNNING");
	EXPECT_PTR_EQ(kcoro_current(), me);
	EXPECT_EQ(kcoro_destroy(co), 0);
	EXPECT_EQ(runs, 0);
}

KTEST(core, create_bad_arguments)
{
	static char mem[OWN_STACK];

	EXPECT_NULL_ERR(kcoro_create(NULL, NULL, 0), EINVAL);
	EXPECT_NULL_ERR(kcoro_create(body_nothing, NULL, 1), EINVAL);
	EXPECT_NULL_ERR(kcoro_create(body_nothing, NULL, SIZE_MAX), EINVAL);
	EXPECT_NULL_ERR(kcoro_create_on(NULL, NULL, mem, sizeof(mem)), EINVAL);
	EXPECT_NULL_ERR(kcoro_create_on(body_nothing, NULL, NULL, sizeof(mem)), EINVAL);
	EXPECT_NULL_ERR(kcoro_create_on(body_nothing, NULL, mem, 16), EINVAL);
	EXPECT_EQ(live_coroutines(), 0);
}

KTEST(core, destroy_created_never_runs)
{
	int runs = 0;
	kcoro_t *co = make(body_count, &runs);

	EXPECT_EQ(kcoro_destroy(co), 0);
	EXPECT_EQ(live_coroutines(), 0);
	co = make(body_nothing, NULL);	/* most likely the same memory */
	EXPECT_EQ(kcoro_resume(co), 0);
	EXPECT_EQ(kcoro_destroy(co), 0);
	EXPECT_EQ(runs, 0);
}

KTEST(core, destroy_suspended)
{
	kcoro_t *yielded = make(body_yield_forever, NULL);
	kcoro_t *parked = make(body_park, NULL);
	kcoro_t *ready = make(body_park, NULL);

	kcoro_resume(yielded);
	kcoro_resume(parked);
	kcoro_resume(ready);
	EXPECT_EQ(kcoro_unpark(ready), 1);
	EXPECT_EQ(kcoro_destroy(yielded), 0);
	EXPECT_EQ(kcoro_destroy(parked), 0);
	EXPECT_EQ(kcoro_destroy(ready), 0);
	EXPECT_EQ(live_coroutines(), 0);
}

static void body_destroy_up(void *arg)
{
	struct job *job = arg;

	EXPECT_ERR(kcoro_destroy(kcoro_current()), EBUSY);
	EXPECT_ERR(kcoro_destroy(job->other), EBUSY);	/* waits in a resume */
}

static void body_resume_it(void *arg)
{
	struct job *job = arg;

	job->other = kcoro_current();
	kcoro_resume(job->self);
}

static void *thread_destroy(void *co)
{
	EXPECT_ERR(kcoro_destroy(co), EPERM);
	EXPECT_NOT_NULL(kcoro_create_main());
	EXPECT_ERR(kcoro_destroy(co), EPERM);
	return NULL;
}

KTEST(core, destroy_refused)
{
	struct job job = { .steps = 0 };
	kcoro_t *outer = make(body_resume_it, &job);

	job.self = make(body_destroy_up, &job);
	EXPECT_EQ(kcoro_resume(outer), 0);
	EXPECT_ERR(kcoro_destroy(NULL), EINVAL);
	EXPECT_ERR(kcoro_destroy(kcoro_current()), EPERM);
	EXPECT_PTR_EQ(kcoro_get(outer), outer);
	EXPECT_ERR(kcoro_destroy(outer), EBUSY);
	EXPECT_STREQ(STATE(outer), "FINISHED");
	kcoro_put(outer);
	if (HAVE_THREADS)
		run_thread(thread_destroy, outer);
	EXPECT_EQ(live_coroutines(), 2);
	EXPECT_EQ(kcoro_destroy(outer), 0);
	EXPECT_EQ(kcoro_destroy(job.self), 0);
}

KTEST_SLOW(core, create_destroy_flat_memory)
{
	unsigned long n = ktest_iterations(HAVE_SANITIZER ? 20000 : 1000000);
	long before = 0;

	for (unsigned long i = 0; i < n; i++) {
		kcoro_t *co = make(body_nothing, NULL);

		kcoro_resume(co);
		ASSERT_EQ(kcoro_destroy(co), 0);
		if (i == n / 10)
			before = resident();
	}
	if (native())
		EXPECT_LE(resident() - before, 128 * 1024);
}

static void body_own_arg(void *arg)
{
	struct job *job = arg;

	kcoro_yield();
	job->steps++;
	job->other = kcoro_current();
}

KTEST(core, own_fields_for_fn_and_arg)
{
	unsigned long n = at_most(1000, MAX_LIVE);
	struct job *jobs = calloc(n, sizeof(*jobs));

	for (unsigned long i = 0; i < n; i++)
		jobs[i].self = make(body_own_arg, &jobs[i]);
	for (int round = 0; round < 2; round++)
		for (unsigned long i = 0; i < n; i++)
			ASSERT_EQ(kcoro_resume(jobs[i].self), 0);
	for (unsigned long i = 0; i < n; i++) {
		ASSERT_EQ(jobs[i].steps, 1);
		ASSERT_PTR_EQ(jobs[i].other, jobs[i].self);
		ASSERT_EQ(kcoro_destroy(jobs[i].self), 0);
	}
	free(jobs);
}

KTEST(core, name_is_copied)
{
	char name[100];
	kcoro_t *co = make(body_nothing, NULL);

	EXPECT_STREQ(kcoro_name(co), "");
	strcpy(name, "reader");
	kcoro_set_name(co, name);
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
#if KC_CONFIG_NAME_LEN >= 8
	EXPECT_STREQ(kcoro_name(co), "reader");
	EXPECT_STREQ(kcoro_name(kcoro_current()), "main");
#endif
	kcoro_set_name(co, name);
	EXPECT_EQ(strlen(kcoro_name(co)), KC_CONFIG_NAME_LEN ? KC_CONFIG_NAME_LEN - 1 : 0);
	EXPECT_STREQ(STATE(co), "CREATED");
	EXPECT_EQ(kcoro_resume(co), 0);
	kcoro_set_name(co, NULL);
	EXPECT_STREQ(kcoro_name(co), "");
	kcoro_set_name(co, "old");
	EXPECT_EQ(kcoro_destroy(co), 0);
	co = make(body_nothing, NULL);
	EXPECT_STREQ(kcoro_name(co), "");	/* not its predecessor's */
	EXPECT_EQ(kcoro_destroy(co), 0);
}
