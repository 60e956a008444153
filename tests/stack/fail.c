// SPDX-License-Identifier: MIT
/* Stacks when the system refuses, and where their memory goes. */
#include <fail.h>

#include "stack_test.h"

KTEST_SUITE(stack, .init = common_init, .timeout = 60);

#define TEXT(_text)	(HAVE_REPORT && HAVE_PANIC_TEXT ? (_text) : "")

/* Many of two sizes. The first refusal ends it; what is there goes on working. */
static int create_many(void *arg)
{
	enum { N = 48 };
	kcoro_t *co[N] = { NULL };
	unsigned long n, limit = at_most(N, MAX_LIVE);
	int err = 0, runs = 0;

	(void)arg;
	for (n = 0; n < limit && !err; n++) {
		co[n] = kcoro_create(body_count, &runs, n % 3 ? 0 : SMALL_STACK);
		if (!co[n])
			err = -errno;
	}
	EXPECT_TRUE(!err || err == -ENOMEM);
	n -= err != 0;
	EXPECT_EQ(live_coroutines(), n);
	EXPECT_EQ(cached_stacks(), 0);
	for (unsigned long i = 0; i < n; i++) {
		if (!HAVE_SANITIZER || i % 3)
			EXPECT_EQ(kcoro_resume(co[i]), 0);
		EXPECT_EQ(kcoro_destroy(co[i]), 0);
	}
	EXPECT_EQ(live_coroutines(), 0);
	/* a refusal leaves nothing broken behind */
	co[0] = kcoro_create(body_count, &runs, 0);
	if (co[0]) {
		EXPECT_EQ(kcoro_resume(co[0]), 0);
		EXPECT_EQ(kcoro_destroy(co[0]), 0);
	} else {
		err = -errno;
	}
	EXPECT_EQ(kcoro_detach(), 0);
	return err;
}

static int after_attach(void *arg)
{
	/* the first stack of all needs its slab: nothing cached, nothing learned */
	return kcoro_create_main() ? create_many(arg) : -errno;
}

KTEST(stack, allocation_failures)
{
	struct ktest_fail_result res;

	ASSERT_EQ(kcoro_detach(), 0);
	res = ktest_fail_each(KTEST_ANY_SITE & ~(KTEST_PTHREAD_CREATE), after_attach, NULL);
	ktest_log("%u calls reported, %u absorbed", res.reported, res.absorbed);
	if (MEMORY != STATIC)
		EXPECT_GE(res.reported, 1);
}

KTEST(stack, freed_goes_back)
{
	kcoro_t *stays, *co;
	long before;

	KTEST_REQUIRES(!HAVE_CACHE && MEMORY != STATIC, "needs STACK_FREED, and somewhere to go");
	stays = make(body_nothing, NULL);
	co = make(body_yield_forever, NULL);
	EXPECT_EQ(kcoro_resume(co), 0);
	if (MEMORY == HEAP) {
		before = ktest_fail_outstanding();
		EXPECT_EQ(kcoro_destroy(co), 0);
		EXPECT_EQ(ktest_fail_outstanding(), before - 1);
	} else {
		volatile char *top = (volatile char *)high_end(co) - 1;

		*(top - 64) = 0x77;
		EXPECT_EQ(kcoro_destroy(co), 0);
		EXPECT_EQ(*(top - 64), 0);	/* the pages are gone, the slab is not */
	}
	EXPECT_EQ(cached_stacks(), 0);
	EXPECT_EQ(kcoro_stack_trim(0), 0);
	EXPECT_EQ(kcoro_destroy(stays), 0);
}

KTEST(stack, slabs_go_back)
{
	enum { N = 300 };
	static kcoro_t *co[N];
	long start, full;

	KTEST_REQUIRES(MEMORY == MAPPED && MAX_LIVE >= N, "needs STACK_MAPPED");
	start = ktest_fail_outstanding();
	for (int i = 0; i < N; i++)
		co[i] = make(body_nothing, NULL);
	full = ktest_fail_outstanding();
	EXPECT_GE(full - start, (long)N * KC_CONFIG_STACK_DEFAULT_SIZE);
	for (int i = 0; i < N; i++)
		EXPECT_EQ(kcoro_destroy(co[i]), 0);
	kcoro_stack_trim(0);
	/* one slab is kept for the next creation */
	EXPECT_LE(ktest_fail_outstanding() - start, (full - start) / 2 + (1 << 20));
	co[0] = make(body_nothing, NULL);
	EXPECT_EQ(kcoro_resume(co[0]), 0);
	EXPECT_EQ(kcoro_destroy(co[0]), 0);
}

static void body_touch_guard(void *arg)
{
	(void)arg;
	*((volatile char *)low_end(kcoro_current()) - 1) = 1;
}

KTEST(stack, guard_falls_back_to_mprotect)
{
	kcoro_t *co[40];

#ifndef KC_CONFIG_GUARD_LIGHT
	ktest_skip("needs GUARD_LIGHT");
#endif
	ktest_fail_all(KTEST_MADVISE | KTEST_SYSCALL);	/* a kernel that knows no such advice */
	EXPECT_STREQ(kcoro_stack_guard(), "mprotect");
	EXPECT_GE(ktest_fail_fired(), 1);
	for (int i = 0; i < 40; i++) {
		co[i] = make(body_touch_guard, NULL);
		kcoro_set_name(co[i], "low");
	}
	EXPECT_DEATH(SIGSEGV, TEXT("stack overflow: coroutine"), kcoro_resume(co[0]));
	EXPECT_DEATH(SIGSEGV, TEXT("stack overflow: coroutine"), kcoro_resume(co[39]));
	for (int i = 0; i < 40; i++)
		EXPECT_EQ(kcoro_destroy(co[i]), 0);
}

KTEST(stack, guards_one_by_one)
{
	enum { N = 200 };
	static kcoro_t *co[N];

	KTEST_REQUIRES(HAVE_GUARD, "needs a guard");
	ktest_fail_all(KTEST_SYSCALL);		/* a kernel that takes one range at a time */
	for (int i = 0; i < N; i++)
		co[i] = make(body_touch_guard, NULL);
	EXPECT_DEATH(SIGSEGV, TEXT("stack overflow: coroutine"), kcoro_resume(co[0]));
	EXPECT_DEATH(SIGSEGV, TEXT("stack overflow: coroutine"), kcoro_resume(co[N - 1]));
	for (int i = 0; i < N; i++)
		EXPECT_EQ(kcoro_destroy(co[i]), 0);
}

KTEST(stack, no_guard_no_stack)
{
	KTEST_REQUIRES(!strcmp(kcoro_stack_guard(), "mprotect"), "needs mprotect guards");
	ktest_fail_all(KTEST_MPROTECT);
	EXPECT_NULL_ERR(kcoro_create(body_nothing, NULL, 0), ENOMEM);
	EXPECT_EQ(live_coroutines(), 0);
	ktest_fail_nth(0, 0);
	EXPECT_EQ(kcoro_destroy(make(body_nothing, NULL)), 0);
}

KTEST(stack, static_pool_takes_nothing)
{
	kcoro_t *co[64];
	unsigned long n = MAX_LIVE;

	KTEST_REQUIRES(MEMORY == STATIC && MAX_LIVE < 64, "needs STACK_STATIC");
	ktest_fail_all(KTEST_ANY_SITE);
	for (int round = 0; round < 3; round++) {
		for (unsigned long i = 0; i < n; i++)
			co[i] = make(body_nothing, NULL);
		EXPECT_NULL_ERR(kcoro_create(body_nothing, NULL, 0), ENOMEM);
		EXPECT_EQ(live_coroutines(), n);
		for (unsigned long i = 0; i < n; i++) {
			EXPECT_EQ(kcoro_resume(co[i]), 0);
			EXPECT_EQ(kcoro_destroy(co[i]), 0);
		}
		kcoro_stack_trim(0);
	}
	EXPECT_EQ(ktest_fail_fired(), 0);
}
