/* SPDX-License-Identifier: MIT */

/* x2: x19-x28, x29, d8-d15 */
.macro each op
	\op	x19, x20, [x2, #0]
	\op	x21, x22, [x2, #16]
	\op	x23, x24, [x2, #32]
	\op	x25, x26, [x2, #48]
	\op	x27, x28, [x2, #64]
	\op	d8, d9, [x2, #88]
	\op	d10, d11, [x2, #104]
	\op	d12, d13, [x2, #120]
	\op	d14, d15, [x2, #136]
.endm

	.text
	.globl	test_regs_call
	.type	test_regs_call, %function
/* x0: function, x1: its argument, x2: registers */
test_regs_call:
	hint	#34			/* bti c */
	sub	sp, sp, #176
	str	x2, [sp, #160]
	str	x30, [sp, #168]
	str	x29, [sp, #80]
	mov	x9, x2
	mov	x2, sp
	each	stp
	mov	x2, x9
	each	ldp
	ldr	x29, [x2, #80]
	mov	x9, x0
	mov	x0, x1
	blr	x9
	ldr	x2, [sp, #160]
	each	stp
	str	x29, [x2, #80]
	mov	x2, sp
	each	ldp
	ldr	x29, [sp, #80]
	ldr	x30, [sp, #168]
	add	sp, sp, #176
	ret
	.size	test_regs_call, . - test_regs_call

	.section .note.GNU-stack, "", %progbits
