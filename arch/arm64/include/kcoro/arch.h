/* SPDX-License-Identifier: MIT */
/* arm64, AAPCS64. The contract is in include/internal/arch.h. */
#ifndef KCORO_ARCH_H
#define KCORO_ARCH_H

#include <kcoro/config.h>

#define KC_CTX_SP	0
#define KC_CTX_FP	8
#define KC_CTX_PC	16
#define KC_CTX_FPCR	24
#define KC_CTX_BASE	32
#define KC_CTX_SIZE	40

#define KC_ARCH_STACK_ALIGN	16
#define KC_ARCH_STACK_MIN	512

#ifndef __ASSEMBLER__

#include <stdint.h>

struct kc_ctx {
	void *sp;
	void *fp;		/* x29; in a new context: the entry function */
	void *pc;
	uint64_t fpcr;		/* FPCTL only */
	void *base;		/* x19; inline switch of clang only */
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
	__asm__("mrs %0, fpcr" : "=r"(ctx->fpcr));
#endif
}

#ifdef KC_CONFIG_SWITCH_INLINE

#ifdef KC_CONFIG_FPCTL
#define KC_FPCTL_ASM			\
	"mrs x2, fpcr\n\t"		\
	"str x2, [x0, #24]\n\t"		\
	"ldr x2, [x1, #24]\n\t"		\
	"msr fpcr, x2\n\t"
#else
#define KC_FPCTL_ASM ""
#endif

#ifdef __ARM_FEATURE_SVE
#define KC_CLOBBER_SVE , "p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8", "p9", "p10", \
	"p11", "p12", "p13", "p14", "p15"
#else
#define KC_CLOBBER_SVE
#endif

/*
 * clang reaches locals through x19 in a function that has over-aligned and variable-sized ones,
 * and does not heed a clobber of it there. Whoever jumps here has our context in x1.
 */
#ifdef __clang__
#define KC_BASE_SAVE	"str x19, [x0, #32]\n\t"
#define KC_BASE_LOAD	"ldr x19, [x1, #32]\n\t"
#define KC_CLOBBER_BASE
#else
#define KC_BASE_SAVE	""
#define KC_BASE_LOAD	""
#define KC_CLOBBER_BASE	, "x19"
#endif

/*
 * x29 may be the frame pointer and is saved by hand. x18 is an ordinary register on Linux;
 * where the platform reserves it (-ffixed-x18) the compiler passes over the clobber. The
 * continuation starts with "bti j" (hint 36).
 */
static inline __attribute__((always_inline)) void kc_arch_switch(struct kc_ctx *from,
								 struct kc_ctx *to)
{
	register struct kc_ctx *x0 __asm__("x0") = from;
	register struct kc_ctx *x1 __asm__("x1") = to;

	__asm__ volatile("adr x4, 1f\n\t"
			 "mov x3, sp\n\t"
			 "stp x3, x29, [x0]\n\t"
			 "str x4, [x0, #16]\n\t"
			 KC_BASE_SAVE
			 KC_FPCTL_ASM
			 "ldp x3, x29, [x1]\n\t"
			 "ldr x16, [x1, #16]\n\t"
			 "mov sp, x3\n\t"
			 "br x16\n"
			 "1:\n\t"
			 "hint #36\n\t"
			 KC_BASE_LOAD
			 : "+r"(x0), "+r"(x1)
			 :
			 : "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12",
			   "x13", "x14", "x15", "x16", "x17", "x18", "x20", "x21", "x22",
			   "x23", "x24", "x25", "x26", "x27", "x28", "x30", "v0", "v1", "v2", "v3",
			   "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14",
			   "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24",
			   "v25", "v26", "v27", "v28", "v29", "v30", "v31", "memory", "cc"
			   KC_CLOBBER_BASE KC_CLOBBER_SVE);
}

#else /* out of line, switch.S */
void kc_arch_switch(struct kc_ctx *from, struct kc_ctx *to);
#endif

#ifdef __cplusplus
}
#endif

#endif /* !__ASSEMBLER__ */
#endif /* KCORO_ARCH_H */
