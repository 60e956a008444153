/* SPDX-License-Identifier: MIT */
/*
 * coro.h - the coroutine object and the thread it belongs to, as the library sees them.
 *
 * The object sits at the top of the coroutine's own stack memory, so that a parked
 * coroutine touches one page:
 *
 *   base [ guard | ... stack grows down <- | struct kcoro | colour ] base + size
 */
#ifndef KC_INTERNAL_CORO_H
#define KC_INTERNAL_CORO_H

#ifdef CONFIG_SMP
#include <pthread.h>
#endif

#include <kcoro/kcoro.h>
#include <kcoro/inline.h>
#include <internal/atomic.h>
#include <internal/compiler.h>
#include <internal/panic.h>
#include <internal/sanitize.h>
#include <internal/stack.h>

/* control blocks do not share a cache line with the first frames */
#define KC_CO_ALIGN	64

/* the state of a control block at rest */
#define KC_ST_FREED	(KC_ST_RESUMING + 1)

/* flags */
#define KC_CO_MAIN	1u	/* a thread's own; no stack of ours */
#define KC_CO_FOREIGN	2u	/* memory of the caller, see kcoro_create_on() */

/**
 * struct kcoro - a coroutine
 * @head: what the inline switch knows
 * @fn: body
 * @arg: its argument
 * @id: never 0, never reused
 * @refs: references; atomic under SMP. A coroutine that runs or waits in a resume is held
 *	by its state as well: the drain passes over it.
 * @flags: KC_CO_*; constant
 * @next: link of the retire queue. Owner: the queue.
 * @stack: its memory
 * @san: sanitizers' share
 * @name: zero-terminated
 */
struct kcoro {
	struct kcoro_head head;
	kcoro_fn fn;
	void *arg;
	uint64_t id;
	uint32_t refs;
	uint32_t flags;
	struct kcoro *next;
	struct kc_stack stack;
	struct kc_san san;
#if CONFIG_NAME_LEN > 0
	char name[CONFIG_NAME_LEN];
#endif
};

_Static_assert(offsetof(struct kcoro, head) == 0, "the inline switch casts");

/* retire queue: any thread pushes under SMP, the owner takes all */
struct kc_retire {
	struct kcoro *head;	/* atomic under SMP */
	uint32_t count;		/* atomic under SMP; a hint for batching */
};

/**
 * struct kc_thread - what the library keeps per OS thread
 * @main: the thread's own stack as a coroutine
 * @pool: stacks. Owner: the thread; after its end whoever holds @lock.
 * @retire: coroutines nobody refers to
 * @live: coroutines not yet released. Owner as @pool.
 * @next_id: last id given out. Owner: the thread.
 * @altstack: of the fault reporter
 * @gone: the thread has ended; under @lock
 * @lock: SMP only, see core/thread.c
 */
struct kc_thread {
	struct kcoro main;
	struct kc_stack_pool pool;
	struct kc_retire retire;
	unsigned long live;
	uint64_t next_id;
	void *altstack;
#ifdef CONFIG_SMP
	bool gone;
	pthread_mutex_t lock;
#endif
};

static inline struct kcoro *kc_self(void)
{
	return (struct kcoro *)kcoro_current_head;
}

static inline struct kc_thread *kc_this_thread(void)
{
	return kcoro_current_head ? kcoro_current_head->thread : NULL;
}

/* On the CPU, or waiting in a resume for one that is? */
static inline bool kc_is_active(const struct kcoro *co)
{
	uint32_t s = kc_state_get(&co->head);

	return s == KCORO_RUNNING || s == KC_ST_RESUMING;
}

#if CONFIG_NAME_LEN > 0
static inline const char *kc_name(const struct kcoro *co)
{
	return co->name;
}

static inline void kc_name_set(struct kcoro *co, const char *name)
{
	size_t n = 0;

	for (; name && name[n] && n < CONFIG_NAME_LEN - 1; n++)
		co->name[n] = name[n];
	co->name[n] = '\0';
}
#else
static inline const char *kc_name(const struct kcoro *co)
{
	(void)co;
	return "";
}

static inline void kc_name_set(struct kcoro *co, const char *name)
{
	(void)co, (void)name;
}
#endif

/* kcoro.c */
void kc_free(struct kcoro *co);
void kc_trampoline(void);
void kc_init(struct kcoro *co, struct kc_thread *t, kcoro_fn fn, void *arg);
/* stack/layout.c: where the control block goes, and who is there */
struct kcoro *kc_stack_place(const struct kc_stack *stack, size_t colour);
const struct kcoro *kc_stack_tenant(const struct kc_stack *stack);
/* thread.c */
uint64_t kc_id_block(void);
/* cxx.c: a new coroutine has no exceptions; the thread's are those of the C++ runtime */
#ifdef CONFIG_CXX_EXCEPTIONS
void kc_cxx_attach(void);

static inline void kc_cxx_init(struct kcoro_head *head)
{
	head->cxx = (struct kc_cxx){ .caught = NULL };
}
#else
static inline void kc_cxx_attach(void)
{
}

static inline void kc_cxx_init(struct kcoro_head *head)
{
	(void)head;
}
#endif
/* around what a thread does to another one's queue; @t may be gone after the unlock */
#ifdef CONFIG_SMP
void kc_thread_lock(struct kc_thread *t);
void kc_thread_unlock(struct kc_thread *t);
#else
static inline void kc_thread_lock(struct kc_thread *t)
{
	(void)t;
}

static inline void kc_thread_unlock(struct kc_thread *t)
{
	(void)t;
}
#endif

#endif /* KC_INTERNAL_CORO_H */
