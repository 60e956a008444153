// SPDX-License-Identifier: MIT
/* Looking at coroutines from outside: lists, hooks, safepoints, and the trace of switches. */
#include "common.h"

KTEST_SUITE(sched, .init = virtual_init, .timeout = 30);

struct seen {
	struct kc_info info[8];
	int n, stop_at;
};

static int keep(const struct kc_info *info, void *arg)
{
	struct seen *seen = arg;

	if (seen->n < 8)
		seen->info[seen->n] = *info;
	return ++seen->n == seen->stop_at ? -7 : 0;
}

/* the thread's own is the only one, there is no idle one besides */
KTEST(sched, each_sees_the_thread)
{
	struct seen seen = { .n = 0 };

	ASSERT_EQ(kc_attach(), 0);
	EXPECT_EQ(kc_each(keep, &seen), 0);
	EXPECT_EQ(seen.n, 1);
	EXPECT_PTR_EQ(seen.info[0].co, kcoro_current());
	EXPECT_NULL(seen.info[0].low);
	EXPECT_NULL(seen.info[0].sp);
	EXPECT_NULL(seen.info[0].waits_on);
	EXPECT_EQ(kc_detach(), 0);
}

RT_TEST(sched, each_is_oldest_first)
{
	struct seen seen = { .n = 0 };
	struct kc_task *sleeper, *parked, *fresh, *joined;

	sleeper = spawn(task_sleep_forever, NULL);
	joined = spawn(task_nothing, NULL);
	parked = spawn(task_park, NULL);
	kc_yield();
	kc_sleep(KC_SEC);
	join(joined);
	fresh = spawn(task_nothing, NULL);
	EXPECT_EQ(kc_each(keep, &seen), 0);
	ASSERT_EQ(seen.n, 5);
	EXPECT_STREQ(seen.info[0].waits_on, "the others");
	EXPECT_PTR_EQ(seen.info[1].co, kcoro_current());
	EXPECT_NULL(seen.info[1].sp);
	EXPECT_PTR_EQ(seen.info[2].co, kc_task_coro(sleeper));
	EXPECT_STREQ(seen.info[2].waits_on, "sleep");
	EXPECT_EQ(seen.info[2].age, KC_SEC);
	EXPECT_PTR_EQ(seen.info[3].co, kc_task_coro(parked));
	EXPECT_STREQ(seen.info[3].waits_on, "unpark");
	EXPECT_PTR_EQ(seen.info[4].co, kc_task_coro(fresh));
	EXPECT_NULL(seen.info[4].waits_on);
	EXPECT_EQ(seen.info[4].age, 0);
	for (int i = 1; i < 5; i++) {
		void *low, *high;

		EXPECT_EQ(kcoro_stack_bounds(seen.info[i].co, &low, &high), 0);
		EXPECT_PTR_EQ(seen.info[i].low, low);
		EXPECT_PTR_EQ(seen.info[i].high, high);
		if (i > 1) {
			EXPECT_TRUE((char *)seen.info[i].sp >= (char *)low);
			EXPECT_TRUE((char *)seen.info[i].sp <= (char *)high);
			EXPECT_NOT_NULL(seen.info[i].regs);
			EXPECT_GT(seen.info[i].regs_size, 0);
		}
	}
	seen = (struct seen){ .stop_at = 3 };
	EXPECT_EQ(kc_each(keep, &seen), -7);
	EXPECT_EQ(seen.n, 3);
	kc_interrupt(sleeper);
	kcoro_unpark(kc_task_coro(parked));
	join(sleeper);
	join(parked);
	join(fresh);
}

static char lines[8][256];
static int nlines;

static void keep_line(void *arg, const char *line)
{
	EXPECT_PTR_EQ(arg, lines);
	EXPECT_NULL(strchr(line, '\n'));
	snprintf(lines[nlines++], sizeof(lines[0]), "%s", line);
}

RT_TEST(sched, dump)
{
	struct kc_task *task = spawn(task_sleep_forever, NULL), *joiner = spawn(task_park, NULL);
	char id[32];

	kc_yield();
	EXPECT_EQ(kc_dump(keep_line, lines), 4);
	ASSERT_EQ(nlines, 4);
	EXPECT_NOT_NULL(strstr(lines[1], "RUNNING"));
	EXPECT_NOT_NULL(strstr(lines[2], "PARKED, 0.000 s old, waits for sleep"));
	EXPECT_NOT_NULL(strstr(lines[3], "waits for unpark"));
	snprintf(id, sizeof(id), "  %llu '", (unsigned long long)kcoro_id(kc_task_coro(task)));
	EXPECT_PTR_EQ(strstr(lines[2], id), lines[2]);
	EXPECT_ERR(kc_dump(NULL, NULL), EINVAL);
	kc_interrupt(task);
	kcoro_unpark(kc_task_coro(joiner));
	join(task);
	join(joiner);
}

RT_TEST(sched, user_pointer)
{
	struct kc_task *task = spawn(task_nothing, NULL);
	int x;

	EXPECT_NULL(kc_user(kc_task_coro(task)));
	EXPECT_EQ(kc_set_user(kc_task_coro(task), &x), 0);
	EXPECT_EQ(kc_set_user(kcoro_current(), &task), 0);
	EXPECT_PTR_EQ(kc_user(kc_task_coro(task)), &x);
	EXPECT_PTR_EQ(kc_user(kcoro_current()), &task);
	EXPECT_ERR(kc_set_user(NULL, &x), EINVAL);
	EXPECT_NULL(kc_user(NULL));
	join(task);
	task = spawn(task_nothing, NULL);	/* in the memory of the one before */
	EXPECT_NULL(kc_user(kc_task_coro(task)));
	join(task);
}

/* ---- hooks ---- */

static struct {
	uint64_t out, in;
} log_[4096];
static unsigned int nlog, hook_calls;
static uint64_t base;

static void hook_out(kcoro_t *co, void *arg)
{
	EXPECT_PTR_EQ(arg, log_);
	hook_calls++;
	if (nlog < 4096)
		log_[nlog].out = kcoro_id(co) - base;
}

static void hook_in(kcoro_t *co, void *arg)
{
	EXPECT_PTR_EQ(arg, log_);
	hook_calls++;
	if (nlog < 4096)
		log_[nlog++].in = kcoro_id(co) - base;
}

static const struct kc_hooks hooks = { .out = hook_out, .in = hook_in, .arg = log_ };

static void *task_yields(void *arg)
{
	for (int i = 0; i < 3; i++)
		kc_yield();
	return arg;
}

RT_TEST(sched, hooks)
{
	struct kc_task *a = spawn(task_yields, NULL), *b = spawn(task_yields, NULL);
	const struct kc_hooks in_only = { .in = hook_in, .arg = log_ };
	uint64_t me = kcoro_id(kcoro_current());
	unsigned int calls;

	EXPECT_EQ(kc_set_hooks(&hooks), 0);
	kc_yield();
	/* me to a, a to b, b to me */
	ASSERT_EQ(nlog, 3);
	EXPECT_EQ(log_[0].out, me);
	EXPECT_EQ(log_[0].in, kcoro_id(kc_task_coro(a)));
	EXPECT_EQ(log_[1].in, kcoro_id(kc_task_coro(b)));
	EXPECT_EQ(log_[2].in, me);
	kc_yield();
	kc_sleep(KC_SEC);
	for (unsigned int i = 1; i < nlog; i++)
		EXPECT_EQ(log_[i].out, log_[i - 1].in);
	EXPECT_EQ(kc_set_hooks(NULL), 0);
	calls = hook_calls;
	join(a);
	join(b);
	EXPECT_EQ(hook_calls, calls);
	EXPECT_EQ(kc_set_hooks(&in_only), 0);
	kc_go(task_yields, NULL);
	kc_yield();
	EXPECT_EQ(hook_calls, calls + 2);
	EXPECT_EQ(kc_set_hooks(NULL), 0);
}

/* ---- the same program, the same switches ---- */

static uint64_t random_state;

static unsigned int random_below(unsigned int n)
{
	random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
	return (unsigned int)(random_state >> 33) % n;
}

static struct kc_task *victim[4];
static int alive;

static void *task_random(void *arg)
{
	intptr_t depth = (intptr_t)arg;

	alive++;
	for (int i = 0; i < 20; i++) {
		struct kc_task *child;

		switch (random_below(5)) {
		case 0:
			kc_yield();
			break;
		case 1:
			kc_sleep(random_below(1000) * KC_USEC);
			break;
		case 2:
			kc_interrupt(victim[random_below(4)]);
			break;
		case 3:
			child = depth ? kc_spawn(task_random, (void *)(depth - 1), NULL) : NULL;
			if (child && kc_join(child, NULL))
				kc_task_detach(child);
			break;
		default:
			kc_sleep(0);
			break;
		}
	}
	alive--;
	return NULL;
}

static void *random_program(void *arg)
{
	base = kcoro_id(kcoro_current());
	kc_set_hooks(&hooks);
	for (int i = 0; i < 4; i++)
		victim[i] = spawn(task_random, (void *)1);
	/* handles are good until all have ended, since each may be interrupted by the others */
	do
		kc_sleep(KC_MSEC);
	while (alive);
	kc_set_hooks(NULL);
	for (int i = 0; i < 4; i++)
		join(victim[i]);
	return arg;
}

static unsigned int traced(uint64_t seed, void *copy)
{
	nlog = 0;
	random_state = seed;
	EXPECT_EQ(kc_clock_virtual(START), 0);
	EXPECT_EQ(kc_run(random_program, NULL), 0);
	memcpy(copy, log_, sizeof(log_));
	return nlog;
}

KTEST(sched, same_trace_in_every_run)
{
	static char a[sizeof(log_)], b[sizeof(log_)];
	unsigned int n;

	KTEST_REQUIRES(MAX_LIVE >= 16, "needs 16 coroutines");
	for (int i = 0; i < 5; i++) {
		uint64_t seed = ktest_rand();

		n = traced(seed, a);
		EXPECT_GT(n, 50);
		EXPECT_EQ(traced(seed, b), n);
		EXPECT_EQ(memcmp(a, b, n * sizeof(log_[0])), 0);
	}
}

/* ---- safepoints ---- */

static int safepoints;
static struct seen at_safepoint;

static void safepoint(void *arg)
{
	EXPECT_PTR_EQ(arg, &safepoints);
	safepoints++;
	at_safepoint = (struct seen){ .n = 0 };
	EXPECT_EQ(kc_each(keep, &at_safepoint), 0);
}

RT_TEST(sched, safepoint_without_hooks)
{
	struct kc_hooks none = { .arg = NULL };

	/* hooks that go take no safepoint with them */
	EXPECT_EQ(kc_set_hooks(&none), 0);
	EXPECT_EQ(kc_safepoint(safepoint, &safepoints), 0);
	EXPECT_EQ(kc_set_hooks(NULL), 0);
	EXPECT_EQ(kc_go(task_nothing, NULL), 0);
	kc_yield();
	EXPECT_EQ(safepoints, 1);
}

RT_TEST(sched, safepoint)
{
	struct kc_task *task = spawn(task_yields, NULL);

	EXPECT_ERR(kc_safepoint(NULL, NULL), EINVAL);
	EXPECT_EQ(kc_safepoint(safepoint, &safepoints), 0);
	EXPECT_ERR(kc_safepoint(safepoint, &safepoints), EBUSY);
	EXPECT_EQ(safepoints, 0);
	kc_yield();
	EXPECT_EQ(safepoints, 1);		/* at the first switch */
	EXPECT_EQ(at_safepoint.n, 3);
	for (int i = 0; i < 200; i++)
		kc_yield();
	EXPECT_EQ(safepoints, 1);		/* and once only */
	join(task);
	EXPECT_EQ(kc_safepoint(safepoint, &safepoints), 0);
	kc_sleep(KC_SEC);
	EXPECT_EQ(safepoints, 2);
	EXPECT_EQ(kc_safepoint(safepoint, &safepoints), 0);
	kc_yield();				/* nobody else is there */
	EXPECT_EQ(safepoints, 3);
}

/* ---- roots ---- */

struct secret {
	uintptr_t value;
	unsigned int found;
};

static int scan(const struct kc_info *info, void *arg)
{
	struct secret *s = arg;
	const uintptr_t *p = info->sp;
	const uintptr_t *regs = info->regs;

	if (!p || !info->low)
		return 0;
	for (; p < (const uintptr_t *)info->high; p++)
		s->found += *p == s->value;
	for (size_t i = 0; i < info->regs_size / sizeof(*regs); i++)
		s->found += regs[i] == s->value;
	return 0;
}

static uintptr_t hidden;
static volatile uintptr_t result;

static void *task_holds_root(void *arg)
{
	volatile uintptr_t root = ~hidden;

	kc_sleep_until(KC_FOREVER);
	result = root;
	return arg;
}

/* a pointer that lies on a parked stack only is found there */
RT_TEST(sched, roots_on_parked_stacks)
{
	struct secret s = { .value = 0 };
	struct kc_task *task;

	KTEST_REQUIRES(!HAVE_SANITIZER, "a sanitizer keeps variables elsewhere");
	KTEST_REQUIRES(strcmp(ktest_runner(), "valgrind"), "a scan reads what was never written");
	hidden = ~(uintptr_t)&s;
	task = spawn(task_holds_root, NULL);
	kc_yield();
	s.value = ~hidden;
	EXPECT_EQ(kc_each(scan, &s), 0);
	EXPECT_GE(s.found, 1);
	kc_interrupt(task);
	join(task);
	EXPECT_EQ(result, ~hidden);
}
