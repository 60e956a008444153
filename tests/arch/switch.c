// SPDX-License-Identifier: MIT
/* Switches in number and in every shape: nested, in rings, to oneself. */
#include <string.h>

#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "arch_test.h"

ARCH_SUITE();

static void yields_forever(void *arg)
{
	unsigned long *count = arg;

	for (;;) {
		++*count;
		kcoro_yield();
	}
}

KTEST(arch, million_switches)
{
	unsigned long n = ktest_iterations(500000), count = 0;
	struct test_co t;

	test_co_make(&t, yields_forever, &count);
	for (unsigned long i = 0; i < n; i++)
		kcoro_resume(t.co);
	EXPECT_EQ(count, n);
	test_co_free(&t);
}

struct sp_test {
	unsigned long rounds;
	unsigned long wrong;
	int depth;
};

/* Yields from a depth; its own stack pointer must not move either. */
static NOINLINE void yield_at(struct sp_test *s, int depth)
{
	uintptr_t sp = stack_pointer();

	if (depth > 0)
		yield_at(s, depth - 1);
	else
		for (unsigned long i = 0; i < s->rounds; i++) {
			kcoro_yield();
			s->wrong += stack_pointer() != sp;
		}
	s->wrong += stack_pointer() != sp;
}

static void yields_deep(void *arg)
{
	struct sp_test *s = arg;

	yield_at(s, s->depth);
}

static NOINLINE void resume_at(struct sp_test *s, kcoro_t *co, int depth)
{
	uintptr_t sp = stack_pointer();

	if (depth > 0)
		resume_at(s, co, depth - 1);
	else
		while (kcoro_state(co) != KCORO_FINISHED) {
			kcoro_resume(co);
			s->wrong += stack_pointer() != sp;
		}
	s->wrong += stack_pointer() != sp;
}

KTEST(arch, sp_restored)
{
	static const struct {
		unsigned long rounds;
		int here, there;
	} runs[] = { { 500000, 0, 0 }, { 1000, 1, 20 }, { 1000, 20, 1 }, { 1000, 40, 40 } };

	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		struct sp_test s = { ktest_iterations(runs[i].rounds), 0, runs[i].there };
		struct test_co t;

		test_co_make(&t, yields_deep, &s);
		resume_at(&s, t.co, runs[i].here);
		EXPECT_EQ(s.wrong, 0);
		test_co_free(&t);
	}
}

#define DEEP	200

static struct {
	struct test_co t[DEEP];
	int order[2 * DEEP + 1];
	int n;
} deep;

static void nests(void *arg)
{
	int level = (int)(intptr_t)arg;

	deep.order[deep.n++] = level;
	if (level + 1 < DEEP) {
		test_co_make(&deep.t[level + 1], nests, (void *)(intptr_t)(level + 1));
		ASSERT_EQ(kcoro_resume(deep.t[level + 1].co), 0);
		EXPECT_EQ(kcoro_state(deep.t[level + 1].co), KCORO_FINISHED);
		test_co_free(&deep.t[level + 1]);
	}
	deep.order[deep.n++] = level;
}

KTEST(arch, deep_nesting)
{
	test_co_make(&deep.t[0], nests, NULL);
	EXPECT_EQ(kcoro_resume(deep.t[0].co), 0);
	test_co_free(&deep.t[0]);
	ASSERT_EQ(deep.n, 2 * DEEP);
	for (int i = 0; i < DEEP; i++) {
		EXPECT_EQ(deep.order[i], i);
		EXPECT_EQ(deep.order[DEEP + i], DEEP - 1 - i);
	}
}

#define RING	7

static struct {
	struct test_co t[RING];
	unsigned long laps;
	unsigned long arrivals;
	unsigned long wrong;
} ring;

static void runs_in_ring(void *arg)
{
	unsigned long me = (unsigned long)(uintptr_t)arg;

	for (unsigned long lap = 0; lap < ring.laps; lap++) {
		ring.wrong += ring.arrivals++ != lap * RING + me;
		kcoro_yield_to(ring.t[(me + 1) % RING].co);
	}
	/* the first to finish returns to main; the others stay where they are */
}

KTEST(arch, yield_to_ring)
{
	ring.laps = ktest_iterations(20000);
	for (uintptr_t i = 0; i < RING; i++)
		test_co_make(&ring.t[i], runs_in_ring, (void *)i);
	ASSERT_EQ(kcoro_resume(ring.t[0].co), 0);
	EXPECT_EQ(kcoro_state(ring.t[0].co), KCORO_FINISHED);
	EXPECT_EQ(ring.wrong, 0);
	EXPECT_EQ(ring.arrivals, RING * ring.laps);
	for (int i = 0; i < RING; i++)
		test_co_free(&ring.t[i]);
}

KTEST(arch, switch_to_self)
{
	uintptr_t sp = stack_pointer();
	static _Alignas(KC_ARCH_STACK_ALIGN) char stack[KC_ARCH_STACK_MIN];
	volatile int local = 42;
	struct kc_ctx ctx;
	int i;

	/* never started: the switch stores first */
	kc_arch_init(&ctx, stack + sizeof(stack), abort);
	for (i = 0; i < 1000; i++)
		kc_arch_switch(&ctx, &ctx);
	EXPECT_EQ(i, 1000);
	EXPECT_EQ(local, 42);
	EXPECT_EQ(stack_pointer(), sp);
	EXPECT_EQ(kcoro_yield_to(kcoro_current()), 0);
}

KTEST(arch, no_system_calls)
{
	unsigned long count = 0;
	struct test_co t;
	int status;
	pid_t pid;

	KTEST_REQUIRES(!IS_ENABLED(CONFIG_SWITCH_UCONTEXT), "swapcontext() makes system calls");
	KTEST_REQUIRES(!SANITIZED, "sanitizers make system calls of their own");
	if (strcmp(ktest_runner(), "native") != 0)
		ktest_skip("needs the kernel's seccomp, not %s", ktest_runner());
	test_co_make(&t, yields_forever, &count);
	kcoro_resume(t.co);
	pid = fork();
	ASSERT_GE(pid, 0);
	if (pid == 0) {
		/* from here on any call but read, write and exit kills */
		if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT))
			_exit(77);
		for (int i = 0; i < 1000; i++)
			kcoro_resume(t.co);
		syscall(SYS_exit, count == 1001 ? 0 : 1);
	}
	ASSERT_EQ(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		ktest_skip("no seccomp here");
	EXPECT_TRUE(WIFEXITED(status));
	EXPECT_EQ(WEXITSTATUS(status), 0);
	test_co_free(&t);
}

/* swaps pointers with its resumer through an argument that must arrive unharmed */
static void knows_its_place(void *arg)
{
	void **seen = arg;

	seen[0] = (void *)kcoro_current();
	kcoro_yield();
	seen[1] = __builtin_frame_address(0);
}

static void try_memory(char *mem)
{
	void **seen = (void **)mem;
	kcoro_t *co = kcoro_create_on(knows_its_place, seen, mem, STACK_SIZE);

	ASSERT_NOT_NULL(co);
	EXPECT_TRUE((uintptr_t)co & 0x80000000);
	EXPECT_EQ(kcoro_resume(co), 0);
	EXPECT_EQ(kcoro_resume(co), 0);
	EXPECT_EQ(kcoro_state(co), KCORO_FINISHED);
	EXPECT_PTR_EQ(seen[0], co);
	EXPECT_TRUE((char *)seen[1] > mem && (char *)seen[1] < mem + STACK_SIZE);
	EXPECT_EQ(kcoro_destroy(co), 0);
}

/* A port that passes pointers in pieces must not smear the sign of the lower one. */
KTEST(arch, pointer_with_bit31)
{
	size_t size = (size_t)0x80000000 + STACK_SIZE;
	char *area, *mem;

	KTEST_REQUIRES(sizeof(void *) == 8, "needs 64-bit pointers");
	/* any 2 GiB hold such an address; only a bit of it is ever touched */
	area = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (area == MAP_FAILED)
		ktest_skip("no 2 GiB of address space");
	mem = area;
	if (!((uintptr_t)mem & 0x80000000))
		mem += 0x80000000 - ((uintptr_t)mem & 0x7fffffff);
	ASSERT_EQ(mprotect(mem, STACK_SIZE, PROT_READ | PROT_WRITE), 0);
	try_memory(mem);
	munmap(area, size);
}
