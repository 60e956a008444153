// SPDX-License-Identifier: MIT
/* The thread's own coroutine. */
#include "common.h"

KTEST_SUITE(core, .init = common_init, .timeout = 30);

KTEST(core, main_coroutine)
{
	kcoro_t *me = kcoro_current();
	void *low = NULL, *high = NULL;
	struct kcoro_stats st;

	ASSERT_NOT_NULL(me);
	EXPECT_PTR_EQ(kcoro_create_main(), me);
	EXPECT_STREQ(STATE(me), "RUNNING");
	EXPECT_NE(kcoro_id(me), 0);
	/* the stack is the thread's: none was made, none is known */
	EXPECT_ERR(kcoro_stack_bounds(me, &low, &high), ENOENT);
	EXPECT_NULL(low);
	EXPECT_EQ(kcoro_stack_room(), SIZE_MAX);
	kcoro_get_stats(&st);
	EXPECT_EQ(st.live, 0);
	EXPECT_EQ(st.cached, 0);
	EXPECT_EQ(st.retired, 0);
#ifdef KC_CONFIG_STACK_HIGHWATER
	EXPECT_EQ(kcoro_stack_used(me), 0);
	EXPECT_EQ(kcoro_stack_used(NULL), 0);
#endif
}

static void body_create_main(void *arg)
{
	struct job *job = arg;

	job->self = kcoro_create_main();
	EXPECT_ERR(kcoro_detach(), EPERM);
}

KTEST(core, create_main_inside_a_coroutine)
{
	struct job job = { .steps = 0 };
	kcoro_t *co = make(body_create_main, &job);

	EXPECT_EQ(kcoro_resume(co), 0);
	EXPECT_PTR_EQ(job.self, kcoro_current());
	EXPECT_EQ(kcoro_destroy(co), 0);
}

KTEST(core, detach)
{
	kcoro_t *co = make(body_park, NULL);

	kcoro_resume(co);
	EXPECT_ERR(kcoro_detach(), EBUSY);
	EXPECT_STREQ(STATE(co), "PARKED");
	kcoro_put(co);				/* retired ones are not in the way */
	EXPECT_EQ(kcoro_detach(), 0);
	EXPECT_NULL(kcoro_current());
	EXPECT_ERR(kcoro_detach(), ESRCH);
	/* and back */
	ASSERT_NOT_NULL(kcoro_create_main());
	EXPECT_STREQ(STATE(kcoro_current()), "RUNNING");
	co = make(body_nothing, NULL);
	EXPECT_EQ(kcoro_resume(co), 0);
	EXPECT_EQ(kcoro_destroy(co), 0);
}

KTEST(core, use_before_main)
{
	static char mem[OWN_STACK];
	kcoro_t *co = make(body_nothing, NULL);
	struct kcoro_stats st = { 7, 7, 7 };

	EXPECT_EQ(kcoro_destroy(co), 0);
	ASSERT_EQ(kcoro_detach(), 0);
	EXPECT_NULL(kcoro_current());
	EXPECT_NULL_ERR(kcoro_create(body_nothing, NULL, 0), EPERM);
	EXPECT_NULL_ERR(kcoro_create_on(body_nothing, NULL, mem, sizeof(mem)), EPERM);
	EXPECT_ERR(kcoro_resume(NULL), EPERM);
	EXPECT_ERR(kcoro_yield(), EPERM);
	EXPECT_ERR(kcoro_yield_to(NULL), EPERM);
	EXPECT_ERR(kcoro_park(), EPERM);
	EXPECT_ERR(kcoro_unpark(NULL), EINVAL);
	EXPECT_ERR(kcoro_destroy(NULL), EINVAL);
	EXPECT_ERR(kcoro_reclaim(), EPERM);
	EXPECT_ERR(kcoro_stack_trim(0), EPERM);
	EXPECT_ERR(kcoro_stack_bounds(NULL, NULL, NULL), EINVAL);
	EXPECT_EQ(kcoro_stack_room(), SIZE_MAX);
	kcoro_put(NULL);
	kcoro_get_stats(&st);
	EXPECT_EQ(st.live + st.cached + st.retired, 0);
}

static void body_see_current(void *arg)
{
	*(kcoro_t **)arg = kcoro_current();
}

static void *thread_current(void *arg)
{
	struct job *job = arg;
	kcoro_t *seen = NULL, *co, *me;

	EXPECT_NULL(kcoro_current());
	EXPECT_EQ(kcoro_stack_room(), SIZE_MAX);
	me = kcoro_create_main();
	ASSERT_NOT_NULL(me);
	EXPECT_PTR_EQ(kcoro_current(), me);
	EXPECT_NE((uintptr_t)me, (uintptr_t)job->self);
	/* nothing is known of a thread's own stack, whatever lies above it */
	EXPECT_EQ(kcoro_stack_room(), SIZE_MAX);
	co = make(body_see_current, &seen);
	EXPECT_EQ(kcoro_resume(co), 0);
	EXPECT_PTR_EQ(seen, co);
	EXPECT_PTR_EQ(kcoro_current(), me);
	/* another thread's coroutine is not ours to run */
	EXPECT_ERR(kcoro_resume(job->other), EPERM);
	EXPECT_ERR(kcoro_yield_to(job->other), EPERM);
	EXPECT_ERR(kcoro_destroy(job->other), EPERM);
	EXPECT_EQ(kcoro_destroy(co), 0);
	return NULL;
}

KTEST(core, current_is_per_thread)
{
	struct job job = { .self = kcoro_current(), .other = make(body_nothing, NULL) };

	NEED_THREADS();
	run_thread(thread_current, &job);
	EXPECT_PTR_EQ(kcoro_current(), job.self);
	EXPECT_STREQ(STATE(job.other), "CREATED");
	EXPECT_EQ(kcoro_destroy(job.other), 0);
}

static void *thread_attack_main(void *arg)
{
	EXPECT_ERR(kcoro_destroy(arg), EPERM);
	EXPECT_NOT_NULL(kcoro_create_main());
	EXPECT_ERR(kcoro_destroy(arg), EPERM);
	EXPECT_ERR(kcoro_resume(arg), EPERM);
	if (HAVE_SMP) {
		EXPECT_PTR_EQ(kcoro_get(arg), arg);
		kcoro_put(arg);
	}
	return NULL;
}

KTEST(core, main_is_permanent)
{
	kcoro_t *me = kcoro_current(), *co;

	EXPECT_ERR(kcoro_destroy(me), EPERM);
	EXPECT_PTR_EQ(kcoro_get(me), me);
	kcoro_put(me);
	if (HAVE_THREADS)
		run_thread(thread_attack_main, me);
	if (HAVE_DEBUG) {
		EXPECT_DEATH(SIGABRT, HAVE_PANIC_TEXT ? "reference count below zero" : "",
			     kcoro_put(me));
	} else {
		for (int i = 0; i < 10; i++)
			kcoro_put(me);		/* not ours to drop */
	}
	EXPECT_EQ(kcoro_reclaim(), 0);
	EXPECT_PTR_EQ(kcoro_current(), me);
	EXPECT_STREQ(STATE(me), "RUNNING");
	co = make(body_nothing, NULL);
	EXPECT_EQ(kcoro_resume(co), 0);
	EXPECT_EQ(kcoro_destroy(co), 0);
	EXPECT_PTR_EQ(kcoro_get(me), me);	/* the count never reached 0 */
	kcoro_put(me);
}
