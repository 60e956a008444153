// SPDX-License-Identifier: MIT
#include <signal.h>
#include <stdint.h>
#include <string.h>

#include <internal/arch.h>

/*
 * makecontext() passes ints only. The pointer travels as two unsigned halves: signed ones
 * would smear bit 31 over the upper half.
 */
static void enter(unsigned int high, unsigned int low)
{
	union {
		uint64_t bits;
		void (*entry)(void);
	} u = { .bits = (uint64_t)high << 32 | low };

	u.entry();
	kc_protector();
}

void kc_arch_init(struct kc_ctx *ctx, void *top, void (*entry)(void))
{
	union {
		uint64_t bits;
		void (*entry)(void);
	} u = { .bits = 0 };

	u.entry = entry;
	getcontext(&ctx->uc);
	/* only the top counts: makecontext() starts there and never looks at the low end */
	ctx->uc.uc_stack.ss_sp = (char *)top - KC_ARCH_STACK_MIN / 2;
	ctx->uc.uc_stack.ss_size = KC_ARCH_STACK_MIN / 2;
	ctx->uc.uc_link = NULL;
	makecontext(&ctx->uc, (void (*)(void))enter, 2, (unsigned int)(u.bits >> 32),
		    (unsigned int)u.bits);
}

void kc_arch_switch(struct kc_ctx *from, struct kc_ctx *to)
{
	if (from == to)
		return;
	pthread_sigmask(SIG_SETMASK, NULL, &to->uc.uc_sigmask);
	swapcontext(&from->uc, &to->uc);
}
