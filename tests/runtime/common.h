/* SPDX-License-Identifier: MIT */
/* What the suites of the runtime share. */
#ifndef TESTS_RUNTIME_COMMON_H
#define TESTS_RUNTIME_COMMON_H

#include "../core/common.h"

#ifdef KC_CONFIG_INSPECT
#define HAVE_INSPECT	1
#else
#define HAVE_INSPECT	0
#endif

#ifdef KC_CONFIG_DEADLOCK_PANIC
#define DEADLOCK_RETURNS	0
#else
#define DEADLOCK_RETURNS	1
#endif

/* where the virtual clock of a case starts: not at the begin of a slot of any size */
#define START	((kc_time_t)1000 * KC_SEC + 12345)

/* tasks that can exist at a time, next to a few that a case needs besides */
#define MAX_TASKS	(MAX_LIVE - 8)

/* ids of coroutines go into a trace as letters */
struct trace {
	char text[256];
	size_t length;
};

static inline void mark(struct trace *t, char c)
{
	if (t->length < sizeof(t->text) - 1)
		t->text[t->length++] = c;
}

static inline int virtual_init(void)
{
	ktest_leak_counter("live coroutines", live_coroutines);
	return kc_clock_virtual(START);
}

static inline void *run_void_body(void *arg)
{
	(*(void (**)(void))arg)();
	return NULL;
}

static inline int run_void(void (*fn)(void))
{
	return kc_run(run_void_body, &fn);
}

/* RT_TEST(suite, name) { body }: a case whose body is the first coroutine of a runtime */
#define RT_TEST(_suite, _name)						\
	static void rt_##_suite##_##_name(void);			\
	KTEST(_suite, _name)						\
	{								\
		EXPECT_EQ(run_void(rt_##_suite##_##_name), 0);		\
	}								\
	static void rt_##_suite##_##_name(void)

static inline struct kc_task *spawn(kc_fn fn, void *arg)
{
	struct kc_task *task = kc_spawn(fn, arg, NULL);

	ASSERT_NOT_NULL(task);
	return task;
}

static inline void *join(struct kc_task *task)
{
	void *value = NULL;

	ASSERT_EQ(kc_join(task, &value), 0);
	return value;
}

/* bodies */
static inline void *task_nothing(void *arg)
{
	return arg;
}

static inline void *task_count(void *arg)
{
	++*(int *)arg;
	return NULL;
}

static inline void *task_sleep_forever(void *arg)
{
	(void)arg;
	return (void *)(intptr_t)kc_sleep_until(KC_FOREVER);
}

static inline void *task_park(void *arg)
{
	kcoro_park();
	return arg;
}

#endif
