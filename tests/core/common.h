/* SPDX-License-Identifier: MIT */
/* What the suites of the core and of the stacks share. */
#ifndef TESTS_CORE_COMMON_H
#define TESTS_CORE_COMMON_H

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <kcoro/kcoro.h>
#include <ktest.h>

#define HAVE_THREADS	IS_ENABLED(CONFIG_THREADS)
#define HAVE_SMP	IS_ENABLED(CONFIG_SMP)
#define HAVE_DEBUG	IS_ENABLED(CONFIG_DEBUG)
#define HAVE_PANIC_TEXT	IS_ENABLED(CONFIG_PANIC_TEXT)
#define HAVE_SANITIZER	(IS_ENABLED(CONFIG_ASAN) || IS_ENABLED(CONFIG_TSAN))

/* coroutines that can exist at a time */
#ifdef KC_CONFIG_STACK_STATIC
#define MAX_LIVE	((unsigned long)KC_CONFIG_STACK_STATIC_COUNT)
#elif defined(KC_CONFIG_TSAN)
#define MAX_LIVE	200UL
#else
#define MAX_LIVE	1000000UL
#endif

/* enough of a stack for a body with a few calls, in memory of the caller */
#ifdef KC_CONFIG_STACK_STATIC
#define OWN_STACK	8192
#elif HAVE_SANITIZER
#define OWN_STACK	65536
#else
#define OWN_STACK	16384
#endif

#define STATE(_co)	kcoro_state_name(kcoro_state(_co))

#define NEED_THREADS()	KTEST_REQUIRES(HAVE_THREADS, "needs THREADS")

static inline unsigned long at_most(unsigned long n, unsigned long limit)
{
	return n < limit ? n : limit;
}

static inline bool native(void)
{
	return !strcmp(ktest_runner(), "native") && !HAVE_SANITIZER;
}

static inline long live_coroutines(void)
{
	struct kcoro_stats st;

	kcoro_get_stats(&st);
	return (long)st.live;
}

static inline int common_init(void)
{
	if (!kcoro_create_main())
		return -errno;
	ktest_leak_counter("live coroutines", live_coroutines);
	return 0;
}

/* what a coroutine is told and tells */
struct job {
	kcoro_t *self, *other;
	int steps;
	long value;
	const char *seen[4];
};

static inline kcoro_t *make(kcoro_fn fn, void *arg)
{
	kcoro_t *co = kcoro_create(fn, arg, 0);

	ASSERT_NOT_NULL(co);
	return co;
}

/* bodies */
static inline void body_nothing(void *arg)
{
	(void)arg;
}

static inline void body_count(void *arg)
{
	++*(int *)arg;
}

static inline void body_yield_forever(void *arg)
{
	(void)arg;
	for (;;)
		kcoro_yield();
}

static inline void body_park(void *arg)
{
	(void)arg;
	kcoro_park();
}

static inline void body_resume_job(void *arg)
{
	struct job *job = arg;

	kcoro_resume(job->self);
	job->steps++;
}

static inline void run_thread(void *(*fn)(void *), void *arg)
{
	pthread_t thread;

	ASSERT_EQ(pthread_create(&thread, NULL, fn, arg), 0);
	ASSERT_EQ(pthread_join(thread, NULL), 0);
}

/* resident bytes of this process */
static inline long resident(void)
{
	long pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	if (!f || fscanf(f, "%*d %ld", &pages) != 1)
		pages = 0;
	if (f)
		fclose(f);
	return pages * sysconf(_SC_PAGESIZE);
}

#endif
