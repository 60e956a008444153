/* SPDX-License-Identifier: MIT */
	.text
	.globl	test_regs_call
	.type	test_regs_call, @function
/* rdi: function, rsi: its argument, rdx: rbx, rbp, r12-r15 */
test_regs_call:
	.cfi_startproc
	endbr64
	.irp	reg, rbx, rbp, r12, r13, r14, r15, rdx
	pushq	%\reg
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset \reg, 0
	.endr
	movq	%rdi, %rax
	movq	%rsi, %rdi
	movq	0(%rdx), %rbx
	movq	8(%rdx), %rbp
	movq	16(%rdx), %r12
	movq	24(%rdx), %r13
	movq	32(%rdx), %r14
	movq	40(%rdx), %r15
	callq	*%rax
	popq	%rdx
	.cfi_adjust_cfa_offset -8
	movq	%rbx, 0(%rdx)
	movq	%rbp, 8(%rdx)
	movq	%r12, 16(%rdx)
	movq	%r13, 24(%rdx)
	movq	%r14, 32(%rdx)
	movq	%r15, 40(%rdx)
	.irp	reg, r15, r14, r13, r12, rbp, rbx
	popq	%\reg
	.cfi_adjust_cfa_offset -8
	.cfi_restore \reg
	.endr
	ret
	.cfi_endproc
	.size	test_regs_call, . - test_regs_call

	.section .note.GNU-stack, "", @progbits
