/* SPDX-License-Identifier: MIT */
/*
 * RISC-V, psABI, any of LP64/LP64F/LP64D. The contract is in include/internal/arch.h.
 * Widths are behind KC_RV_*: a 32-bit port changes nothing else.
 */
#ifndef KCORO_ARCH_H
#define KCORO_ARCH_H

#include <kcoro/config.h>

#if __riscv_xlen == 64
#define KC_RV_BYTES	8
#define KC_RV_STORE	"sd "
#define KC_RV_LOAD	"ld "
#define KC_RV_OFF(n)	#n "*8"
#else
#define KC_RV_BYTES	4
#define KC_RV_STORE	"sw "
#define KC_RV_LOAD	"lw "
#define KC_RV_OFF(n)	#n "*4"
#endif

#define KC_CTX_SP	0
#define KC_CTX_FP	(1 * KC_RV_BYTES)
#define KC_CTX_PC	(2 * KC_RV_BYTES)
#define KC_CTX_FCSR	(3 * KC_RV_BYTES)
#define KC_CTX_BASE	(4 * KC_RV_BYTES)
#define KC_CTX_SIZE	(5 * KC_RV_BYTES)

#define KC_ARCH_STACK_ALIGN	16
#define KC_ARCH_STACK_MIN	512

#ifndef __ASSEMBLER__

#include <stdint.h>

struct kc_ctx {
	void *sp;
	void *fp;		/* s0; in a new context: the entry function */
	void *pc;
	unsigned long fcsr;	/* FPCTL only */
	void *base;		/* s1; inline switch of clang only */
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
#if defined(KC_CONFIG_FPCTL) && defined(__riscv_flen)
	__asm__("frcsr %0" : "=r"(ctx->fcsr));
#endif
}

#ifdef KC_CONFIG_SWITCH_INLINE

#if defined(KC_CONFIG_FPCTL) && defined(__riscv_flen)
#define KC_FPCTL_ASM				\
	"frcsr t0\n\t"				\
	KC_RV_STORE "t0, " KC_RV_OFF(3) "(a0)\n\t" \
	KC_RV_LOAD "t0, " KC_RV_OFF(3) "(a1)\n\t" \
	"fscsr t0\n\t"
#else
#define KC_FPCTL_ASM ""
#endif

#ifdef __riscv_flen
#define KC_CLOBBER_FP , "ft0", "ft1", "ft2", "ft3", "ft4", "ft5", "ft6", "ft7", "ft8", "ft9", \
	"ft10", "ft11", "fa0", "fa1", "fa2", "fa3", "fa4", "fa5", "fa6", "fa7", "fs0", "fs1", \
	"fs2", "fs3", "fs4", "fs5", "fs6", "fs7", "fs8", "fs9", "fs10", "fs11"
#else
#define KC_CLOBBER_FP
#endif

#ifdef __riscv_vector
#define KC_CLOBBER_V , "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", \
	"v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", \
	"v25", "v26", "v27", "v28", "v29", "v30", "v31", "vl", "vtype"
#else
#define KC_CLOBBER_V
#endif

/*
 * clang reaches locals through s1 in a function that has over-aligned and variable-sized ones,
 * and does not heed a clobber of it there. Whoever jumps here has our context in a1.
 */
#ifdef __clang__
#define KC_BASE_SAVE	KC_RV_STORE "s1, " KC_RV_OFF(4) "(a0)\n\t"
#define KC_BASE_LOAD	KC_RV_LOAD "s1, " KC_RV_OFF(4) "(a1)\n\t"
#define KC_CLOBBER_BASE
#else
#define KC_BASE_SAVE	""
#define KC_BASE_LOAD	""
#define KC_CLOBBER_BASE	, "s1"
#endif

/* s0 may be the frame pointer: saved by hand; gp and tp belong to the process and thread */
static inline __attribute__((always_inline)) void kc_arch_switch(struct kc_ctx *from,
								 struct kc_ctx *to)
{
	register struct kc_ctx *a0 __asm__("a0") = from;
	register struct kc_ctx *a1 __asm__("a1") = to;

	__asm__ volatile("lla t0, 1f\n\t"
			 KC_RV_STORE "sp, " KC_RV_OFF(0) "(a0)\n\t"
			 KC_RV_STORE "s0, " KC_RV_OFF(1) "(a0)\n\t"
			 KC_RV_STORE "t0, " KC_RV_OFF(2) "(a0)\n\t"
			 KC_BASE_SAVE
			 KC_FPCTL_ASM
			 KC_RV_LOAD "t1, " KC_RV_OFF(2) "(a1)\n\t"
			 KC_RV_LOAD "s0, " KC_RV_OFF(1) "(a1)\n\t"
			 KC_RV_LOAD "sp, " KC_RV_OFF(0) "(a1)\n\t"
			 "jr t1\n"
			 "1:\n\t"
			 KC_BASE_LOAD
			 : "+r"(a0), "+r"(a1)
			 :
			 : "ra", "t0", "t1", "t2", "t3", "t4", "t5", "t6", "a2", "a3", "a4", "a5",
			   "a6", "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10",
			   "s11", "memory" KC_CLOBBER_BASE KC_CLOBBER_FP KC_CLOBBER_V);
}

#else /* out of line, switch.S */
void kc_arch_switch(struct kc_ctx *from, struct kc_ctx *to);
#endif

#ifdef __cplusplus
}
#endif

#endif /* !__ASSEMBLER__ */
#endif /* KCORO_ARCH_H */
