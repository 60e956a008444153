/* SPDX-License-Identifier: MIT */
#include "asm.h"

.macro PUSH reg
	pushq	%\reg
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset \reg, 0
.endm

.macro POP reg
	popq	%\reg
	.cfi_adjust_cfa_offset -8
	.cfi_restore \reg
.endm

	.text
	.p2align 4
	.globl	kc_arch_switch
	.type	kc_arch_switch, @function
/* rdi: from, rsi: to */
kc_arch_switch:
	.cfi_startproc
	endbr64
	PUSH	rbx
	PUSH	r12
	PUSH	r13
	PUSH	r14
	PUSH	r15
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
	POP	r15
	POP	r14
	POP	r13
	POP	r12
	POP	rbx
	popq	%rdx		/* a ret would be mispredicted */
	.cfi_adjust_cfa_offset -8
	.cfi_register rip, rdx
	jmpq	*%rdx
	.cfi_endproc
	.size	kc_arch_switch, . - kc_arch_switch

	KC_ASM_END
