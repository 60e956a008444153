/* SPDX-License-Identifier: MIT */
/* panic.h - the end of the road, always with a name */
#ifndef KC_INTERNAL_PANIC_H
#define KC_INTERNAL_PANIC_H

#include <kcoro/coro.h>

/* Calls the hook, prints if configured, aborts. Async-signal-safe. */
void kc_panic(const char *what, const kcoro_t *co) __attribute__((noreturn, cold));

/* The part before the abort, for the fault handler, which lets the signal kill. */
void kc_panic_report(const char *what, const kcoro_t *co, const void *address);

/* What release builds answer with an error code and debug builds do not tolerate. */
#define KC_CHECK(cond, what, co)					\
	do {								\
		if (IS_ENABLED(CONFIG_DEBUG) && !(cond))		\
			kc_panic(what, co);				\
	} while (0)

#endif
