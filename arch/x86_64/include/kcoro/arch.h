/* SPDX-License-Identifier: MIT */
/* x86_64, System V ABI. The contract is in include/internal/arch.h. */
#ifndef KCORO_ARCH_H
#define KCORO_ARCH_H

#include <kcoro/config.h>

#define KC_CTX_SP	0
#define KC_CTX_FP	8
#define KC_CTX_PC	16
#define KC_CTX_MXCSR	24
#define KC_CTX_X87CW	28
#define KC_CTX_BASE	32
#define KC_CTX_SIZE	40

#define KC_ARCH_STACK_ALIGN	16
/* a frame of kc_arch_entry, one of the body, and a switch out of it */
#define KC_ARCH_STACK_MIN	384

#ifndef __ASSEMBLER__

#include <stdint.h>

struct kc_ctx {
	void *sp;
	void *fp;		/* rbp; in a new context: the entry function */
	void *pc;
	uint32_t mxcsr;		/* FPCTL only */
	uint16_t x87cw;		/* FPCTL only */
	uint16_t pad;
	void *base;		/* rbx; inline switch of clang only */
};

#ifdef __cplusplus
extern "C" {
#endif

void kc_arch_entry(void);

/* everything alive of a stopped coroutine lies above */
#define kc_arch_sp(ctx)	((ctx)->sp)

static inline void kc_arch_init(struct kc_ctx *ctx, void *top, void (*entry)(void))
{
	ctx->sp = top;
	ctx->fp = __extension__ (void *)entry;
	ctx->pc = __extension__ (void *)kc_arch_entry;
#ifdef KC_CONFIG_FPCTL
	__asm__("stmxcsr %0\n\tfnstcw %1" : "=m"(ctx->mxcsr), "=m"(ctx->x87cw));
#endif
}

#ifdef KC_CONFIG_SWITCH_INLINE

#ifdef KC_CONFIG_FPCTL
#define KC_FPCTL_ASM			\
	"stmxcsr 24(%%rdi)\n\t"		\
	"fnstcw 28(%%rdi)\n\t"		\
	"ldmxcsr 24(%%rsi)\n\t"		\
	"fldcw 28(%%rsi)\n\t"
#else
#define KC_FPCTL_ASM ""
#endif

#if defined(__CET__) && (__CET__ & 1)
#define KC_LANDING_PAD "endbr64\n\t"
#else
#define KC_LANDING_PAD ""
#endif

#ifdef __APX_F__
#define KC_CLOBBER_APX , "r16", "r17", "r18", "r19", "r20", "r21", "r22", "r23", "r24", "r25", \
	"r26", "r27", "r28", "r29", "r30", "r31"
#else
#define KC_CLOBBER_APX
#endif

#ifdef __AVX512F__
#define KC_CLOBBER_AVX512 , "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", \
	"xmm23", "xmm24", "xmm25", "xmm26", "xmm27", "xmm28", "xmm29", "xmm30", "xmm31", \
	"k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7"
#else
#define KC_CLOBBER_AVX512
#endif

/*
 * clang reaches locals through rbx in a function that has over-aligned and variable-sized ones,
 * and does not heed a clobber of it there. Whoever jumps here has our context in rsi.
 */
#ifdef __clang__
#define KC_BASE_SAVE	"movq %%rbx, 32(%%rdi)\n\t"
#define KC_BASE_LOAD	"movq 32(%%rsi), %%rbx\n\t"
#define KC_CLOBBER_BASE
#else
#define KC_BASE_SAVE	""
#define KC_BASE_LOAD	""
#define KC_CLOBBER_BASE	, "rbx"
#endif

/*
 * rbp cannot be declared clobbered where it is the frame pointer, so it is saved by hand;
 * everything else but rsp is. Nothing is pushed: the caller's red zone stays whole.
 */
static inline __attribute__((always_inline)) void kc_arch_switch(struct kc_ctx *from,
								 struct kc_ctx *to)
{
	__asm__ volatile("leaq 1f(%%rip), %%rax\n\t"
			 "movq %%rsp, 0(%%rdi)\n\t"
			 "movq %%rbp, 8(%%rdi)\n\t"
			 "movq %%rax, 16(%%rdi)\n\t"
			 KC_BASE_SAVE
			 KC_FPCTL_ASM
			 "movq 0(%%rsi), %%rsp\n\t"
			 "movq 8(%%rsi), %%rbp\n\t"
			 "jmpq *16(%%rsi)\n"
			 "1:\n\t"
			 KC_LANDING_PAD
			 KC_BASE_LOAD
			 : "+D"(from), "+S"(to)
			 :
			 : "rax", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13",
			   "r14", "r15", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6",
			   "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14",
			   "xmm15", "st", "st(1)", "st(2)", "st(3)", "st(4)", "st(5)", "st(6)",
			   "st(7)", "mm0", "mm1", "mm2", "mm3", "mm4", "mm5", "mm6", "mm7",
			   "memory", "cc" KC_CLOBBER_BASE KC_CLOBBER_AVX512 KC_CLOBBER_APX);
}

#else /* out of line, switch.S */
void kc_arch_switch(struct kc_ctx *from, struct kc_ctx *to);
#endif

#ifdef __cplusplus
}
#endif

#endif /* !__ASSEMBLER__ */
#endif /* KCORO_ARCH_H */
