// SPDX-License-Identifier: MIT
/* What stacks cost: pages are reserved, touched, given back. */
#include <alloca.h>

#include "stack_test.h"

KTEST_SUITE(stack, .init = common_init, .timeout = 60);

#define NEED_REAL_PAGES()							\
	do {									\
		KTEST_REQUIRES(MEMORY == MAPPED, "needs STACK_MAPPED");		\
		KTEST_REQUIRES(native(), "resident memory is another's here");	\
	} while (0)

static kcoro_t **make_many(unsigned long n, kcoro_fn fn, void *arg)
{
	kcoro_t **co = calloc(n, sizeof(*co));

	ASSERT_NOT_NULL(co);
	for (unsigned long i = 0; i < n; i++) {
		co[i] = make(fn, arg);
		ASSERT_EQ(kcoro_resume(co[i]), 0);
	}
	return co;
}

static void destroy_many(kcoro_t **co, unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		ASSERT_EQ(kcoro_destroy(co[i]), 0);
	free(co);
}

KTEST(stack, reserved_not_resident)
{
	enum { N = 10000 };
	long before = resident(), each;
	kcoro_t **co;

	NEED_REAL_PAGES();
	co = make_many(N, body_park, NULL);
	each = (resident() - before) / N;
	ktest_log("%ld bytes resident for each parked coroutine", each);
	EXPECT_LE(each, 8192);
	EXPECT_GE(each, 1024);			/* the measure measures */
	EXPECT_LE(each * 4, KC_CONFIG_STACK_DEFAULT_SIZE);
	destroy_many(co, N);
}

#define DEEP	(24 * 1024)

static void body_deep(void *arg)
{
	volatile char *p = alloca(DEEP);

	(void)arg;
	__asm__ volatile("" : "+r"(p) : : "memory");	/* all of it is needed */
	for (size_t i = 0; i < DEEP; i += 1024)
		p[i] = 1;
	kcoro_yield();
}

KTEST(stack, trim_lowers_resident)
{
	enum { N = 1000 };
	long before = resident(), used = (long)N * DEEP, after;
	kcoro_t **co;

	NEED_REAL_PAGES();
	co = make_many(N, body_deep, NULL);
	EXPECT_GE(resident() - before, used);
	destroy_many(co, N);
	if (CACHE_MAX >= N)
		EXPECT_GE(resident() - before, used / 2);	/* kept warm for reuse */
	EXPECT_EQ(kcoro_stack_trim(0), CACHE_MAX < N ? CACHE_MAX : N);
	after = resident() - before;
	ktest_log("%ld of %ld bytes are left", after, used);
	EXPECT_LE(after, used / 10);
	/* the address space still works */
	co = make_many(N, body_deep, NULL);
	destroy_many(co, N);
}

static long available(void)
{
	char line[128];
	long kib = 0;
	FILE *f = fopen("/proc/meminfo", "r");

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "MemAvailable: %ld kB", &kib) == 1)
			break;
	if (f)
		fclose(f);
	return kib >> 10;
}

KTEST_SLOW(stack, million)
{
	enum { N = 1000000 };
	kcoro_t **co;

	NEED_REAL_PAGES();
	KTEST_REQUIRES(!HAVE_HIGHWATER, "STACK_HIGHWATER looks at every page of a stack");
	KTEST_REQUIRES(strcmp(kcoro_stack_guard(), "mprotect"),
		       "mprotect guards take a mapping each");
	KTEST_REQUIRES(available() > 7000, "needs 7 GiB of memory");
	co = make_many(N, body_park, NULL);
	EXPECT_EQ(live_coroutines(), N);
	for (int i = 0; i < N; i += 997) {
		ASSERT_EQ(kcoro_unpark(co[i]), 1);
		ASSERT_EQ(kcoro_resume(co[i]), 0);
		ASSERT_EQ(kcoro_state(co[i]), KCORO_FINISHED);
	}
	/* the last one is as well guarded as the first */
	for (int i = 0; HAVE_GUARD && i < N; i += 999) {
		EXPECT_TRUE(readable(low_end(co[i])));
		EXPECT_FALSE(readable((char *)low_end(co[i]) - 1));
	}
	destroy_many(co, N);
}

#ifdef KC_CONFIG_STACK_HIGHWATER

KTEST(stack, used_is_a_high_water_mark)
{
	size_t deep, shallow;
	kcoro_t *co;

	for (int i = 0; i < 3; i++) {		/* on recycled memory as on new */
		co = make(body_yield_forever, NULL);
		EXPECT_LE(kcoro_stack_used(co), 256);
		EXPECT_EQ(kcoro_resume(co), 0);
		shallow = kcoro_stack_used(co);
		EXPECT_GT(shallow, 0);
		EXPECT_LE(shallow, 4096);
		EXPECT_EQ(kcoro_destroy(co), 0);

		co = make(body_deep, NULL);
		EXPECT_EQ(kcoro_resume(co), 0);
		deep = kcoro_stack_used(co);
		EXPECT_GE(deep, DEEP);
		EXPECT_LE(deep, DEEP + 8192);
		EXPECT_EQ(kcoro_resume(co), 0);	/* its end gives nothing back */
		EXPECT_GE(kcoro_stack_used(co), deep);
		EXPECT_EQ(kcoro_destroy(co), 0);
	}
}

KTEST(stack, used_in_memory_of_the_caller)
{
	static char mem[OWN_STACK];
	kcoro_t *co;

	memset(mem, 0xff, sizeof(mem));
	co = kcoro_create_on(body_yield_forever, NULL, mem + 1, sizeof(mem) - 1);
	ASSERT_NOT_NULL(co);
	EXPECT_EQ(kcoro_resume(co), 0);
	EXPECT_LE(kcoro_stack_used(co), 4096);
	EXPECT_GT(kcoro_stack_used(co), 0);
	EXPECT_EQ(kcoro_destroy(co), 0);
}

#endif
