/* SPDX-License-Identifier: MIT */
/* What the files of the arch suite share. */
#ifndef ARCH_TEST_H
#define ARCH_TEST_H

#include <stdint.h>
#include <stdlib.h>

#include <kcoro/kcoro.h>
#include <kcoro/arch.h>

#include "ktest.h"

#define SANITIZED	(IS_ENABLED(CONFIG_ASAN) || IS_ENABLED(CONFIG_TSAN))
/* for expectations inside a coroutine, which print */
#define STACK_SIZE	(SANITIZED ? 256 * 1024 : 32 * 1024)
#ifdef __clang__
#define NOINLINE	__attribute__((noinline))
#else
#define NOINLINE	__attribute__((noinline, noclone))
#endif

/* The memory is ours, so that no stack policy limits number or size. */
struct test_co {
	kcoro_t *co;
	void *mem;
};

static inline void test_co_make(struct test_co *t, kcoro_fn fn, void *arg)
{
	t->mem = malloc(STACK_SIZE);
	ASSERT_TRUE(t->mem);
	t->co = kcoro_create_on(fn, arg, t->mem, STACK_SIZE);
	ASSERT_NOT_NULL(t->co);
}

static inline void test_co_free(struct test_co *t)
{
	EXPECT_EQ(kcoro_destroy(t->co), 0);
	free(t->mem);
}

static inline int arch_init(void)
{
	return kcoro_create_main() ? 0 : -1;
}

static inline void arch_exit(void)
{
	kcoro_detach();
}

#define ARCH_SUITE() KTEST_SUITE(arch, .init = arch_init, .exit = arch_exit, .timeout = 60)

#if defined(__x86_64__)
#define NREGS	6
#define NFPREGS	0
#elif defined(__aarch64__)
#define NREGS	11
#define NFPREGS	8
#elif defined(__riscv) && __riscv_xlen == 64 && defined(__riscv_flen) && __riscv_flen == 64
#define NREGS	12
#define NFPREGS	12
#else
#define NREGS	0
#define NFPREGS	0
#endif

/*
 * regs-<cpu>.S: fills the callee-saved registers, NREGS integer ones and then NFPREGS of the FPU,
 * from @regs, calls fn(arg) and stores what they hold then in @regs.
 */
void test_regs_call(void (*fn)(void *arg), void *arg, uint64_t *regs);

static inline __attribute__((always_inline)) uintptr_t stack_pointer(void)
{
	uintptr_t sp;

#if defined(__x86_64__)
	__asm__ volatile("movq %%rsp, %0" : "=r"(sp));
#elif defined(__aarch64__)
	__asm__ volatile("mov %0, sp" : "=r"(sp));
#elif defined(__riscv)
	__asm__ volatile("mv %0, sp" : "=r"(sp));
#else
	sp = (uintptr_t)__builtin_frame_address(0);
#endif
	return sp;
}

#endif
