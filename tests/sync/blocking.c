// SPDX-License-Identifier: MIT
/* Every call that waits, crossed with everything that can happen to a wait. */
#include "calls.h"

KTEST_SUITE(blocking, .init = rt_init, .exit = rt_exit);

static const struct {
	const char *desc;
	const struct call *call;
} calls[] = {
#ifdef CONFIG_CHAN
	{ "send rendezvous", &call_send0 },
	{ "send buffered", &call_send2 },
	{ "recv rendezvous", &call_recv0 },
	{ "recv buffered", &call_recv2 },
	{ "recv unlimited", &call_recv_unlimited },
	{ "recv conflated", &call_recv_conflated },
#endif
#ifdef CONFIG_SELECT
	{ "select", &call_select },
#endif
	{ "mutex", &call_mutex },
	{ "cond", &call_cond },
	{ "cond with mutex", &call_cond_mutex },
	{ "sem", &call_sem },
	{ "rwlock read", &call_read },
	{ "rwlock write", &call_write },
	{ "waitgroup", &call_group },
	{ "once", &call_once },
	{ "barrier", &call_barrier },
	{ "event", &call_event },
	{ "join", &call_join },
	{ "sleep", &call_sleep },
};

/* what the coroutine that calls is told and tells */
static struct {
	const struct call *call;
	kc_time_t deadline;
	int result, second;
	kc_time_t at;
	bool done;
} w;

static void *waiter(void *arg)
{
	(void)arg;
	w.result = w.call->call(w.deadline);
	w.at = kc_now();
	w.done = true;
	return NULL;
}

static void *waiter_then_sleeps(void *arg)
{
	waiter(arg);
	w.second = kc_sleep(KC_MSEC);
	return NULL;
}

static unsigned long queued(void)
{
	unsigned long n = queued_sync();

#ifdef CONFIG_CHAN
	n += queued_chan();
#endif
	return n;
}

/* a coroutine that makes the call and waits in it now */
static struct kc_task *begin(const struct call *call, kc_fn fn, kc_time_t deadline)
{
	struct kc_task *task;

	memset(&w, 0, sizeof(w));
	w.call = call;
	w.deadline = deadline;
	call->setup(MUST_WAIT);
	task = spawn(fn, NULL);
	settle();
	ASSERT_FALSE(w.done);
	EXPECT_STREQ(STATE(kc_task_coro(task)), "PARKED");
	EXPECT_EQ(queued() > 0, call != &call_sleep);
	EXPECT_EQ(timers_armed(), deadline != KC_FOREVER);
	return task;
}

/* nothing is left of the wait */
static void left_nothing(void)
{
	EXPECT_EQ(queued(), 0);
	EXPECT_FALSE(timers_armed());
}

static void end(struct kc_task *task)
{
	join(task);
	left_nothing();
	w.call->finish();
	left_nothing();
}

static void need_wake(const struct call *call)
{
	KTEST_REQUIRES(call->wake, "only time ends a sleep with success");
}

static bool ran;

static void *canary(void *arg)
{
	(void)arg;
	ran = true;
	return NULL;
}

KTEST_PARAM(blocking, immediate_success, calls)
{
	const struct call *call = param->call;

	KTEST_REQUIRES(!call->always, "this call always waits");
	for (int i = 0; i < 2; i++) {
		call->setup(NEED_NOT);
		go(canary, NULL);
		ran = false;
		/* a deadline that has passed does not matter then */
		EXPECT_EQ(call->call(i ? T0 - 1 : KC_FOREVER), call->first);
		EXPECT_FALSE(ran);
		settle();
		call->finish();
		left_nothing();
	}
}

KTEST_PARAM(blocking, wakes, calls)
{
	struct kc_task *task;

	need_wake(param->call);
	for (int i = 0; i < 2; i++) {
		task = begin(param->call, waiter, i ? kc_after(KC_SEC) : KC_FOREVER);
		param->call->wake();
		/* nobody that wakes gives the CPU up */
		EXPECT_FALSE(w.done);
		if (!param->call->helper)
			left_nothing();
		end(task);
		EXPECT_EQ(w.result, 0);
		EXPECT_EQ(w.at, T0);
	}
}

KTEST_PARAM(blocking, deadline_in_the_past, calls)
{
	const struct call *call = param->call;
	const kc_time_t past[] = { T0, T0 - 1, 1, 0, -1, INT64_MIN };
	struct kc_task *task;

	for (int i = 0; i < 6; i++) {
		memset(&w, 0, sizeof(w));
		w.call = call;
		w.deadline = past[i];
		call->setup(MUST_WAIT);
		task = spawn(waiter, NULL);
		go(canary, NULL);
		ran = false;
		while (!w.done)
			ASSERT_EQ(kc_yield(), 0);
		EXPECT_ERR(w.result, ETIMEDOUT);
		EXPECT_EQ(w.at, T0);
		end(task);
	}
}

/* A call that gives up at once does not let others run; a sleep is a yield. */
KTEST_PARAM(blocking, deadline_in_the_past_does_not_switch, calls)
{
	const struct call *call = param->call;

	KTEST_REQUIRES(!call->owner, "its owner calls here");
	call->setup(MUST_WAIT);
	go(canary, NULL);
	EXPECT_ERR(call->call(T0), ETIMEDOUT);
	EXPECT_EQ(ran, call == &call_sleep);
	settle();
	left_nothing();
	call->finish();
}

KTEST_PARAM(blocking, deadline_expires, calls)
{
	const kc_time_t spans[] = { 1, KC_USEC, 20 * KC_MSEC, 3600 * KC_SEC };
	struct kc_task *task;
	kc_time_t due;

	for (int i = 0; i < 4; i++) {
		due = kc_after(spans[i]);
		task = begin(param->call, waiter, due);
		end(task);
		EXPECT_ERR(w.result, ETIMEDOUT);
		EXPECT_EQ(w.at, due);
	}
}

static void wake_now(void *arg)
{
	(void)arg;
	w.call->wake();
}

/* At the very time of the deadline it counts who came first. */
KTEST_PARAM(blocking, deadline_against_wake, calls)
{
	const struct call *call = param->call;
	struct kc_task *task;
	struct kc_timer timer;
	kc_time_t due;

	need_wake(call);
	KTEST_REQUIRES(!call->owner, "only the owner can wake");
	KTEST_REQUIRES(call != &call_once && call != &call_join && call != &call_barrier,
		       "another coroutine has to run first");
	due = kc_after(KC_SEC);
	kc_timer_init(&timer, wake_now, NULL);
	ASSERT_EQ(kc_timer_set(&timer, due), 0);
	w.call = call;
	w.deadline = due;
	call->setup(MUST_WAIT);
	task = spawn(waiter, NULL);
	end(task);
	EXPECT_EQ(w.result, 0);
	EXPECT_EQ(w.at, due);
}

KTEST_PARAM(blocking, interrupt_before, calls)
{
	const struct call *call = param->call;
	struct kc_task *task;

	memset(&w, 0, sizeof(w));
	w.call = call;
	w.deadline = kc_after(KC_SEC);
	call->setup(MUST_WAIT);
	task = spawn(waiter_then_sleeps, NULL);
	EXPECT_EQ(kc_interrupt(task), 0);
	EXPECT_EQ(kc_interrupt(task), 0);
	end(task);
	EXPECT_ERR(w.result, EINTR);
	EXPECT_EQ(w.at, T0);
	/* consumed */
	EXPECT_EQ(w.second, 0);
}

/* It is for waits: a call that need not wait leaves it alone. */
KTEST_PARAM(blocking, interrupt_before_success, calls)
{
	const struct call *call = param->call;
	struct kc_task *task;

	KTEST_REQUIRES(!call->always, "this call always waits");
	memset(&w, 0, sizeof(w));
	w.call = call;
	w.deadline = KC_FOREVER;
	call->setup(NEED_NOT);
	task = spawn(waiter_then_sleeps, NULL);
	EXPECT_EQ(kc_interrupt(task), 0);
	end(task);
	EXPECT_EQ(w.result, call->interrupt_first ? -EINTR : call->first);
	EXPECT_EQ(w.second, call->interrupt_first ? 0 : -EINTR);
}

KTEST_PARAM(blocking, interrupt_during, calls)
{
	struct kc_task *task;

	for (int i = 0; i < 2; i++) {
		task = begin(param->call, waiter_then_sleeps, i ? kc_after(KC_SEC) : KC_FOREVER);
		EXPECT_EQ(kc_interrupt(task), 0);
		EXPECT_FALSE(w.done);
		left_nothing();
		end(task);
		EXPECT_ERR(w.result, EINTR);
		EXPECT_EQ(w.second, 0);
	}
}

/* The result is that of who came first; an interrupt that came second waits for the next wait. */
KTEST_PARAM(blocking, wake_then_interrupt, calls)
{
	const struct call *call = param->call;
	struct kc_task *task;

	need_wake(call);
	task = begin(call, waiter_then_sleeps, kc_after(KC_SEC));
	call->wake();
	if (call == &call_once || call == &call_join)
		ASSERT_EQ(kc_yield(), 0);	/* the helper does it */
	EXPECT_FALSE(w.done);
	EXPECT_EQ(kc_interrupt(task), 0);
	end(task);
	EXPECT_EQ(w.result, 0);
	EXPECT_ERR(w.second, EINTR);
}

KTEST_PARAM(blocking, close_or_destroy, calls)
{
	const struct call *call = param->call;
	struct kc_task *task;

	KTEST_REQUIRES(call->stop, "there is nothing to close or destroy");
	task = begin(call, waiter, KC_FOREVER);
	if (call->stopped) {
		EXPECT_EQ(call->stop(), 0);
		EXPECT_FALSE(w.done);
		left_nothing();
	} else {
		EXPECT_ERR(call->stop(), EBUSY);
		settle();
		EXPECT_FALSE(w.done);
		call->wake();
	}
	end(task);
	EXPECT_EQ(w.result, call->stopped);
}

static void *attempter(void *arg)
{
	(void)arg;
	w.result = w.call->attempt();
	return NULL;
}

KTEST_PARAM(blocking, attempt_does_not_wait, calls)
{
	const struct call *call = param->call;

	KTEST_REQUIRES(call->attempt, "has no form that never waits");
	w.call = call;
	call->setup(MUST_WAIT);
	join(spawn(attempter, NULL));
	EXPECT_EQ(w.result, call->busy);
	left_nothing();
	call->finish();
}

/* On a thread without a runtime, first without and then with a main coroutine. */
static void *outside(void *arg)
{
	(void)arg;
	EXPECT_ERR(w.call->call(KC_FOREVER), EPERM);
	EXPECT_ERR(w.call->call(T0 + 1), EPERM);
	EXPECT_ERR(w.call->call(T0 - 1), EPERM);
	ASSERT_NOT_NULL(kcoro_create_main());
	EXPECT_ERR(w.call->call(KC_FOREVER), EPERM);
	EXPECT_EQ(kcoro_detach(), 0);
	return NULL;
}

KTEST_PARAM(blocking, outside_a_runtime, calls)
{
	w.call = param->call;
	if (HAVE_THREADS) {
		w.call->setup(MUST_WAIT);
		run_thread(outside, NULL);
	} else {
		KTEST_REQUIRES(!w.call->helper, "needs THREADS");
		w.call->setup(MUST_WAIT);
		ASSERT_EQ(kc_detach(), 0);
		EXPECT_ERR(w.call->call(KC_FOREVER), EPERM);
		EXPECT_ERR(w.call->call(T0 - 1), EPERM);
		ASSERT_EQ(kc_attach(), 0);
	}
	left_nothing();
	w.call->finish();
}

/* The thread's own coroutine waits as others do, and hears of a deadlock. */
KTEST_PARAM(blocking, deadlock, calls)
{
	const struct call *call = param->call;

	KTEST_REQUIRES(!IS_ENABLED(CONFIG_DEADLOCK_PANIC), "a deadlock is a panic");
	KTEST_REQUIRES(!call->owner, "its owner calls here");
	call->setup(MUST_WAIT);
	EXPECT_ERR(call->call(KC_FOREVER), EDEADLK);
	left_nothing();
	call->finish();
}
