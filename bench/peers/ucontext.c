/* SPDX-License-Identifier: MIT */
/* ucontext.c - swapcontext() of the C library. */
#include <ucontext.h>

#include "peer.h"

static ucontext_t driver;
static ucontext_t *running;
static unsigned long counter[SITES];

#define BODY(n)					\
static void body##n(void)			\
{						\
	for (;;) {				\
		swapcontext(running, &driver);	\
		counter[n]++;			\
	}					\
}
BODY(0)
BODY(1)
BODY(2)
BODY(3)

static void ends(void)
{
}

static void (*const bodies[SITES])(void) = { body0, body1, body2, body3 };

static inline void resume(ucontext_t *co)
{
	running = co;
	swapcontext(&driver, co);
}

/* the context sits on top of the stack */
#define ROOM (STACK_SIZE - ((sizeof(ucontext_t) + 63) & ~63UL))

static ucontext_t *make(char *mem, void (*fn)(void))
{
	ucontext_t *co = (ucontext_t *)(mem + ROOM);

	getcontext(co);
	co->uc_stack.ss_sp = mem;
	co->uc_stack.ss_size = ROOM;
	co->uc_link = &driver;
	makecontext(co, fn, 0);
	resume(co);
	return co;
}

static double switches(unsigned long count, int n)
{
	/* a system call each way: fewer rounds will do */
	unsigned long rounds = count / 20 / (2 * (unsigned long)n) + 1;
	char *mem = peer_stacks((unsigned long)n);
	static ucontext_t *co[MANY];
	double t;

	for (int i = 0; i < n; i++)
		co[i] = make(mem + (unsigned long)i * STACK_SIZE, bodies[i % SITES]);
	t = now_ns();
	for (unsigned long r = 0; r < rounds; r++)
		for (int i = 0; i < n; i += SITES) {
			resume(co[i]);
			resume(co[i + 1]);
			resume(co[i + 2]);
			resume(co[i + 3]);
		}
	return (now_ns() - t) / ((double)rounds * 2 * n);
}

static int create(unsigned long count)
{
	char *mem = peer_stacks(count);

	for (unsigned long i = 0; i < count; i++)
		make(mem + i * STACK_SIZE, body0);
	return 0;
}

static int create_warm(void)
{
	static char *mem;

	if (!mem)
		mem = peer_stacks(1);
	make(mem, ends);
	return 0;
}

int main(int argc, char **argv)
{
	char version[64];
	struct peer peer = { version, switches, create, create_warm, NULL };

	snprintf(version, sizeof(version), "ucontext, glibc %d.%d", __GLIBC__, __GLIBC_MINOR__);
	return peer_main(&peer, argc, argv);
}
