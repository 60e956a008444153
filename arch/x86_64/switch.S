/* SPDX-License-Identifier: MIT */
#include "asm.h"

	.text
	.p2align 4
	.globl	kc_arch_switch
	.type	kc_arch_switch, @function
/* rdi: from, rsi: to */
kc_arch_switch:
	.cfi_startproc
	endbr64
	pushq	%rbx
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset rbx, 0
	pushq	%r12
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset r12, 0
	pushq	%r13
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset r13, 0
	pushq	%r14
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset r14, 0
	pushq	%r15
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset r15, 0
	leaq	.Lresumed(%rip), %rax
	movq	%rsp, KC_CTX_SP(%rdi)
	movq	%rbp, KC_CTX_FP(%rdi)
	movq	%rax, KC_CTX_PC(%rdi)
#ifdef KC_CONFIG_FPCTL
	stmxcsr	KC_CTX_MXCSR(%rdi)
	fnstcw	KC_CTX_X87CW(%rdi)
	ldmxcsr	KC_CTX_MXCSR(%rsi)
	fldcw	KC_CTX_X87CW(%rsi)
#endif
	movq	KC_CTX_SP(%rsi), %rsp
	movq	KC_CTX_FP(%rsi), %rbp
	jmpq	*KC_CTX_PC(%rsi)
.Lresumed:
	endbr64
	popq	%r15
	.cfi_adjust_cfa_offset -8
	.cfi_restore r15
	popq	%r14
	.cfi_adjust_cfa_offset -8
	.cfi_restore r14
	popq	%r13
	.cfi_adjust_cfa_offset -8
	.cfi_restore r13
	popq	%r12
	.cfi_adjust_cfa_offset -8
	.cfi_restore r12
	popq	%rbx
	.cfi_adjust_cfa_offset -8
	.cfi_restore rbx
	popq	%rdx		/* a ret would be mispredicted */
	.cfi_adjust_cfa_offset -8
	.cfi_register rip, rdx
	jmpq	*%rdx
	.cfi_endproc
	.size	kc_arch_switch, . - kc_arch_switch

	KC_ASM_END
