/* SPDX-License-Identifier: MIT */
/*
 * backtrace - the frames of a coroutine end at its entry.
 *
 * Unwind information says that nothing called the entry code, so backtrace(), gdb
 * and perf stop there instead of wandering into what lies above.
 */
#include "sample.h"

#if defined(KC_CONFIG_UNWIND_TABLES) && __has_include(<execinfo.h>)

#include <execinfo.h>
#include <unistd.h>

/* not static, so that -rdynamic gives them names */
void inner(void) __attribute__((noinline));
void outer(void) __attribute__((noinline));
void body(void *arg);

static int frames;

void inner(void)
{
	void *pc[64];

	frames = backtrace(pc, 64);
	backtrace_symbols_fd(pc, frames, STDOUT_FILENO);
	__asm__ volatile("");	/* no tail call */
}

void outer(void)
{
	inner();
	__asm__ volatile("");
}

void body(void *arg)
{
	(void)arg;
	outer();
	__asm__ volatile("");
}

int main(void)
{
	void *warm[1];
	kcoro_t *co;

	sample_start();
	backtrace(warm, 1);	/* loads the unwinder on the large stack */
	co = sample_create(body, NULL, 2 * SAMPLE_STACK);
	printf("Inside a coroutine, innermost first; the last line is the library's entry:\n");
	kcoro_resume(co);
	printf("%d frames, and it stopped by itself.\n", frames);
	kcoro_destroy(co);
	return frames < 3 || frames > 8;
}

#else

int main(void)
{
	sample_needs("CONFIG_UNWIND_TABLES, and backtrace() in the C library");
}

#endif
