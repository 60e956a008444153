/* SPDX-License-Identifier: MIT */
/* By processor, not by port: the portable switch must keep the same registers. */
#if defined(__x86_64__)
#include "regs-x86_64.S"
#elif defined(__aarch64__)
#include "regs-arm64.S"
#elif defined(__riscv) && __riscv_xlen == 64 && defined(__riscv_flen) && __riscv_flen == 64
#include "regs-riscv.S"
#else
	.section .note.GNU-stack, "", %progbits
#endif
