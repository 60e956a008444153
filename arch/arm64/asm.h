/* SPDX-License-Identifier: MIT */
/* asm.h - the note every object of this port carries: BTI pads and signed returns */
#ifndef KC_ARM64_ASM_H
#define KC_ARM64_ASM_H

#include <kcoro/arch.h>

.macro KC_ASM_END
	.section .note.GNU-stack, "", %progbits
	.section .note.gnu.property, "a"
	.p2align 3
	.long	4, 16, 5
	.asciz	"GNU"
	.long	0xc0000000, 4, 3, 0
.endm

#endif
