/* SPDX-License-Identifier: MIT */
#include "asm.h"

/* x19-x28, x30 and d8-d15 go below the stack pointer, x29 into the context */
#define FRAME	160

/* two registers, the DWARF number of the first, their place in the frame */
.macro SAVE a, b, dwarf, at
	stp	\a, \b, [sp, #\at]
	.cfi_rel_offset \dwarf, \at
	.cfi_rel_offset \dwarf + 1, \at + 8
.endm

.macro LOAD a, b, dwarf, at
	ldp	\a, \b, [sp, #\at]
	.cfi_restore \dwarf
	.cfi_restore \dwarf + 1
.endm

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
	SAVE	x19, x20, 19, 0
	SAVE	x21, x22, 21, 16
	SAVE	x23, x24, 23, 32
	SAVE	x25, x26, 25, 48
	SAVE	x27, x28, 27, 64
	str	x30, [sp, #80]
	.cfi_rel_offset 30, 80
	SAVE	d8, d9, 72, 96
	SAVE	d10, d11, 74, 112
	SAVE	d12, d13, 76, 128
	SAVE	d14, d15, 78, 144
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
	LOAD	x19, x20, 19, 0
	LOAD	x21, x22, 21, 16
	LOAD	x23, x24, 23, 32
	LOAD	x25, x26, 25, 48
	LOAD	x27, x28, 27, 64
	ldr	x30, [sp, #80]
	.cfi_restore 30
	LOAD	d8, d9, 72, 96
	LOAD	d10, d11, 74, 112
	LOAD	d12, d13, 76, 128
	LOAD	d14, d15, 78, 144
	add	sp, sp, #FRAME
	.cfi_adjust_cfa_offset -FRAME
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
