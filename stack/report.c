// SPDX-License-Identifier: MIT
/*
 * Faults in guards become panics that name the coroutine. Every other fault goes to the
 * handler that was there before.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <internal/coro.h>

static const int signals[] = { SIGSEGV, SIGBUS };
static struct sigaction before[2];	/* written once, by install() */

static bool report(const void *address)
{
	const struct kcoro *self = kc_me();
	struct kc_stack stack;
	const char *a = address;

	if (!self || !kc_stackmem_find(&self->head.thread->pool, address, &stack) ||
	    a >= stack.base + kc_guard_size())
		return false;
	if (self->stack.base && self->stack.base + self->stack.size == stack.base)
		kc_panic_report("write past the top of a stack", self, address);
	else
		kc_panic_report("stack overflow", stack.size ? kc_stack_tenant(&stack) : NULL,
				address);
	return true;
}

static void on_fault(int sig, siginfo_t *info, void *context)
{
	const struct sigaction *old = &before[sig == SIGBUS];
	bool sent = info->si_code <= 0;		/* by kill() or its like: nothing faulted */
	int saved = errno;

	if (sent || !report(info->si_addr)) {
		if (old->sa_flags & SA_SIGINFO) {
			old->sa_sigaction(sig, info, context);
			errno = saved;
			return;
		}
		if (old->sa_handler != SIG_DFL && old->sa_handler != SIG_IGN) {
			old->sa_handler(sig);
			errno = saved;
			return;
		}
		if (sent && old->sa_handler == SIG_IGN)
			return;
	}
	/* back to the faulting instruction, which now meets the old disposition */
	sigaction(sig, old, NULL);
	if (sent)
		raise(sig);			/* comes when this handler is left */
	errno = saved;
}

static void install(void)
{
	struct sigaction sa = { .sa_flags = SA_SIGINFO | SA_ONSTACK };

	sa.sa_sigaction = on_fault;
	sigemptyset(&sa.sa_mask);
	for (int i = 0; i < 2; i++)
		sigaction(signals[i], &sa, &before[i]);
}

int kc_report_attach(void **altstack)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	stack_t ss;

	pthread_once(&once, install);
	if (sigaltstack(NULL, &ss) || !(ss.ss_flags & SS_DISABLE))
		return 0;	/* the program has one of its own */
	ss = (stack_t){ .ss_size = 16384 + (size_t)sysconf(_SC_MINSIGSTKSZ) };
	ss.ss_sp = malloc(ss.ss_size);
	if (!ss.ss_sp)
		return ENOMEM;
	sigaltstack(&ss, NULL);
	*altstack = ss.ss_sp;
	return 0;
}

void kc_report_detach(void **altstack)
{
	stack_t ss;

	if (!*altstack)
		return;
	/* the program may have set one of its own meanwhile */
	if (sigaltstack(NULL, &ss) || ss.ss_sp == *altstack) {
		ss = (stack_t){ .ss_flags = SS_DISABLE };
		sigaltstack(&ss, NULL);
	}
	free(*altstack);
	*altstack = NULL;
}
