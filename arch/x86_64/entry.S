/* SPDX-License-Identifier: MIT */
#include "asm.h"

	.text
	.p2align 4
	.globl	kc_arch_entry
	.hidden	kc_arch_entry
	.type	kc_arch_entry, @function
/* rsp: top of the new stack, aligned; rbp: the function to call */
kc_arch_entry:
	.cfi_startproc
	.cfi_undefined rip
	endbr64
	movq	%rbp, %rax
	xorl	%ebp, %ebp
	/* not a call: the return predictor must not learn of a frame that never returns */
	leaq	1f(%rip), %rcx
	pushq	%rcx
	.cfi_adjust_cfa_offset 8
	jmpq	*%rax
1:
	.cfi_adjust_cfa_offset -8
	callq	kc_protector
	ud2
	.cfi_endproc
	.size	kc_arch_entry, . - kc_arch_entry

	KC_ASM_END
