/* SPDX-License-Identifier: MIT */
/*
 * What the suites of channels, select and locks share. A case runs as the thread's own coroutine
 * of a runtime with a virtual clock: time is exact, and a case that would hang gets -EDEADLK.
 */
#ifndef TESTS_CHAN_RT_H
#define TESTS_CHAN_RT_H

#include "../core/common.h"

#include <internal/kconfig.h>
#include <internal/runtime.h>

#define T0	(1000 * KC_SEC)

/* coroutines a case may have beside its own: the static pool of the smallest builds has 16 */
#define CREW	12

#define HAVE_CHAN	IS_ENABLED(CONFIG_CHAN)
#define HAVE_SELECT	IS_ENABLED(CONFIG_SELECT)
#define HAVE_SYNC	IS_ENABLED(CONFIG_SYNC)

/* timers that are armed; 0 or 1 is all that cases want to know */
static inline int timers_armed(void)
{
	return kc_timers_next(&kc_this_runtime()->timers) != KC_FOREVER;
}

/* how many wait there */
static inline unsigned long length(const struct kc_waitq *q)
{
	unsigned long n = 0;

	for (const struct kc_node *node = q->first; node; node = node->next)
		n++;
	return n;
}

static inline void quiet(void)
{
}

static inline int rt_init(void)
{
	int err = kc_clock_virtual(T0);

	/* the list of who waits is for people; cases that want a deadlock look for the error */
	kc_set_deadlock_hook(quiet);
	if (!err)
		err = kc_attach();
	if (!err)
		ktest_leak_counter("live coroutines", live_coroutines);
	return err;
}

/* all have ended and nothing is left of them */
static inline void rt_exit(void)
{
	if (!kc_this_runtime())
		return;
	EXPECT_FALSE(timers_armed());
	EXPECT_EQ(kc_this_runtime()->tasks, 0);
	EXPECT_EQ(kc_detach(), 0);
	EXPECT_EQ(kc_clock_virtual(0), 0);
}

static inline struct kc_task *spawn(kc_fn fn, void *arg)
{
	struct kc_task *task = kc_spawn(fn, arg, NULL);

	ASSERT_NOT_NULL(task);
	return task;
}

static inline void go(kc_fn fn, void *arg)
{
	ASSERT_EQ(kc_go(fn, arg), 0);
}

static inline long join(struct kc_task *task)
{
	void *value = NULL;

	ASSERT_EQ(kc_join(task, &value), 0);
	return (long)(intptr_t)value;
}

/* let all that can run do so until they wait; time stands still */
static inline void settle(void)
{
	for (int i = 0; i < CREW + 4; i++)
		ASSERT_EQ(kc_yield(), 0);
}

static inline void *ret(long value)
{
	return (void *)(intptr_t)value;
}

/* a record of who did what in which order */
struct story {
	int n;
	int what[64];
};

static inline void tell(struct story *s, int what)
{
	ASSERT_LT(s->n, 64);
	s->what[s->n++] = what;
}

#define EXPECT_STORY(_s, ...)								\
	do {										\
		const int want_[] = { __VA_ARGS__ };					\
		const int n_ = (int)(sizeof(want_) / sizeof(want_[0]));			\
											\
		EXPECT_EQ((_s)->n, n_);							\
		for (int i_ = 0; i_ < n_ && i_ < (_s)->n; i_++)				\
			EXPECT_EQ((_s)->what[i_], want_[i_]);				\
	} while (0)

#endif
