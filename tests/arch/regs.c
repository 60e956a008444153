// SPDX-License-Identifier: MIT
/* What a switch must keep: registers, and what else a coroutine has in the CPU. */
#include <fenv.h>
#include <string.h>

#include "arch_test.h"

ARCH_SUITE();

#define COS	3
#define ROUNDS	5

struct user {
	struct test_co t;
	uint64_t want[NREGS + NFPREGS + 1];
	uint64_t got[NREGS + NFPREGS + 1];
	double sum;
	int mode;
};

#if NREGS
static void yields(void *arg)
{
	(void)arg;
	for (int i = 0; i < ROUNDS; i++)
		(kcoro_yield)();
}

static void fill(struct user *u, uint64_t seed)
{
	for (int i = 0; i < NREGS + NFPREGS; i++)
		u->want[i] = u->got[i] = (seed << 56) + 0x00a5a5005a5a0100 + (uint64_t)i;
}

static void keeps(void *arg)
{
	struct user *u = arg;

	test_regs_call(yields, NULL, u->got);
}

static void compare(const struct user *u, int from, int to)
{
	for (int i = from; i < to; i++)
		EXPECT_EQ(u->got[i], u->want[i]);
}

/* Coroutines with patterns of their own take turns. */
static void take_turns(int from, int to)
{
	struct user users[COS];

	for (int i = 0; i < COS; i++) {
		fill(&users[i], (uint64_t)i + 1);
		test_co_make(&users[i].t, keeps, &users[i]);
	}
	for (int round = 0; round <= ROUNDS; round++)
		for (int i = 0; i < COS; i++)
			ASSERT_EQ(kcoro_resume(users[i].t.co), 0);
	for (int i = 0; i < COS; i++) {
		EXPECT_EQ(kcoro_state(users[i].t.co), KCORO_FINISHED);
		compare(&users[i], from, to);
		test_co_free(&users[i].t);
	}
}

static struct kc_ctx pair[2];

static void go_over(void *arg)
{
	(void)arg;
	kc_arch_switch(&pair[0], &pair[1]);
}

static void go_back(void *arg)
{
	(void)arg;
	kc_arch_switch(&pair[1], &pair[0]);
}

/* The other side of a bare switch, with other values in every register. */
static void other_side(void)
{
	struct user u;

	fill(&u, 0x77);
	for (;;)
		test_regs_call(go_back, NULL, u.got);
}

static void bare(int from, int to)
{
	char *mem = malloc(STACK_SIZE);
	struct user u;

	ASSERT_TRUE(mem);
	kc_arch_init(&pair[1], mem + STACK_SIZE - 64 - (uintptr_t)mem % 64, other_side);
	for (int round = 0; round < 3; round++) {
		fill(&u, 0x11);
		test_regs_call(go_over, NULL, u.got);
		compare(&u, from, to);
	}
	free(mem);
}
#endif

KTEST(arch, callee_saved_registers)
{
#if NREGS
	take_turns(0, NREGS);
	if (!SANITIZED)
		bare(0, NREGS);
#else
	ktest_skip("no test_regs_call() for this CPU");
#endif
}

static NOINLINE double value(int n)
{
	return n * 1.25;
}

/* More values than there are callee-saved registers, live over the yield. */
static void computes(void *arg)
{
	struct user *u = arg;
	int m = u->mode;
	double a = value(m), b = value(m + 1), c = value(m + 2), d = value(m + 3);
	double e = value(m + 4), f = value(m + 5), g = value(m + 6), h = value(m + 7);
	double i = value(m + 8), j = value(m + 9), k = value(m + 10), l = value(m + 11);

	for (int n = 0; n < ROUNDS; n++) {
		(kcoro_yield)();
		u->sum += a - b + c - d + e - f + g - h + i - j + k - l;
		a += 1, l += 1, e *= 2, f *= 2;
	}
	u->sum += a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j +
		  11 * k + 12 * l;
}

/* computes() over an array; all numbers are quarters, so every sum is exact */
static double computed(int m)
{
	double v[12], sum = 0;

	for (int i = 0; i < 12; i++)
		v[i] = (m + i) * 1.25;
	for (int n = 0; n < ROUNDS; n++) {
		for (int i = 0; i < 12; i++)
			sum += i % 2 ? -v[i] : v[i];
		v[0] += 1, v[11] += 1, v[4] *= 2, v[5] *= 2;
	}
	for (int i = 0; i < 12; i++)
		sum += (i + 1) * v[i];
	return sum;
}

KTEST(arch, fp_registers)
{
	struct user users[COS];

	for (int i = 0; i < COS; i++) {
		users[i].sum = 0;
		users[i].mode = i * 100;
		test_co_make(&users[i].t, computes, &users[i]);
	}
	for (int round = 0; round <= ROUNDS; round++)
		for (int i = 0; i < COS; i++)
			ASSERT_EQ(kcoro_resume(users[i].t.co), 0);
	for (int i = 0; i < COS; i++) {
		EXPECT_EQ(kcoro_state(users[i].t.co), KCORO_FINISHED);
		EXPECT_EQ(users[i].sum, computed(i * 100));
		test_co_free(&users[i].t);
	}
#if NFPREGS
	take_turns(NREGS, NREGS + NFPREGS);
	if (!SANITIZED)
		bare(NREGS, NREGS + NFPREGS);
#endif
}

static void rounds(void *arg)
{
	struct user *u = arg;

	EXPECT_EQ(fesetround(u->mode), 0);
	(kcoro_yield)();
	u->mode = fegetround();
}

static NOINLINE double third(volatile double one)
{
	return one / 3;
}

KTEST(arch, fp_control_words)
{
	/* swapcontext() saves them by itself */
	bool kept = IS_ENABLED(CONFIG_FPCTL) || IS_ENABLED(CONFIG_SWITCH_UCONTEXT);
	struct user up = { .mode = FE_UPWARD }, down = { .mode = FE_DOWNWARD };
	double nearest = third(1);

	test_co_make(&up.t, rounds, &up);
	test_co_make(&down.t, rounds, &down);
	kcoro_resume(up.t.co);
	EXPECT_EQ(fegetround(), kept ? FE_TONEAREST : FE_UPWARD);
	if (kept)
		EXPECT_EQ(third(1), nearest);
	else if (strcmp(ktest_runner(), "valgrind") != 0)	/* which always rounds to nearest */
		EXPECT_GT(third(1), nearest);
	kcoro_resume(down.t.co);
	EXPECT_EQ(fegetround(), kept ? FE_TONEAREST : FE_DOWNWARD);
	kcoro_resume(up.t.co);
	kcoro_resume(down.t.co);
	EXPECT_EQ(up.mode, kept ? FE_UPWARD : FE_DOWNWARD);
	EXPECT_EQ(down.mode, FE_DOWNWARD);
	EXPECT_EQ(fegetround(), kept ? FE_TONEAREST : FE_DOWNWARD);
	fesetround(FE_TONEAREST);
	test_co_free(&up.t);
	test_co_free(&down.t);
}

static void masks(void *arg)
{
	sigset_t set;
	int how = *(int *)arg;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(how, &set, NULL);
	(kcoro_yield)();
	sigprocmask(SIG_BLOCK, NULL, &set);
	*(int *)arg = sigismember(&set, SIGUSR1);
}

static int usr1_blocked(void)
{
	sigset_t set;

	sigprocmask(SIG_BLOCK, NULL, &set);
	return sigismember(&set, SIGUSR1);
}

KTEST(arch, signal_mask_belongs_to_thread)
{
	int block = SIG_BLOCK, unblock = SIG_UNBLOCK;
	struct test_co a, b;

	test_co_make(&a, masks, &block);
	test_co_make(&b, masks, &unblock);
	EXPECT_EQ(usr1_blocked(), 0);
	kcoro_resume(a.co);
	EXPECT_EQ(usr1_blocked(), 1);
	kcoro_resume(b.co);
	EXPECT_EQ(usr1_blocked(), 0);
	kcoro_resume(a.co);
	EXPECT_EQ(block, 0);
	kcoro_resume(b.co);
	EXPECT_EQ(unblock, 0);
	test_co_free(&a);
	test_co_free(&b);
}
