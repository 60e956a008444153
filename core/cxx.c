// SPDX-License-Identifier: MIT
/*
 * Exceptions of C++ belong to a coroutine.
 *
 * The C++ runtime keeps a stack of the exceptions that are being handled per OS thread. Two
 * coroutines that switch inside their handlers leave them in another order than that of a stack,
 * so each coroutine has a copy of its own, exchanged at the switch (kcoro/inline.h).
 *
 * The reference is weak: a C program does not get a C++ runtime by this.
 */
#include <internal/coro.h>

KC_TLS struct kc_cxx *kcoro_cxx;

struct kc_cxx *__cxa_get_globals(void) __attribute__((weak));

void kc_cxx_attach(void)
{
	if (__cxa_get_globals)
		kcoro_cxx = __cxa_get_globals();
}
