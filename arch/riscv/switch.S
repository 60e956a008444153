/* SPDX-License-Identifier: MIT */
#include <kcoro/arch.h>

#if __riscv_xlen == 64
#define REG_S	sd
#define REG_L	ld
#else
#define REG_S	sw
#define REG_L	lw
#endif

#if !defined(__riscv_flen)
#define FBYTES	0
#elif __riscv_flen == 64
#define FBYTES	8
#define FREG_S	fsd
#define FREG_L	fld
#else
#define FBYTES	4
#define FREG_S	fsw
#define FREG_L	flw
#endif

/* ra and s1-s11, then fs0-fs11, rounded up to 16 */
#define FP_AT	(12 * KC_RV_BYTES)
#define FRAME	((FP_AT + 12 * FBYTES + 15) & -16)

	.text
	.p2align 2
	.globl	kc_arch_switch
	.type	kc_arch_switch, @function
/* a0: from, a1: to */
kc_arch_switch:
	.cfi_startproc
	addi	sp, sp, -FRAME
	.cfi_adjust_cfa_offset FRAME
	REG_S	ra, 0(sp)
	.cfi_rel_offset ra, 0
	.set	i, 1
	.irp	reg, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11
	REG_S	\reg, i*KC_RV_BYTES(sp)
	.cfi_rel_offset \reg, i*KC_RV_BYTES
	.set	i, i + 1
	.endr
#if FBYTES
	.set	i, 0
	.irp	reg, fs0, fs1, fs2, fs3, fs4, fs5, fs6, fs7, fs8, fs9, fs10, fs11
	FREG_S	\reg, FP_AT + i*FBYTES(sp)
	.cfi_rel_offset \reg, FP_AT + i*FBYTES
	.set	i, i + 1
	.endr
#endif
	lla	t0, .Lresumed
	REG_S	sp, KC_CTX_SP(a0)
	REG_S	s0, KC_CTX_FP(a0)
	REG_S	t0, KC_CTX_PC(a0)
#if defined(KC_CONFIG_FPCTL) && FBYTES
	frcsr	t0
	REG_S	t0, KC_CTX_FCSR(a0)
	REG_L	t0, KC_CTX_FCSR(a1)
	fscsr	t0
#endif
	REG_L	t1, KC_CTX_PC(a1)
	REG_L	s0, KC_CTX_FP(a1)
	REG_L	sp, KC_CTX_SP(a1)
	jr	t1
.Lresumed:
	REG_L	t1, 0(sp)
	.cfi_register ra, t1
	.set	i, 1
	.irp	reg, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11
	REG_L	\reg, i*KC_RV_BYTES(sp)
	.cfi_restore \reg
	.set	i, i + 1
	.endr
#if FBYTES
	.set	i, 0
	.irp	reg, fs0, fs1, fs2, fs3, fs4, fs5, fs6, fs7, fs8, fs9, fs10, fs11
	FREG_L	\reg, FP_AT + i*FBYTES(sp)
	.cfi_restore \reg
	.set	i, i + 1
	.endr
#endif
	addi	sp, sp, FRAME
	.cfi_adjust_cfa_offset -FRAME
	jr	t1			/* not ra: that would use the return predictor */
	.cfi_endproc
	.size	kc_arch_switch, . - kc_arch_switch

	.section .note.GNU-stack, "", @progbits
