/* SPDX-License-Identifier: MIT */
#include <kcoro/arch.h>

	.text
	.p2align 2
	.globl	kc_arch_entry
	.hidden	kc_arch_entry
	.type	kc_arch_entry, @function
/* sp: top of the new stack, aligned; s0: the function to call */
kc_arch_entry:
	.cfi_startproc
	.cfi_undefined ra
	mv	t1, s0
	li	s0, 0
	/* not a call: the return predictor must not learn of a frame that never returns */
	lla	ra, 1f
	jr	t1
1:
	call	kc_protector
	ebreak
	.cfi_endproc
	.size	kc_arch_entry, . - kc_arch_entry

	.section .note.GNU-stack, "", @progbits
