/* SPDX-License-Identifier: MIT */
/*
 * arch.h - the contract of a port.
 *
 * A port is one directory, arch/<cpu>/, with
 *
 *   include/kcoro/arch.h   struct kc_ctx, kc_arch_init(), and kc_arch_switch(): inline
 *                          asm under KC_CONFIG_SWITCH_INLINE, else a declaration
 *   entry.S                kc_arch_entry, the first code of every coroutine
 *   switch.S               kc_arch_switch() out of line (what a porter writes first)
 *
 * struct kc_ctx is the port's own and holds what a stopped coroutine needs to go on:
 * stack pointer, frame pointer, continuation. Its layout does not depend on the
 * configuration. The assembler files use the KC_CTX_* offsets of the same header,
 * which arch/offsets.c compares with the structure.
 *
 * void kc_arch_switch(struct kc_ctx *from, struct kc_ctx *to)
 *   Stores the running context in *from and continues *to. Returns when somebody
 *   switches to *from. Every register the ABI calls callee-saved, FP ones included, has
 *   its old value then; inline versions declare them clobbered instead, so that the
 *   compiler saves those that are live and no others. The memory below the stack pointer
 *   (red zone) is untouched. Ends in an indirect jump, not in a return instruction: the
 *   CPU's return predictor knows nothing of this stack. No system call; the signal
 *   mask belongs to the thread. With FPCTL the FP control words are part of the
 *   context. from == to returns at once.
 *
 * void kc_arch_init(struct kc_ctx *ctx, void *top, void (*entry)(void))
 *   Prepares a context that calls entry() on the stack below @top (aligned to
 *   KC_ARCH_STACK_ALIGN), through kc_arch_entry. entry must not return.
 *
 * kc_arch_entry
 *   Ends the frame-pointer chain and says in its CFI that nobody called it, so that
 *   debuggers stop here. Jumps to entry() with a return address, so that the CPU's return
 *   predictor does not keep a frame that never returns; if it ever does, calls
 *   kc_protector() by a proper call, so that the panic's backtrace shows where control
 *   came from.
 */
#ifndef KC_INTERNAL_ARCH_H
#define KC_INTERNAL_ARCH_H

#include <kcoro/arch.h>

/* Called by kc_arch_entry when an entry function returned: a named panic. */
void kc_protector(void) __attribute__((noreturn));

#endif /* KC_INTERNAL_ARCH_H */
