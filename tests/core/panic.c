// SPDX-License-Identifier: MIT
/* What cannot be survived: panics, their hook, and the checks of debug builds. */
#include <kcoro/inline.h>

#include "common.h"

KTEST_SUITE(core, .init = common_init, .timeout = 30);

/* the library's line on standard error, or nothing where it has none */
#define TEXT(_text)	(HAVE_PANIC_TEXT ? (_text) : "")

/* A finished coroutine made to run again, behind the library's back: a panic in every build. */
static void run_finished(kcoro_t *co)
{
	struct kcoro_head *head = (struct kcoro_head *)co;

	while (kcoro_state(co) != KCORO_FINISHED)
		kcoro_resume(co);
	kc_state_set(head, KCORO_SUSPENDED);
	kcoro_resume(co);
}

KTEST(core, name_in_panic)
{
	kcoro_t *co = make(body_nothing, NULL);
	char text[200];

	kcoro_set_name(co, "reader-7");
	snprintf(text, sizeof(text),
		 "kcoro: panic: finished coroutine resumed: coroutine %llu '%s', "
		 "stack 0x", (unsigned long long)kcoro_id(co), kcoro_name(co));
	EXPECT_DEATH(SIGABRT, TEXT(text), run_finished(co));
	EXPECT_EQ(kcoro_destroy(co), 0);
}

static void hook_print(const struct kcoro_panic *p)
{
	void *low, *high;
	bool inside = !kcoro_stack_bounds(p->co, &low, &high) && p->stack_low <= low &&
		      p->stack_high > high;

	dprintf(STDERR_FILENO, "hook: %s, %llu '%s' %d %d %d\n", p->what, (unsigned long long)p->id,
		p->name, p->id == kcoro_id(p->co), inside, p->address == NULL);
}

static void hook_exit(const struct kcoro_panic *p)
{
	(void)p;
	dprintf(STDERR_FILENO, "hook exits\n");
	raise(SIGTERM);
}

KTEST(core, panic_hook)
{
	kcoro_t *co = make(body_nothing, NULL);
	char text[200];

	kcoro_set_name(co, "writer");
	snprintf(text, sizeof(text), "hook: finished coroutine resumed, %llu '%s' 1 1 1\n",
		 (unsigned long long)kcoro_id(co), kcoro_name(co));
	kcoro_set_panic_hook(hook_print);
	EXPECT_DEATH(SIGABRT, text, run_finished(co));		/* a hook that returns */
	EXPECT_DEATH(SIGABRT, TEXT("kcoro: panic:"), run_finished(co));
	kcoro_set_panic_hook(hook_exit);
	EXPECT_DEATH(SIGTERM, "hook exits", run_finished(co));	/* and one that does not */
	kcoro_set_panic_hook(NULL);
	EXPECT_DEATH(SIGABRT, TEXT("finished coroutine resumed"), run_finished(co));
	EXPECT_EQ(kcoro_destroy(co), 0);
}

static void body_corrupt_resumer(void *arg)
{
	struct job *job = arg;

	kc_state_set((struct kcoro_head *)job->other, KCORO_FINISHED);
	kcoro_yield();
}

static void body_corrupt_self(void *arg)
{
	struct job *job = arg;
	struct kcoro_head *self = (struct kcoro_head *)job->self;

	kc_state_set(self, KCORO_CREATED);
	kc_step(self, self->back);
}

static void body_forget_who(void *arg)
{
	kcoro_current_head = arg;
}

/* in memory of ours, so that looking at a released one is no fault by itself */
static char own[2][OWN_STACK];

static kcoro_t *make_on(int i, kcoro_fn fn, void *arg)
{
	kcoro_t *co = kcoro_create_on(fn, arg, own[i], sizeof(own[i]));

	ASSERT_NOT_NULL(co);
	return co;
}

static void destroy_twice(void)
{
	kcoro_t *co = make_on(0, body_nothing, NULL);

	kcoro_destroy(co);
	kcoro_destroy(co);
}

static void put_twice(void)
{
	kcoro_t *co = make_on(0, body_nothing, NULL);

	kcoro_put(co);
	kcoro_put(co);
}

static void put_then_destroy_other_reference(void)
{
	kcoro_t *co = make_on(0, body_nothing, NULL);

	kcoro_put(co);
	kcoro_reclaim();
	kcoro_put(co);
}

static void resume_released(void)
{
	kcoro_t *co = make_on(0, body_nothing, NULL);

	kcoro_destroy(co);
	kcoro_resume(co);
}

KTEST(core, debug_checks_die)
{
	struct job job = { .other = kcoro_current() };

	KTEST_REQUIRES(HAVE_DEBUG, "needs DEBUG");
	EXPECT_DEATH(SIGABRT, TEXT("coroutine destroyed twice"), destroy_twice());
	EXPECT_DEATH(SIGABRT, TEXT("reference count below zero"), put_twice());
	EXPECT_DEATH(SIGABRT, TEXT("reference count below zero"),
		     put_then_destroy_other_reference());
	EXPECT_DEATH(SIGABRT, TEXT("released coroutine used"), resume_released());
	job.self = make_on(0, body_corrupt_resumer, &job);
	EXPECT_DEATH(SIGABRT, TEXT("illegal state of the coroutine to run"),
		     kcoro_resume(job.self));
	EXPECT_EQ(kcoro_destroy(job.self), 0);
	job.self = make_on(0, body_corrupt_self, &job);
	EXPECT_DEATH(SIGABRT, TEXT("illegal state of the coroutine that leaves"),
		     kcoro_resume(job.self));
	EXPECT_EQ(kcoro_destroy(job.self), 0);
	job.self = make_on(1, body_nothing, NULL);
	job.other = make_on(0, body_forget_who, job.self);
	EXPECT_DEATH(SIGABRT, TEXT("coroutine finished on a foreign stack"),
		     kcoro_resume(job.other));
	EXPECT_EQ(kcoro_destroy(job.self), 0);
	EXPECT_EQ(kcoro_destroy(job.other), 0);
}

KTEST(core, release_builds_survive_misuse)
{
	kcoro_t *co;

	KTEST_REQUIRES(!HAVE_DEBUG, "DEBUG answers with a panic");
	co = make_on(0, body_nothing, NULL);
	kcoro_put(co);
	kcoro_put(co);				/* retired once all the same */
	EXPECT_EQ(kcoro_reclaim(), 1);
	EXPECT_ERR(kcoro_resume(co), EBUSY);
	EXPECT_ERR(kcoro_destroy(co), EBUSY);
	EXPECT_EQ(live_coroutines(), 0);
}
