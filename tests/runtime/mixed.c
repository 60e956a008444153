// SPDX-License-Identifier: MIT
/* The bare primitives inside a runtime: generators that wait, park and unpark, what is refused. */
#include <internal/sched.h>

#include "common.h"

KTEST_SUITE(task, .init = virtual_init, .timeout = 30);

static struct trace trace;

struct generator {
	kcoro_t *co;
	int value;
	int result;
};

/* waits between two values */
static void generate(void *arg)
{
	struct generator *g = arg;

	for (g->value = 1; g->value <= 3; g->value++) {
		mark(&trace, 'g');
		g->result = kc_sleep(KC_SEC);
		mark(&trace, 'G');
		kcoro_yield();
	}
}

static void *task_ticks(void *arg)
{
	for (int i = 0; i < 4; i++) {
		EXPECT_EQ(kc_sleep_until(START + KC_SEC / 2 + i * KC_SEC), 0);
		mark(&trace, 't');
	}
	return arg;
}

static kcoro_t *make_dirty(kcoro_fn fn, void *arg, char *mem)
{
	kcoro_t *co;

	memset(mem, 0xff, OWN_STACK);		/* nothing may depend on what was there */
	co = kcoro_create_on(fn, arg, mem, OWN_STACK);
	ASSERT_NOT_NULL(co);
	return co;
}

RT_TEST(task, generator_waits)
{
	static char mem[OWN_STACK];
	struct generator g = { .result = -1 };
	struct kc_task *ticker = spawn(task_ticks, NULL);

	g.co = make_dirty(generate, &g, mem);
	for (int i = 1; i <= 3; i++) {
		EXPECT_EQ(kcoro_resume(g.co), 0);	/* others run while the generator waits */
		EXPECT_EQ(g.value, i);
		EXPECT_EQ(g.result, 0);
		EXPECT_EQ(kc_now(), START + i * KC_SEC);
		EXPECT_STREQ(STATE(g.co), "SUSPENDED");
	}
	EXPECT_EQ(kcoro_resume(g.co), 0);
	EXPECT_STREQ(STATE(g.co), "FINISHED");
	EXPECT_EQ(kcoro_destroy(g.co), 0);
	join(ticker);
	EXPECT_STREQ(trace.text, "gtGgtGgtGt");
}

static void *task_meddles(void *arg)
{
	struct generator *g = arg;

	EXPECT_STREQ(STATE(g->co), "PARKED");
	EXPECT_ERR(kcoro_resume(g->co), EAGAIN);
	EXPECT_ERR(kcoro_yield_to(g->co), EAGAIN);
	EXPECT_ERR(kcoro_destroy(g->co), EBUSY);
	return NULL;
}

static void yields_in_runtime(void *arg)
{
	struct generator *g = arg;

	g->result = kc_yield();
	mark(&trace, 'G');
	g->result = kc_yield();
	mark(&trace, 'G');
}

static void *task_meddles_with_queued(void *arg)
{
	struct generator *g = arg;

	mark(&trace, 'm');
	EXPECT_STREQ(STATE(g->co), "READY");
	EXPECT_ERR(kcoro_resume(g->co), EBUSY);
	EXPECT_ERR(kcoro_yield_to(g->co), EBUSY);
	EXPECT_ERR(kcoro_destroy(g->co), EBUSY);
	return NULL;
}

RT_TEST(task, generator_belongs_to_its_resumer)
{
	static char mem[OWN_STACK];
	struct generator g = { .result = -1 };

	g.co = make_dirty(generate, &g, mem);
	kc_go(task_meddles, &g);
	EXPECT_EQ(kcoro_resume(g.co), 0);
	EXPECT_EQ(g.value, 1);
	EXPECT_EQ(kcoro_destroy(g.co), 0);

	trace = (struct trace){ .length = 0 };
	g.co = make_dirty(yields_in_runtime, &g, mem);
	kc_go(task_meddles_with_queued, &g);
	EXPECT_EQ(kcoro_resume(g.co), 0);
	EXPECT_EQ(g.result, 0);
	EXPECT_STREQ(trace.text, "mGG");
	EXPECT_EQ(kcoro_destroy(g.co), 0);
}

/* things of one's own are those of coroutines that the runtime started */
static void tries_own_things(void *arg)
{
	struct generator *g = arg;
	struct kc_defer d;

	EXPECT_NULL(kc_self());
	EXPECT_ERR(kc_defer_push(&d, free, NULL), EPERM);
	EXPECT_ERR(kc_defer_pop(1), EPERM);
#if KC_CONFIG_KEYS > 0
	EXPECT_NULL(kc_key_get(0));
	EXPECT_ERR(kc_key_set(0, NULL), EPERM);
#endif
#ifdef KC_CONFIG_INSPECT
	EXPECT_NULL(kc_user(kcoro_current()));
#endif
	kc_exit(NULL);
	g->result = 1;
}

RT_TEST(task, generator_is_no_task)
{
	static char mem[OWN_STACK];
	struct generator g = { .result = 0 };

	g.co = make_dirty(tries_own_things, &g, mem);
	EXPECT_EQ(kcoro_resume(g.co), 0);
	EXPECT_EQ(g.result, 1);
	EXPECT_EQ(kcoro_destroy(g.co), 0);
}

/* nor does a build with a runtime change what a coroutine is without one */
KTEST(task, dirty_memory_without_runtime)
{
	static char mem[OWN_STACK];
	kcoro_t *co;

	ASSERT_NOT_NULL(kcoro_create_main());
	co = make_dirty(body_park, NULL, mem);
	EXPECT_EQ(kcoro_resume(co), 0);
	EXPECT_EQ(kcoro_unpark(co), 1);
	EXPECT_STREQ(STATE(co), "READY");
	EXPECT_EQ(kcoro_resume(co), 0);
	EXPECT_EQ(kcoro_destroy(co), 0);
	EXPECT_EQ(kcoro_detach(), 0);
}

/* ---- park ---- */

static void *task_parks_twice(void *arg)
{
	EXPECT_EQ(kcoro_park(), 0);
	mark(&trace, *(char *)arg);
	EXPECT_EQ(kcoro_park(), 0);
	mark(&trace, *(char *)arg);
	return NULL;
}

RT_TEST(task, park_and_unpark)
{
	static char letter[] = "abc";
	struct kc_task *task[3];

	for (int i = 0; i < 3; i++)
		task[i] = spawn(task_parks_twice, &letter[i]);
	EXPECT_EQ(kcoro_unpark(kc_task_coro(task[1])), 0);	/* not parked yet: kept */
	kc_yield();
	EXPECT_STREQ(trace.text, "b");
	for (int i = 2; i >= 0; i--) {
		EXPECT_STREQ(STATE(kc_task_coro(task[i])), "PARKED");
		EXPECT_EQ(kcoro_unpark(kc_task_coro(task[i])), 1);
		EXPECT_STREQ(STATE(kc_task_coro(task[i])), "READY");
		EXPECT_EQ(kcoro_unpark(kc_task_coro(task[i])), 0);
	}
	EXPECT_STREQ(trace.text, "b");
	for (int i = 0; i < 3; i++)
		join(task[i]);
	EXPECT_STREQ(trace.text, "bccbaa");
}

static void *task_yields_bare(void *arg)
{
	for (int i = 0; i < 3; i++) {
		mark(&trace, *(char *)arg);
		EXPECT_EQ(kcoro_yield(), 0);
	}
	return NULL;
}

RT_TEST(task, bare_yield_takes_turns)
{
	static char letter[] = "ab";
	struct kc_task *a = spawn(task_yields_bare, &letter[0]);
	struct kc_task *b = spawn(task_yields_bare, &letter[1]);

	join(a);
	join(b);
	EXPECT_STREQ(trace.text, "ababab");
}

/* ---- what the scheduler runs nobody else runs or destroys ---- */

static void refused(kcoro_t *co, int err)
{
	EXPECT_EQ(kcoro_resume(co), -err);
	EXPECT_EQ(kcoro_yield_to(co), -err);
	EXPECT_ERR(kcoro_destroy(co), EBUSY);
}

RT_TEST(task, queued_ones_run_once)
{
	int ran = 0;
	struct kc_task *task = spawn(task_count, &ran);

	refused(kc_task_coro(task), EBUSY);
	EXPECT_EQ(ran, 0);
	join(task);
	EXPECT_EQ(ran, 1);

	task = spawn(task_sleep_forever, NULL);
	kc_yield();
	refused(kc_task_coro(task), EAGAIN);			/* waits */
	EXPECT_EQ(kc_interrupt(task), 0);
	refused(kc_task_coro(task), EBUSY);			/* woken */
	EXPECT_EQ((intptr_t)join(task), -EINTR);

	task = spawn(task_park, &ran);
	kc_yield();
	refused(kc_task_coro(task), EAGAIN);			/* parked */
	EXPECT_EQ(kcoro_unpark(kc_task_coro(task)), 1);
	refused(kc_task_coro(task), EBUSY);
	EXPECT_PTR_EQ(join(task), &ran);
	EXPECT_EQ(ran, 1);
}

RT_TEST(task, unpark_does_not_end_a_wait)
{
	struct kc_task *task = spawn(task_sleep_forever, NULL);

	kc_yield();
	EXPECT_EQ(kcoro_unpark(kc_task_coro(task)), 0);
	EXPECT_STREQ(STATE(kc_task_coro(task)), "PARKED");
	kc_sleep(KC_SEC);
	EXPECT_ERR(kc_try_join(task, NULL), EAGAIN);
	EXPECT_EQ(kc_interrupt(task), 0);
	EXPECT_EQ((intptr_t)join(task), -EINTR);
}

/* a reference keeps the object, not the coroutine */
RT_TEST(task, held_reference)
{
	struct kc_task *task = spawn(task_nothing, NULL);
	kcoro_t *co = kc_task_coro(task);
	uint64_t id = kcoro_id(co);

	EXPECT_PTR_EQ(kcoro_get(co), co);
	join(task);
	for (int i = 0; i < 10; i++)
		join(spawn(task_nothing, NULL));	/* nobody gets its memory */
	kcoro_reclaim();
	EXPECT_STREQ(STATE(co), "FINISHED");
	EXPECT_EQ(kcoro_id(co), id);
	EXPECT_ERR(kcoro_unpark(co), ESRCH);
	EXPECT_ERR(kcoro_resume(co), ESRCH);
	kcoro_put(co);
}

static kcoro_t *held;

static void *leaves_a_held_one(void *arg)
{
	struct kc_task *task = spawn(task_sleep_forever, NULL);

	held = kcoro_get(kc_task_coro(task));
	kc_task_detach(task);
	return arg;
}

static void quiet(void)
{
}

KTEST(task, held_reference_of_a_killed_one)
{
	KTEST_REQUIRES(DEADLOCK_RETURNS, "a deadlock is a panic in this build");
	kc_set_deadlock_hook(quiet);
	ASSERT_NOT_NULL(kcoro_create_main());
	EXPECT_ERR(kc_run(leaves_a_held_one, NULL), EDEADLK);
	EXPECT_STREQ(STATE(held), "FINISHED");
	EXPECT_ERR(kcoro_resume(held), ESRCH);
	kcoro_put(held);
	EXPECT_EQ(kcoro_detach(), 0);
}

/* the object of an ended one goes by itself, and after its stack was left */
static void *task_big_frame(void *arg)
{
	volatile char frame[2048];

	memset((char *)frame, (int)(intptr_t)arg, sizeof(frame));
	kc_yield();
	for (size_t i = 0; i < sizeof(frame); i++)
		if (frame[i] != (char)(intptr_t)arg)
			KTEST_FAIL("another one wrote to this stack");
	return NULL;
}

RT_TEST(task, ended_ones_are_released)
{
	struct kcoro_stats st;

	for (intptr_t i = 0; i < 5000; i++) {
		kc_go(task_big_frame, (void *)i);
		kc_yield();
	}
	kc_yield();
	kcoro_reclaim();
	kcoro_get_stats(&st);
	EXPECT_LE(st.live, 2);
}

static struct kc_task *resumer;
static int woken;

static void generator_sleeps(void *arg)
{
	woken = kc_sleep(KC_SEC) == 0;
	(void)arg;
}

static void *task_resumes(void *arg)
{
	EXPECT_EQ(kcoro_resume(arg), 0);
	return arg;
}

/* what it waits for knows its stack */
RT_TEST(task, generator_released_while_it_waits)
{
	kcoro_t *co = kcoro_create(generator_sleeps, NULL, 0);

	ASSERT_NOT_NULL(co);
	resumer = spawn(task_resumes, co);
	kc_yield();
	EXPECT_ERR(kcoro_destroy(co), EBUSY);
	kcoro_put(co);
	EXPECT_EQ(kcoro_reclaim(), 0);
	join(resumer);
	EXPECT_TRUE(woken);
	kcoro_reclaim();
}

/* ---- what a debug build notices ---- */

static void queue_twice(void)
{
	struct kc_task *task = spawn(task_nothing, NULL);

	kc_sched_ready(kc_task_coro(task));
}

static void queue_without_reference(void)
{
	struct kc_task *task = spawn(task_park, NULL);
	kcoro_t *co = kc_task_coro(task);

	kc_yield();
	kcoro_put(co);				/* not ours to give */
	kcoro_unpark(co);
}

RT_TEST(task, debug_checks_die)
{
	KTEST_REQUIRES(HAVE_DEBUG && HAVE_PANIC_TEXT, "needs DEBUG and PANIC_TEXT");
	EXPECT_DEATH(SIGABRT, "coroutine queued twice", queue_twice());
	EXPECT_DEATH(SIGABRT, "released coroutine queued", queue_without_reference());
}
