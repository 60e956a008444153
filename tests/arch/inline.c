// SPDX-License-Identifier: MIT
/* The switch as the compiler sees it: values of every kind live over inline switches. */
#define KCORO_INLINE
#include "arch_test.h"

ARCH_SUITE();

#define COS	3
#define ROUNDS	50

typedef uint32_t vec4 __attribute__((vector_size(16)));
typedef double vec4d __attribute__((vector_size(32)));
__extension__ typedef unsigned __int128 wide_t;

struct work {
	struct test_co t;
	unsigned int seed;
	bool wrong;
	bool done;
};

static void take_turns(kcoro_fn fn)
{
	struct work work[COS] = { { .seed = 3 }, { .seed = 500 }, { .seed = 70000 } };

	for (int i = 0; i < COS; i++)
		test_co_make(&work[i].t, fn, &work[i]);
	for (int round = 0; round < 4 * ROUNDS; round++)
		for (int i = 0; i < COS; i++)
			if (kcoro_state(work[i].t.co) != KCORO_FINISHED)
				EXPECT_EQ(kcoro_resume(work[i].t.co), 0);
	for (int i = 0; i < COS; i++) {
		EXPECT_TRUE(work[i].done);
		EXPECT_FALSE(work[i].wrong);
		test_co_free(&work[i].t);
	}
}

/* Three places to yield, each with another set of live values. */
static void mixes_types(void *arg)
{
	struct work *w = arg;
	unsigned int s = w->seed;
	long double ld = s + 0.5L;
	wide_t wide = ((wide_t)s << 64) | s;
	vec4 v = { s, s + 1, s + 2, s + 3 };
	vec4d d = { s, s * 2.0, s * 3.0, s * 4.0 };
	float f = (float)s / 2;
	unsigned int n;

	for (n = 0; n < ROUNDS; n++) {
		ld += 1;
		kcoro_yield();
		wide += ((wide_t)1 << 64) + 2;
		v += (vec4){ 1, 2, 3, 4 };
		kcoro_yield();
		d += (vec4d){ 1, 2, 3, 4 };
		f += 1;
		if (n % 2)
			kcoro_yield();
	}
	w->wrong = ld != s + 0.5L + ROUNDS || f != (float)s / 2 + ROUNDS ||
		   (uint64_t)(wide >> 64) != s + ROUNDS || (uint64_t)wide != s + 2 * ROUNDS;
	for (unsigned int i = 0; i < 4; i++)
		w->wrong |= v[i] != s + i + (i + 1) * ROUNDS ||
			    d[i] != (s + ROUNDS) * (i + 1.0);
	w->done = true;
}

KTEST(arch, long_double_and_vectors)
{
	take_turns(mixes_types);
}

/* No call in here when the switch is inline: the compiler may keep the array in the red zone. */
static NOINLINE bool leaf(unsigned int s)
{
	volatile unsigned int a[12];
	unsigned int b = s * 3, c = s ^ 0xffff, d = s + 11, e = s << 1, f = ~s;

	for (unsigned int i = 0; i < 12; i++)
		a[i] = s + i;
	kcoro_yield();
	for (unsigned int i = 0; i < 12; i++)
		if (a[i] != s + i)
			return false;
	return b == s * 3 && c == (s ^ 0xffff) && d == s + 11 && e == s << 1 && f == ~s;
}

static void calls_leaf(void *arg)
{
	struct work *w = arg;

	for (unsigned int n = 0; n < ROUNDS; n++)
		w->wrong |= !leaf(w->seed + n);
	w->done = true;
}

KTEST(arch, red_zone)
{
	take_turns(calls_leaf);
}

/*
 * Locals of unknown size beside over-aligned ones: a compiler may reach them through a register
 * of its own choice.
 */
static NOINLINE bool aligned_and_sized(unsigned int s, unsigned int len)
{
	volatile unsigned int a[16] __attribute__((aligned(64)));
	volatile unsigned int *v = __builtin_alloca(len * sizeof(*v));

	for (unsigned int i = 0; i < 16; i++)
		a[i] = s + i;
	for (unsigned int i = 0; i < len; i++)
		v[i] = s ^ i;
	kcoro_yield();
	for (unsigned int i = 0; i < 16; i++)
		if (a[i] != s + i)
			return false;
	for (unsigned int i = 0; i < len; i++)
		if (v[i] != (s ^ i))
			return false;
	return true;
}

static void calls_aligned_and_sized(void *arg)
{
	struct work *w = arg;

	for (unsigned int n = 0; n < ROUNDS; n++)
		w->wrong |= !aligned_and_sized(w->seed, n + 1);
	w->done = true;
}

KTEST(arch, aligned_and_variable_sized_locals)
{
	take_turns(calls_aligned_and_sized);
}

static void yields_both_ways(void *arg)
{
	struct work *w = arg;
	volatile unsigned int keep = w->seed;

	for (unsigned int n = 0; n < ROUNDS; n++) {
		if (n % 2)
			w->wrong |= kcoro_yield() != 0;
		else
			w->wrong |= (kcoro_yield)() != 0;
		w->wrong |= keep != w->seed || kcoro_current() != (kcoro_current)();
	}
	w->done = true;
}

/* yields by one way what was resumed by the other, in all four combinations */
KTEST(arch, inline_and_call_mix)
{
	struct work w = { .seed = 9 }, ring[2] = { { .seed = 1 }, { .seed = 2 } };

	take_turns(yields_both_ways);
	test_co_make(&w.t, yields_both_ways, &w);
	for (int i = 0; i <= ROUNDS; i++)
		EXPECT_EQ(i % 4 < 2 ? kcoro_resume(w.t.co) : (kcoro_resume)(w.t.co), 0);
	EXPECT_TRUE(w.done);
	EXPECT_FALSE(w.wrong);
	test_co_free(&w.t);
	for (int i = 0; i < 2; i++)
		test_co_make(&ring[i].t, yields_both_ways, &ring[i]);
	for (int i = 0; i <= ROUNDS; i++) {
		EXPECT_EQ(kcoro_yield_to(ring[0].t.co), 0);
		EXPECT_EQ((kcoro_yield_to)(ring[1].t.co), 0);
	}
	for (int i = 0; i < 2; i++) {
		EXPECT_TRUE(ring[i].done);
		test_co_free(&ring[i].t);
	}
	EXPECT_ERR(kcoro_resume(NULL), EINVAL);
	EXPECT_ERR(kcoro_yield(), EPERM);
}
