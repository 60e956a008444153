// SPDX-License-Identifier: MIT
/* The runtime of a thread: begin, end, and deadlock. */
#include "common.h"

KTEST_SUITE(task, .init = virtual_init, .timeout = 30);

static void *ret_7(void *arg)
{
	(void)arg;
	return (void *)7;
}

static void *task_sleeps_and_counts(void *arg)
{
	kc_sleep(KC_SEC);
	++*(int *)arg;
	return NULL;
}

static void *starts_five(void *arg)
{
	for (int i = 0; i < 5; i++)
		EXPECT_EQ(kc_go(task_sleeps_and_counts, arg), 0);
	return (void *)(intptr_t)-3;
}

KTEST(task, run_returns_when_all_have_ended)
{
	int ended = 0;

	EXPECT_EQ(kc_run(ret_7, NULL), 7);
	for (int i = 1; i <= 3; i++) {
		EXPECT_EQ(kc_run(starts_five, &ended), -3);
		EXPECT_EQ(ended, 5 * i);
	}
	EXPECT_NULL(kcoro_current());			/* as it was before */
	EXPECT_EQ(kc_now(), START + 3 * KC_SEC);
}

static void *exits(void *arg)
{
	kc_exit(arg);
	return NULL;
}

KTEST(task, run_returns_what_exit_was_given)
{
	EXPECT_EQ(kc_run(exits, (void *)42), 42);
}

static void *nests(void *arg)
{
	EXPECT_ERR(kc_run(ret_7, arg), EBUSY);
	EXPECT_ERR(kc_attach(), EBUSY);
	EXPECT_ERR(kc_detach(), EPERM);			/* not by another than the thread's own */
	EXPECT_ERR(kcoro_detach(), EPERM);
	return NULL;
}

static void tries_to_run(void *arg)
{
	EXPECT_ERR(kc_run(ret_7, arg), EPERM);
	EXPECT_ERR(kc_attach(), EPERM);
}

KTEST(task, run_refused)
{
	kcoro_t *co;

	EXPECT_ERR(kc_run(NULL, NULL), EINVAL);
	EXPECT_EQ(kc_run(nests, NULL), 0);
	EXPECT_ERR(kc_run_abi(ret_7, NULL, "another build"), ELIBBAD);
	EXPECT_ERR(kc_attach_abi("another build"), ELIBBAD);
	ASSERT_NOT_NULL(kcoro_create_main());
	co = make(tries_to_run, NULL);
	EXPECT_EQ(kcoro_resume(co), 0);
	EXPECT_EQ(kcoro_destroy(co), 0);
	EXPECT_EQ(kcoro_detach(), 0);
}

KTEST(task, run_leaves_the_main_coroutine)
{
	kcoro_t *me = kcoro_create_main(), *co;
	int steps = 0;

	ASSERT_NOT_NULL(me);
	co = make(body_count, &steps);
	EXPECT_EQ(kc_run(ret_7, NULL), 7);
	EXPECT_PTR_EQ(kcoro_current(), me);
	EXPECT_STREQ(STATE(me), "RUNNING");
	EXPECT_EQ(kcoro_resume(co), 0);			/* what was there before is as it was */
	EXPECT_EQ(steps, 1);
	EXPECT_EQ(kcoro_destroy(co), 0);
	EXPECT_EQ(kcoro_detach(), 0);
}

KTEST(task, attach_and_detach)
{
	int ended = 0;
	struct kc_task *task;

	for (int i = 0; i < 3; i++) {
		kc_time_t begin = kc_now();

		EXPECT_EQ(kc_attach(), 0);
		EXPECT_ERR(kc_attach(), EBUSY);
		EXPECT_ERR(kcoro_detach(), EBUSY);
		EXPECT_NOT_NULL(kc_self());
		EXPECT_PTR_EQ(kc_task_coro(kc_self()), kcoro_current());
		kc_exit(NULL);				/* the thread cannot end this way */
		EXPECT_EQ(kc_sleep(KC_SEC), 0);
		EXPECT_EQ(kc_now(), begin + KC_SEC);
		task = spawn(task_sleeps_and_counts, &ended);
		EXPECT_ERR(kc_detach(), EBUSY);
		EXPECT_EQ(kc_join(task, NULL), 0);
		EXPECT_EQ(kc_yield(), 0);
		EXPECT_EQ(kc_detach(), 0);
		EXPECT_EQ(ended, i + 1);
		EXPECT_NULL(kcoro_current());
		EXPECT_ERR(kc_detach(), EPERM);
	}
}

static void *thread_runs(void *arg)
{
	int ended = 0;

	EXPECT_EQ(kc_run(starts_five, &ended), -3);
	*(int *)arg = ended;
	return NULL;
}

/* each thread may have a runtime; they know nothing of each other */
KTEST(task, runtimes_of_threads)
{
	pthread_t thread[4];
	int ended[4];

	NEED_THREADS();
	EXPECT_EQ(kc_clock_set(NULL), 0);
	for (int i = 0; i < 4; i++)
		ASSERT_EQ(pthread_create(&thread[i], NULL, thread_runs, &ended[i]), 0);
	for (int i = 0; i < 4; i++) {
		ASSERT_EQ(pthread_join(thread[i], NULL), 0);
		EXPECT_EQ(ended[i], 5);
	}
}

/* ---- deadlock ---- */

static struct trace trace;
static int hooked;

static void quiet(void)
{
	hooked++;
}

static void mark_arg(void *arg)
{
	mark(&trace, *(const char *)arg);
}

static void *task_stuck(void *arg)
{
	struct kc_defer d;

	kc_defer_push(&d, mark_arg, arg);
	kc_sleep_until(KC_FOREVER);
	KTEST_FAIL("a killed coroutine goes on");
	return arg;
}

static void *task_stuck_in_park(void *arg)
{
	struct kc_defer d;

	kc_defer_push(&d, mark_arg, arg);
	kcoro_park();
	KTEST_FAIL("a killed coroutine goes on");
	return arg;
}

#define NEED_RETURN()	KTEST_REQUIRES(DEADLOCK_RETURNS, "a deadlock is a panic in this build")

static struct kc_task *stuck;

static void *makes_deadlock(void *arg)
{
	static char letter[] = "abc";

	stuck = spawn(task_stuck, &letter[0]);
	kc_go(task_stuck_in_park, &letter[1]);
	kc_go(task_stuck, &letter[2]);
	kc_go(task_nothing, NULL);
	return arg;
}

KTEST(task, deadlock_is_an_error)
{
	NEED_RETURN();
	kc_set_deadlock_hook(quiet);
	for (int i = 1; i <= 3; i++) {
		void *value = &value;

		EXPECT_ERR(kc_run(makes_deadlock, NULL), EDEADLK);
		EXPECT_EQ(hooked, i);
		/* the handle outlives the runtime */
		EXPECT_NULL(kc_task_coro(stuck));
		EXPECT_ERR(kc_interrupt(stuck), ESRCH);
		EXPECT_EQ(kc_join(stuck, &value), 0);
		EXPECT_NULL(value);
		EXPECT_NULL(kcoro_current());
	}
	EXPECT_STREQ(trace.text, "abcabcabc");		/* handlers ran, oldest coroutine first */
	EXPECT_EQ(kc_run(ret_7, NULL), 7);
}

static void *task_joins(void *arg)
{
	return join(arg);
}

static void yields(void *arg)
{
	mark_arg(arg);
	kc_yield();
}

static void *task_handler_yields(void *arg)
{
	struct kc_defer d;

	kc_defer_push(&d, yields, arg);
	kc_sleep_until(KC_FOREVER);
	return arg;
}

static void starts_another(void *arg)
{
	mark_arg(arg);
	EXPECT_EQ(kc_go(task_nothing, NULL), 0);
}

static void *task_handler_starts(void *arg)
{
	struct kc_defer d;

	kc_defer_push(&d, starts_another, arg);
	kc_sleep_until(KC_FOREVER);
	return arg;
}

static kc_key_t starting_key;
static kcoro_t *parked;

static void starts_counting(void *arg)
{
	EXPECT_EQ(kc_go(task_count, arg), 0);
}

/* runs as the thread's own coroutine, as the one it belongs to is not to run any more */
static void sets_key(void *arg)
{
	EXPECT_EQ(kc_key_set(starting_key, arg), 0);
}

static void *task_handler_sets_key(void *arg)
{
	struct kc_defer d;

	kc_defer_push(&d, sets_key, arg);
	kc_sleep_until(KC_FOREVER);
	return arg;
}

/* a destructor of the thread's starts a coroutine: the runtime ends all the same */
KTEST(task, deadlock_with_late_start)
{
	int count = 0;

	NEED_RETURN();
	KTEST_REQUIRES(KC_CONFIG_KEYS > 0, "needs a key");
	kc_set_deadlock_hook(quiet);
	EXPECT_EQ(kc_key_new(&starting_key, starts_counting), 0);
	EXPECT_ERR(kc_run(task_handler_sets_key, &count), EDEADLK);
	EXPECT_NULL(kcoro_current());
	EXPECT_EQ(kc_run(ret_7, NULL), 7);
}

static void unparks_and_waits(void *arg)
{
	EXPECT_EQ(kcoro_unpark(parked), 0);	/* it is as good as ended */
	EXPECT_EQ(kc_sleep(KC_SEC), 0);
	mark_arg(arg);
}

static void *task_handler_unparks(void *arg)
{
	struct kc_defer d;

	parked = kcoro_current();
	kc_defer_push(&d, unparks_and_waits, arg);
	kcoro_park();
	KTEST_FAIL("a killed coroutine goes on");
	return arg;
}

static struct kc_task *woken;

static void interrupts_woken(void *arg)
{
	mark_arg(arg);
	EXPECT_EQ(kc_interrupt(woken), 0);
}

static void waits_a_second(void *arg)
{
	EXPECT_EQ(kc_sleep(KC_SEC), 0);
	mark_arg(arg);
}

static void *task_handler_wakes(void *arg)
{
	struct kc_defer d;

	kc_defer_push(&d, interrupts_woken, arg);
	kc_sleep_until(KC_FOREVER);
	return arg;
}

static void *task_woken(void *arg)
{
	struct kc_defer d;

	kc_defer_push(&d, waits_a_second, arg);
	kc_sleep_until(KC_FOREVER);
	KTEST_FAIL("a killed coroutine goes on");
	return arg;
}

static void *makes_deadlock_with_wakes(void *arg)
{
	static char letter[] = "ab";

	kc_go(task_handler_wakes, &letter[0]);
	woken = spawn(task_woken, &letter[1]);
	return arg;
}

/* those that are ended do not run again, even if their handlers wait and somebody wakes them */
KTEST(task, killed_ones_stay_dead)
{
	static char letter = 'x';

	NEED_RETURN();
	kc_set_deadlock_hook(quiet);
	EXPECT_ERR(kc_run(task_handler_unparks, &letter), EDEADLK);
	EXPECT_STREQ(trace.text, "x");
	EXPECT_ERR(kc_run(makes_deadlock_with_wakes, NULL), EDEADLK);
	EXPECT_STREQ(trace.text, "xab");
	EXPECT_EQ(kc_join(woken, NULL), 0);
	EXPECT_NULL(kcoro_current());
}

static struct kc_task *chain[4];

/* killed ones wake others, which are to be killed next; handlers run coroutines and start some */
static void *makes_entangled_deadlock(void *arg)
{
	static char letter[] = "abcd";

	chain[0] = spawn(task_stuck, &letter[0]);
	for (int i = 1; i < 4; i++)
		chain[i] = spawn(task_joins, chain[i - 1]);
	kc_task_detach(spawn(task_handler_yields, &letter[1]));
	kc_go(task_handler_starts, &letter[2]);
	kc_go(task_handler_yields, &letter[3]);
	return arg;
}

KTEST(task, deadlock_of_joiners)
{
	NEED_RETURN();
	kc_set_deadlock_hook(quiet);
	for (int i = 0; i < 3; i++) {
		trace = (struct trace){ .length = 0 };
		EXPECT_ERR(kc_run(makes_entangled_deadlock, NULL), EDEADLK);
		EXPECT_STREQ(trace.text, "abcd");
		for (int n = 0; n < 4; n++)
			EXPECT_EQ(kc_join(chain[n], NULL), 0);
	}
}

KTEST(task, deadlock_of_the_thread)
{
	static char letter[] = "abc";
	struct kc_task *task;

	NEED_RETURN();
	kc_set_deadlock_hook(quiet);
	ASSERT_EQ(kc_attach(), 0);
	task = spawn(task_sleep_forever, NULL);
	EXPECT_ERR(kc_join(task, NULL), EDEADLK);	/* only this wait ends */
	EXPECT_ERR(kc_sleep_until(KC_FOREVER), EDEADLK);
	EXPECT_EQ(hooked, 2);
	EXPECT_EQ(kc_sleep(KC_SEC), 0);
	EXPECT_ERR(kc_detach(), EBUSY);
	EXPECT_EQ(kc_interrupt(task), 0);
	EXPECT_EQ((intptr_t)join(task), -EINTR);
	kc_go(task_nothing, letter);
	EXPECT_ERR(kc_sleep_until(KC_FOREVER), EDEADLK);
	EXPECT_EQ(kc_detach(), 0);
}

static void wakes_stuck(void)
{
	if (!hooked++)
		EXPECT_EQ(kc_interrupt(stuck), 0);
}

static void *waits_for_hook(void *arg)
{
	stuck = kc_self();
	EXPECT_ERR(kc_sleep_until(KC_FOREVER), EINTR);
	return arg;
}

KTEST(task, deadlock_hook_may_wake)
{
	EXPECT_TRUE(kc_set_deadlock_hook(wakes_stuck) == NULL);
	EXPECT_EQ(kc_run(waits_for_hook, NULL), 0);
	EXPECT_EQ(hooked, 1);
	EXPECT_TRUE(kc_set_deadlock_hook(NULL) == wakes_stuck);
}

static void nothing(void *arg)
{
	(void)arg;
}

static void *waits_for_timer(void *arg)
{
	struct kc_timer timer;

	/* an armed timer might wake somebody: no deadlock until it has fired */
	kc_timer_init(&timer, nothing, NULL);
	kc_timer_set(&timer, START + KC_SEC);
	kc_sleep_until(KC_FOREVER);
	return arg;
}

KTEST(task, deadlock_waits_for_timers)
{
	NEED_RETURN();
	kc_set_deadlock_hook(quiet);
	EXPECT_ERR(kc_run(waits_for_timer, NULL), EDEADLK);
	EXPECT_EQ(kc_now(), START + KC_SEC);
}

KTEST(task, deadlock_panics)
{
	KTEST_REQUIRES(!DEADLOCK_RETURNS && HAVE_PANIC_TEXT, "needs DEADLOCK_PANIC, PANIC_TEXT");
	EXPECT_DEATH(SIGABRT, "deadlock", kc_run(makes_deadlock, NULL));
}

#ifdef KC_CONFIG_INSPECT

#ifdef KC_CONFIG_SYNC
static char lines[16][256];
static int nlines;

static void keep_line(void *arg, const char *line)
{
	(void)arg;
	if (nlines < 16)
		snprintf(lines[nlines++], sizeof(lines[0]), "%s", line);
}

static void report(void)
{
	int n = kc_dump(keep_line, NULL);

	EXPECT_EQ(n, nlines);
}

static struct kc_mutex mutex = KC_MUTEX_INIT;

static void *task_holds(void *arg)
{
	kc_mutex_lock(&mutex);
	kc_sleep_until(KC_FOREVER);
	return arg;
}

static void *task_wants(void *arg)
{
	kc_mutex_lock(&mutex);
	return arg;
}

static void *makes_named_deadlock(void *arg)
{
	struct kc_spawn_opts holder = { .name = "holder" }, wanter = { .name = "wanter" };
	struct kc_task *task = kc_spawn(task_holds, NULL, &holder);

	*(uint64_t *)arg = kcoro_id(kc_task_coro(task));
	kc_task_detach(task);
	kc_yield();
	kc_sleep(1500 * KC_MSEC);
	kc_task_detach(kc_spawn(task_wants, NULL, &wanter));
	return NULL;
}

KTEST(task, deadlock_report)
{
	char held[64];
	uint64_t id;

	NEED_RETURN();
	KTEST_REQUIRES(KC_CONFIG_NAME_LEN > 8, "needs names");
	kc_set_deadlock_hook(report);
	EXPECT_ERR(kc_run(makes_named_deadlock, &id), EDEADLK);
	for (int i = 0; i < nlines; i++)
		ktest_log("%s", lines[i]);
	ASSERT_EQ(nlines, 3);
	EXPECT_NOT_NULL(strstr(lines[0], "'main'"));
	EXPECT_NOT_NULL(strstr(lines[1], "'holder' PARKED, 1.500 s old, waits for sleep"));
	EXPECT_NOT_NULL(strstr(lines[2], "'wanter' PARKED, 0.000 s old, waits for mutex"));
	snprintf(held, sizeof(held), "held by %llu", (unsigned long long)id);
	EXPECT_NOT_NULL(strstr(lines[2], held));
}
#endif

static void *task_stuck_and_dies(void *arg)
{
	kc_go(task_sleep_forever, NULL);
	kc_sleep_until(KC_FOREVER);
	return arg;
}

static void run_and_abort(void)
{
	EXPECT_ERR(kc_run(task_stuck_and_dies, NULL), EDEADLK);
	abort();
}

/* without a hook the list goes to standard error */
KTEST(task, deadlock_text)
{
	NEED_RETURN();
#ifdef KC_CONFIG_DEADLOCK_TEXT
	EXPECT_DEATH(SIGABRT, "kcoro: deadlock: every coroutine waits", run_and_abort());
	EXPECT_DEATH(SIGABRT, "PARKED, 0.000 s old, waits for sleep", run_and_abort());
#else
	ktest_skip("needs DEADLOCK_TEXT");
#endif
}

#endif
