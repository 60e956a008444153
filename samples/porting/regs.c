/* SPDX-License-Identifier: MIT */
/* regs - what a switch of this port keeps, and where. */
#include <stddef.h>

#define KCORO_INLINE
#include "sample.h"

struct port {
	const char *name;
	const char *preserved;	/* by the ABI, across a call */
	const char *by_hand;	/* stored into the context */
	const char *apart;	/* neither saved nor clobbered */
	const char *control;	/* floating-point control, with CONFIG_FPCTL */
};

#if defined(KC_CONFIG_SWITCH_UCONTEXT)
static const struct port port = {
	"generic (ucontext)", "whatever swapcontext() saves", "ucontext_t", "none",
	"saved by swapcontext() where the C library does",
};
#elif defined(__x86_64__)
static const struct port port = {
	"x86_64 (System V)", "rbx rbp r12-r15 rsp, mxcsr and x87 control bits", "rsp rbp rip",
	"fs gs (thread pointer)", "mxcsr, x87 control word",
};
#elif defined(__aarch64__)
static const struct port port = {
	"arm64 (AAPCS64)", "x19-x29 sp, d8-d15, fpcr", "sp x29 pc",
	"x18 (platform), tpidr_el0 (thread pointer)", "fpcr",
};
#elif defined(__riscv)
static const struct port port = {
	"riscv (psABI)", "s0-s11 sp, fs0-fs11 with F/D, fcsr", "sp s0 pc",
	"gp, tp (thread pointer)", "fcsr",
};
#else
static const struct port port = { "another", "see its ABI", "see arch.h", "see arch.h", "?" };
#endif

#define FIELD(type, field) printf("  %-8s offset %3zu, %2zu bytes\n", #field, \
	offsetof(type, field), sizeof(((type *)0)->field))

int main(void)
{
	printf("port                 %s\n", port.name);
	printf("kept across a call   %s\n", port.preserved);
	printf("in the context       %s\n", port.by_hand);
	printf("left alone           %s\n", port.apart);
#ifdef KC_CONFIG_SWITCH_INLINE
	printf("everything else      clobbered: the compiler spills what is alive\n");
#else
	printf("everything else      pushed on the coroutine's stack by the switch\n");
#endif
#ifdef KC_CONFIG_FPCTL
	printf("FP control           per coroutine: %s\n", port.control);
#else
	printf("FP control           per thread (CONFIG_FPCTL=n): %s\n", port.control);
#endif
	printf("\nstruct kc_ctx        %zu bytes\n", sizeof(struct kc_ctx));
#ifndef KC_CONFIG_SWITCH_UCONTEXT
	FIELD(struct kc_ctx, sp);
	FIELD(struct kc_ctx, fp);
	FIELD(struct kc_ctx, pc);
#endif
	printf("struct kcoro_head    %zu bytes\n", sizeof(struct kcoro_head));
	FIELD(struct kcoro_head, ctx);
	FIELD(struct kcoro_head, back);
	FIELD(struct kcoro_head, thread);
	FIELD(struct kcoro_head, state);
	FIELD(struct kcoro_head, wake);
	return 0;
}
