// SPDX-License-Identifier: MIT
/* Whose turn it is. */
#include <dirent.h>

#include "common.h"

KTEST_SUITE(sched, .init = virtual_init, .timeout = 30);

static struct trace trace;
static char letters[] = "abcdefghijklmnopqrstuvwxyz";

static void *task_rounds(void *arg)
{
	for (int i = 0; i < 4; i++) {
		mark(&trace, *(char *)arg);
		EXPECT_EQ(kc_yield(), 0);
	}
	return NULL;
}

RT_TEST(sched, round_robin_in_order_of_spawn)
{
	struct kc_task *task[5];

	for (int i = 0; i < 5; i++)
		task[i] = spawn(task_rounds, &letters[i]);
	for (int i = 0; i < 5; i++)
		join(task[i]);
	EXPECT_STREQ(trace.text, "abcdeabcdeabcdeabcde");
}

static void *task_marks(void *arg)
{
	mark(&trace, *(char *)arg);
	return NULL;
}

static void *task_parks_and_marks(void *arg)
{
	kcoro_park();
	mark(&trace, *(char *)arg);
	return NULL;
}

static void *task_sleeps_and_marks(void *arg)
{
	kc_sleep_until(KC_FOREVER);
	mark(&trace, *(char *)arg);
	return NULL;
}

static void *task_joins_and_marks(void *arg)
{
	join(*(struct kc_task **)arg);
	mark(&trace, 'j');
	return NULL;
}

/* started, woken and interrupted ones join at the end, in the order in which it happened */
RT_TEST(sched, first_come_first_served)
{
	struct kc_task *sleeper = spawn(task_sleeps_and_marks, &letters[0]);
	struct kc_task *parked = spawn(task_parks_and_marks, &letters[1]);
	struct kc_task *started, *joiner;

	kc_yield();
	started = spawn(task_marks, &letters[2]);
	joiner = spawn(task_joins_and_marks, &started);
	kcoro_unpark(kc_task_coro(parked));
	kc_interrupt(sleeper);
	kc_go(task_marks, &letters[3]);
	EXPECT_STREQ(trace.text, "");			/* none of these calls switches */
	join(joiner);
	join(sleeper);
	join(parked);
	kc_yield();
	EXPECT_STREQ(trace.text, "cjbad");
}

/* everybody has run as often as everybody else, give or take one */
struct fair {
	long turns;
	bool *stop;
};

static void *task_turns(void *arg)
{
	struct fair *f = arg;

	while (!*f->stop) {
		f->turns++;
		kc_yield();
	}
	return NULL;
}

RT_TEST(sched, fair)
{
	unsigned long n = at_most(1000, MAX_TASKS);
	struct fair *f = calloc(n, sizeof(*f));
	bool stop = false;

	ASSERT_NOT_NULL(f);
	for (unsigned long i = 0; i < n; i++) {
		f[i].stop = &stop;
		EXPECT_EQ(kc_go(task_turns, &f[i]), 0);
	}
	for (int i = 0; i < 100; i++)
		kc_yield();
	stop = true;
	for (unsigned long i = 0; i < n; i++)
		ASSERT_EQ(f[i].turns, 100);
	kc_yield();
	free(f);
}

/* ---- nobody loses the CPU against its will ---- */

static char *cursor;	/* as that of strtok() */

static int count_words(char *text)
{
	int n = 0;

	cursor = text;
	while (*cursor) {
		cursor += strspn(cursor, " ");
		n += *cursor != '\0';
		cursor += strcspn(cursor, " ");
	}
	return n;
}

static long shared;

static void *task_without_locks(void *arg)
{
	char text[] = "a few words of no great meaning";

	for (int i = 0; i < 100; i++) {
		long seen = shared;

		EXPECT_EQ(count_words(text), 7);
		shared = seen + 1;
		kc_yield();
	}
	return arg;
}

RT_TEST(sched, no_locks_between_waits)
{
	struct kc_task *task[10];

	for (int i = 0; i < 10; i++)
		task[i] = spawn(task_without_locks, NULL);
	for (int i = 0; i < 10; i++)
		join(task[i]);
	EXPECT_EQ(shared, 1000);
}

/* ---- time passes while others run: a clock that the case moves ---- */

static kc_time_t now = START;

static kc_time_t clock_now(void)
{
	return now;
}

static int run_with_clock(kc_fn fn, void *arg)
{
	EXPECT_EQ(kc_clock_set(clock_now), 0);
	return kc_run(fn, arg);
}

struct polled {
	long yields;	/* from the deadline on */
	bool due, fired;
};

static void *task_yields_until_fired(void *arg)
{
	struct polled *p = arg;

	while (!p->fired) {
		if (p->due)
			p->yields++;
		ASSERT_LE(p->yields, 10L * KC_CONFIG_POLL_INTERVAL);
		kc_yield();
	}
	return NULL;
}

static void fires(void *arg)
{
	((struct polled *)arg)->fired = true;
}

static void *starves(void *arg)
{
	struct polled *p = arg;
	struct kc_timer timer;
	struct kc_task *a, *b;

	kc_timer_init(&timer, fires, p);
	EXPECT_EQ(kc_timer_set(&timer, now + KC_SEC), 0);
	a = spawn(task_yields_until_fired, p);
	b = spawn(task_yields_until_fired, p);
	for (int i = 0; i < 1000; i++)
		kc_yield();
	EXPECT_FALSE(p->fired);
	now += KC_SEC;
	p->due = true;
	join(a);
	join(b);
	return NULL;
}

KTEST(sched, yielders_do_not_starve_timers)
{
	struct polled p = { .yields = 0 };

	EXPECT_EQ(run_with_clock(starves, &p), 0);
	EXPECT_TRUE(p.fired);
	EXPECT_LE(p.yields, KC_CONFIG_POLL_INTERVAL + 2);
}

static void *starves_alone(void *arg)
{
	struct polled *p = arg;
	struct kc_timer timer;

	kc_timer_init(&timer, fires, p);
	EXPECT_EQ(kc_timer_set(&timer, now), 0);
	p->due = true;
	return task_yields_until_fired(p);
}

KTEST(sched, a_single_yielder_does_not_starve_timers)
{
	struct polled p = { .yields = 0 };

	EXPECT_EQ(run_with_clock(starves_alone, &p), 0);
	EXPECT_LE(p.yields, KC_CONFIG_POLL_INTERVAL + 2);
}

struct sleeper {
	kc_time_t deadline;
	char letter;
};

static void *task_sleeps(void *arg)
{
	struct sleeper *s = arg;

	EXPECT_EQ(kc_sleep_until(s->deadline), 0);
	mark(&trace, s->letter);
	return NULL;
}

/* those whose time is up go before all that are ready, among themselves by deadline */
static void *expires(void *arg)
{
	struct sleeper s[] = { { START + 30, 'C' }, { START + 10, 'A' }, { START + 20, 'B' },
			       { START + 30, 'D' } };
	struct kc_task *task[4];
	bool ready = false;

	for (int i = 0; i < 4; i++)
		task[i] = spawn(task_sleeps, &s[i]);
	kc_yield();
	now = START + 30;
	/* fill the queue until the runtime looks at the clock */
	for (int i = 0; !trace.length && i <= KC_CONFIG_POLL_INTERVAL; i++) {
		kc_go(task_marks, &letters[25]);
		kc_go(task_marks, &letters[24]);
		kc_yield();
		ready = strchr(trace.text, 'A') != NULL;
		if (!ready)
			trace = (struct trace){ .length = 0 };
	}
	EXPECT_TRUE(ready);
	for (int i = 0; i < 4; i++)
		join(task[i]);
	/* all four stand together, before those that were in the queue */
	EXPECT_NOT_NULL(strstr(trace.text, "ABCD"));
	return arg;
}

KTEST(sched, expired_ones_go_first)
{
	EXPECT_EQ(run_with_clock(expires, NULL), 0);
	ktest_log("%s", trace.text);
}

static void *task_spins_the_clock(void *arg)
{
	mark(&trace, 'r');
	return arg;
}

static void *expires_before_ready(void *arg)
{
	struct sleeper s = { START + 10, 'E' };
	struct kc_task *task = spawn(task_sleeps, &s);

	kc_yield();
	now = START + 10;
	/* so many are ready that the clock is looked at while the last ones still wait */
	for (unsigned int i = 0; i < KC_CONFIG_POLL_INTERVAL + 2; i++)
		kc_go(task_spins_the_clock, NULL);
	join(task);
	EXPECT_NOT_NULL(strchr(trace.text, 'E'));
	EXPECT_LE(strcspn(trace.text, "E"), KC_CONFIG_POLL_INTERVAL);
	return arg;
}

KTEST(sched, expired_ones_pass_a_long_queue)
{
	KTEST_REQUIRES(KC_CONFIG_POLL_INTERVAL + 8 < MAX_LIVE && KC_CONFIG_POLL_INTERVAL < 200,
		       "needs more coroutines than POLL_INTERVAL");
	EXPECT_EQ(run_with_clock(expires_before_ready, NULL), 0);
}

/* ---- the process ---- */

static int threads(void)
{
	DIR *dir = opendir("/proc/self/task");
	int n = 0;

	ASSERT_NOT_NULL(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

static void *counts_threads(void *arg)
{
	struct kc_task *task[10];
	int n = *(int *)arg;

	for (int i = 0; i < 10; i++)
		task[i] = spawn(task_rounds, &letters[i]);
	EXPECT_EQ(threads(), n);
	EXPECT_EQ(kc_sleep(KC_MSEC), 0);
	EXPECT_EQ(threads(), n);
	for (int i = 0; i < 10; i++)
		join(task[i]);
	EXPECT_EQ(threads(), n);
	return NULL;
}

KTEST(sched, no_threads_are_made)
{
	int before = threads();

	EXPECT_EQ(kc_clock_set(NULL), 0);
	EXPECT_EQ(kc_run(counts_threads, &before), 0);
	EXPECT_EQ(threads(), before);
}

/* an empty queue is not the end: sleepers are waited for, one after another */
static void *task_relay(void *arg)
{
	int *left = arg;

	EXPECT_EQ(kc_sleep(3600 * KC_SEC), 0);
	if (--*left)
		EXPECT_EQ(kc_go(task_relay, left), 0);
	return NULL;
}

KTEST(sched, empty_queue_is_not_the_end)
{
	int left = 24;

	EXPECT_EQ(kc_run(task_relay, &left), 0);
	EXPECT_EQ(left, 0);
	EXPECT_EQ(kc_now(), START + 24 * 3600 * KC_SEC);
}
