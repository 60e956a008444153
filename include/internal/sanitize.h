/* SPDX-License-Identifier: MIT */
/*
 * sanitize.h - all that ASan, LSan, TSan and valgrind must hear, in one place. Each hook
 * vanishes when its tool is not selected.
 */
#ifndef KC_INTERNAL_SANITIZE_H
#define KC_INTERNAL_SANITIZE_H

#include <stddef.h>

#ifdef CONFIG_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#include <sanitizer/lsan_interface.h>
#endif
#ifdef CONFIG_TSAN
#include <sanitizer/tsan_interface.h>
#endif
#ifdef CONFIG_VALGRIND
#include <valgrind/memcheck.h>
#endif

#if defined(CONFIG_ASAN) || defined(CONFIG_TSAN) || defined(CONFIG_VALGRIND)

/* a coroutine's share; for a main coroutine the bounds are learned at the first switch */
struct kc_san {
	const void *bottom;
	size_t size;
	void *fake_stack;	/* ASan */
	void *fiber;		/* TSan */
	unsigned int vg_id;	/* valgrind */
};

static inline void kc_san_main(struct kc_san *s)
{
	(void)s;
#ifdef CONFIG_TSAN
	s->fiber = __tsan_get_current_fiber();
#endif
}

/* a stack [bottom, bottom + size) goes into use */
static inline void kc_san_create(struct kc_san *s, const void *bottom, size_t size)
{
	*s = (struct kc_san){ .bottom = bottom, .size = size };
#ifdef CONFIG_ASAN
	__asan_unpoison_memory_region(bottom, size);
	__lsan_register_root_region(bottom, size);
#endif
#ifdef CONFIG_TSAN
	s->fiber = __tsan_create_fiber(0);
#endif
#ifdef CONFIG_VALGRIND
	s->vg_id = VALGRIND_STACK_REGISTER(bottom, (const char *)bottom + size);
#endif
}

static inline void kc_san_destroy(struct kc_san *s)
{
	(void)s;
#ifdef CONFIG_ASAN
	/* what its last frames poisoned is not the next user's fault */
	__asan_unpoison_memory_region(s->bottom, s->size);
	__lsan_unregister_root_region(s->bottom, s->size);
#endif
#ifdef CONFIG_TSAN
	__tsan_destroy_fiber(s->fiber);
#endif
#ifdef CONFIG_VALGRIND
	VALGRIND_STACK_DEREGISTER(s->vg_id);
	/* memcheck forbids what lies below the stack pointer; it is plain memory again */
	VALGRIND_MAKE_MEM_DEFINED(s->bottom, s->size);
#endif
}

#else

struct kc_san {};

static inline void kc_san_main(struct kc_san *s)
{
	(void)s;
}

static inline void kc_san_create(struct kc_san *s, const void *bottom, size_t size)
{
	(void)s, (void)bottom, (void)size;
}

static inline void kc_san_destroy(struct kc_san *s)
{
	(void)s;
}

#endif

/* Around reads of what others left on a stack: dead frames, red zones. */
#define KC_SAN_PEEK __attribute__((no_sanitize("address")))

static inline void kc_san_peek(int begin)
{
	(void)begin;
#ifdef CONFIG_VALGRIND
	if (begin)
		VALGRIND_DISABLE_ERROR_REPORTING;
	else
		VALGRIND_ENABLE_ERROR_REPORTING;
#endif
}

/* sanitize.c: first act of a coroutine on its own stack */
#ifdef CONFIG_SWITCH_HOOKS
void kc_san_enter(void);
#else
static inline void kc_san_enter(void)
{
}
#endif

#endif /* KC_INTERNAL_SANITIZE_H */
