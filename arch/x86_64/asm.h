/* SPDX-License-Identifier: MIT */
/*
 * asm.h - the note every object of this port carries: indirect branches land on endbr64
 * (IBT). Shadow stacks are not claimed: the switch does not exchange them.
 */
#ifndef KC_X86_64_ASM_H
#define KC_X86_64_ASM_H

#include <kcoro/arch.h>

.macro KC_ASM_END
	.section .note.GNU-stack, "", @progbits
	.section .note.gnu.property, "a"
	.p2align 3
	.long	4, 16, 5
	.asciz	"GNU"
	.long	0xc0000002, 4, 1, 0
.endm

#endif
