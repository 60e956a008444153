/* SPDX-License-Identifier: MIT */
#include "asm.h"

	.text
	.p2align 4
	.globl	kc_arch_entry
	.hidden	kc_arch_entry
	.type	kc_arch_entry, %function
/* sp: top of the new stack, aligned; x29: the function to call */
kc_arch_entry:
	.cfi_startproc
	.cfi_undefined 30
	hint	#36			/* bti j */
	mov	x16, x29
	mov	x29, xzr
	/* not a call: the return predictor must not learn of a frame that never returns */
	adr	x30, 1f
	br	x16
1:
	bl	kc_protector
	brk	#1
	.cfi_endproc
	.size	kc_arch_entry, . - kc_arch_entry

	KC_ASM_END
