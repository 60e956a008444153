/* SPDX-License-Identifier: MIT */

/* \base: s0-s11, fs0-fs11 */
.macro each iop, fop, base
	.set	i, 0
	.irp	reg, s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11
	\iop	\reg, i(\base)
	.set	i, i + 8
	.endr
	.irp	reg, fs0, fs1, fs2, fs3, fs4, fs5, fs6, fs7, fs8, fs9, fs10, fs11
	\fop	\reg, i(\base)
	.set	i, i + 8
	.endr
.endm

	.text
	.globl	test_regs_call
	.type	test_regs_call, @function
/* a0: function, a1: its argument, a2: registers */
test_regs_call:
	addi	sp, sp, -208
	sd	ra, 192(sp)
	sd	a2, 200(sp)
	each	sd, fsd, sp
	each	ld, fld, a2
	mv	t1, a0
	mv	a0, a1
	jalr	t1
	ld	a2, 200(sp)
	each	sd, fsd, a2
	each	ld, fld, sp
	ld	ra, 192(sp)
	addi	sp, sp, 208
	ret
	.size	test_regs_call, . - test_regs_call

	.section .note.GNU-stack, "", @progbits
