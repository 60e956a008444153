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
	callq	*%rax
	callq	kc_protector
	ud2
	.cfi_endproc
	.size	kc_arch_entry, . - kc_arch_entry

	KC_ASM_END
