/* SPDX-License-Identifier: MIT */
#include "asm.h"

/* x19-x28, x30 and d8-d15 go below the stack pointer, x29 into the context */
#define FRAME	160

	.text
	.p2align 4
	.globl	kc_arch_switch
	.type	kc_arch_switch, %function
/* x0: from, x1: to */
kc_arch_switch:
	.cfi_startproc
	hint	#25			/* paciasp: signs x30, and is a landing pad */
	.cfi_negate_ra_state
	sub	sp, sp, #FRAME
	.cfi_adjust_cfa_offset FRAME
	stp	x19, x20, [sp, #0]
	.cfi_rel_offset 19, 0
	.cfi_rel_offset 20, 8
	stp	x21, x22, [sp, #16]
	.cfi_rel_offset 21, 16
	.cfi_rel_offset 22, 24
	stp	x23, x24, [sp, #32]
	.cfi_rel_offset 23, 32
	.cfi_rel_offset 24, 40
	stp	x25, x26, [sp, #48]
	.cfi_rel_offset 25, 48
	.cfi_rel_offset 26, 56
	stp	x27, x28, [sp, #64]
	.cfi_rel_offset 27, 64
	.cfi_rel_offset 28, 72
	str	x30, [sp, #80]
	.cfi_rel_offset 30, 80
	stp	d8, d9, [sp, #96]
	.cfi_rel_offset 72, 96
	.cfi_rel_offset 73, 104
	stp	d10, d11, [sp, #112]
	.cfi_rel_offset 74, 112
	.cfi_rel_offset 75, 120
	stp	d12, d13, [sp, #128]
	.cfi_rel_offset 76, 128
	.cfi_rel_offset 77, 136
	stp	d14, d15, [sp, #144]
	.cfi_rel_offset 78, 144
	.cfi_rel_offset 79, 152
	adr	x4, .Lresumed
	mov	x3, sp
	stp	x3, x29, [x0, #KC_CTX_SP]
	str	x4, [x0, #KC_CTX_PC]
#ifdef KC_CONFIG_FPCTL
	mrs	x2, fpcr
	str	x2, [x0, #KC_CTX_FPCR]
	ldr	x2, [x1, #KC_CTX_FPCR]
	msr	fpcr, x2
#endif
	ldp	x3, x29, [x1, #KC_CTX_SP]
	ldr	x16, [x1, #KC_CTX_PC]
	mov	sp, x3
	br	x16
.Lresumed:
	hint	#36			/* bti j */
	ldp	x19, x20, [sp, #0]
	ldp	x21, x22, [sp, #16]
	ldp	x23, x24, [sp, #32]
	ldp	x25, x26, [sp, #48]
	ldp	x27, x28, [sp, #64]
	ldr	x30, [sp, #80]
	ldp	d8, d9, [sp, #96]
	ldp	d10, d11, [sp, #112]
	ldp	d12, d13, [sp, #128]
	ldp	d14, d15, [sp, #144]
	add	sp, sp, #FRAME
	.cfi_adjust_cfa_offset -FRAME
	.cfi_restore 19
	.cfi_restore 20
	.cfi_restore 21
	.cfi_restore 22
	.cfi_restore 23
	.cfi_restore 24
	.cfi_restore 25
	.cfi_restore 26
	.cfi_restore 27
	.cfi_restore 28
	.cfi_restore 30
	.cfi_restore 72
	.cfi_restore 73
	.cfi_restore 74
	.cfi_restore 75
	.cfi_restore 76
	.cfi_restore 77
	.cfi_restore 78
	.cfi_restore 79
	hint	#29			/* autiasp */
	.cfi_negate_ra_state
	/*
	 * Into the caller by way of x16: a plain ret would be mispredicted, and the place
	 * behind a bl has no landing pad, so a BTI build of the caller needs the ret.
	 */
#ifdef __ARM_FEATURE_BTI_DEFAULT
	ret
#else
	mov	x16, x30
	br	x16
#endif
	.cfi_endproc
	.size	kc_arch_switch, . - kc_arch_switch

	KC_ASM_END
