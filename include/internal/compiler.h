/* SPDX-License-Identifier: MIT */
/* Small helpers every part of the library may use. */
#ifndef KC_INTERNAL_COMPILER_H
#define KC_INTERNAL_COMPILER_H

#include <stdint.h>

#define kc_likely(x)	__builtin_expect(!!(x), 1)
#define kc_unlikely(x)	__builtin_expect(!!(x), 0)

#define kc_container_of(ptr, type, member) \
	((type *)((char *)(ptr) - offsetof(type, member)))

static inline uintptr_t kc_align_down(uintptr_t x, uintptr_t to)
{
	return x & ~(to - 1);
}

static inline uintptr_t kc_align_up(uintptr_t x, uintptr_t to)
{
	return kc_align_down(x + to - 1, to);
}

/* the hot lines of a control block, and @frames lines of the stack below it; not for boards */
static inline void kc_prefetch(const void *co, unsigned int frames)
{
	uintptr_t at = (uintptr_t)co - 64 * (uintptr_t)frames, end = (uintptr_t)co + 256;

	for (; !IS_ENABLED(CONFIG_OPTIMIZE_SIZE) && at != end; at += 64)
		__builtin_prefetch((const void *)at, 1);
}

#endif
