/* SPDX-License-Identifier: MIT */
/*
 * generic - the portable switch on ucontext, for CPUs without a port and as the oracle
 * of the ports. The contract is in include/internal/arch.h; what differs: a switch makes
 * two system calls, because swapcontext() insists on handling the signal mask. The
 * mask is passed along, so that it still belongs to the thread.
 */
#ifndef KCORO_ARCH_H
#define KCORO_ARCH_H

#include <kcoro/config.h>

#define KC_ARCH_STACK_ALIGN	16
#define KC_ARCH_STACK_MIN	2048

#ifndef __ASSEMBLER__

#include <ucontext.h>

struct kc_ctx {
	ucontext_t uc;
};

#ifdef __cplusplus
extern "C" {
#endif

/* in the ucontext, at a place that depends on the CPU: all of the stack may be alive */
#define kc_arch_sp(ctx)	((void)(ctx), (void *)NULL)

void kc_arch_init(struct kc_ctx *ctx, void *top, void (*entry)(void));
__attribute__((visibility("default")))
void kc_arch_switch(struct kc_ctx *from, struct kc_ctx *to);

#ifdef __cplusplus
}
#endif

#endif /* !__ASSEMBLER__ */
#endif /* KCORO_ARCH_H */
