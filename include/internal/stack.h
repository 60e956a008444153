/* SPDX-License-Identifier: MIT */
/*
 * stack.h - the contracts of stack memory, reuse and guards.
 *
 * Three plug-ins meet here, one of each kind is linked:
 *
 *   memory   where stacks come from       stack/{mapped,heap,static}.c   kc_stackmem_*
 *   reuse    what becomes of ended ones   stack/{cached,freed}.c         kc_stack_get/put/trim
 *   guard    what stops an overflow       stack/guard_*.c                kc_guard_*
 *
 * All state is per OS thread, in struct kc_stack_pool, and touched by that thread only; under
 * SMP, once the thread is gone, by the holder of its lock (core/thread.c).
 */
#ifndef KC_INTERNAL_STACK_H
#define KC_INTERNAL_STACK_H

#include <stdbool.h>
#include <stddef.h>

/**
 * struct kc_stack - a piece of stack memory
 * @base: lowest address; the guard, if any, is at this end
 * @size: bytes, guard included
 * @cookie: the memory plug-in's own
 */
struct kc_stack {
	char *base;
	size_t size;
	void *cookie;
};

/* A stack at rest, and the place in it that its next user writes to first. */
struct kc_stack_rest {
	struct kc_stack stack;
	void *top;
};

/**
 * struct kc_stack_pool - the stacks of one thread
 * @mem: the memory plug-in's own, NULL at first (mapped: slabs with room, full slabs)
 * @nmem: stacks obtained from the memory plug-in so far minus those given back
 * @cache: the reuse plug-in's stacks at rest, the warmest one last
 * @ncached: how many
 * @room: for how many there is room
 */
struct kc_stack_pool {
	void *mem[2];
	unsigned long nmem;
	struct kc_stack_rest *cache;
	unsigned long ncached, room;
};

/* ---- memory plug-in ---- */

/**
 * kc_stackmem_round - what a request of @size bytes gets
 * Return: @size or more, 0 if it can never be had. kc_stackmem_get() gets only such sizes.
 */
size_t kc_stackmem_round(size_t size);

/**
 * kc_stackmem_get - obtain a stack, guard installed
 * @pool: the thread's pool
 * @size: from kc_stackmem_round()
 * @out: filled on success
 * Return: 0 or a negative errno, usually -ENOMEM, with nothing changed.
 */
int kc_stackmem_get(struct kc_stack_pool *pool, size_t size, struct kc_stack *out);

/**
 * kc_stackmem_put - give a stack back for good; nobody stands on it
 * @pool: the pool it came from
 * @stack: a copy of what get filled in; does not lie in the stack itself
 */
void kc_stackmem_put(struct kc_stack_pool *pool, const struct kc_stack *stack);

/** kc_stackmem_fini - the pool is empty and will not be used again */
void kc_stackmem_fini(struct kc_stack_pool *pool);

/* ---- reuse plug-in ---- */

/** kc_stack_get - a stack of @size (rounded) bytes, new or used; as kc_stackmem_get() */
int kc_stack_get(struct kc_stack_pool *pool, size_t size, struct kc_stack *out);

/**
 * kc_stack_put - a coroutine has left its stack
 * @pool: the pool it came from
 * @stack: the stack
 * @top: the place in it that its next user writes to first
 */
void kc_stack_put(struct kc_stack_pool *pool, const struct kc_stack *stack, void *top);

/** kc_stack_trim - give back all but @keep unused stacks; returns how many */
int kc_stack_trim(struct kc_stack_pool *pool, unsigned long keep);

/* ---- guard plug-in ---- */

/** kc_guard_size - bytes at the low end of a stack that are guard, 0 for none */
size_t kc_guard_size(void) __attribute__((const));

/**
 * kc_guard_install - guard @n stacks
 * @base: the first one's low end
 * @stride: distance between two
 * Return: 0 or a negative errno; -ENOMEM when the kernel has no more mappings.
 */
int kc_guard_install(char *base, size_t stride, size_t n);

/** kc_guard_name - what is in force: "none", "mprotect", "light" */
const char *kc_guard_name(void);

/* what the light guard falls back to */
int kc_guard_mprotect(char *base, size_t stride, size_t n);

/* ---- shared by the memory plug-ins and core ---- */

/** kc_stack_colour - how far below the top the control block of a stack goes */
size_t kc_stack_colour(const struct kc_stack *stack);

/** kc_page_size - the kernel's page size, read once */
size_t kc_page_size(void) __attribute__((const));

/**
 * kc_stackmem_find - the stack that contains an address, for fault reports; size 0 in a guard that
 * belongs to none
 * Async-signal-safe. Only the mapped plug-in, which alone has guards, provides it.
 */
bool kc_stackmem_find(const struct kc_stack_pool *pool, const void *addr, struct kc_stack *out);

/* highwater.c: clear what kcoro_stack_used() will look for; @dirty: unknown contents */
#ifdef CONFIG_STACK_HIGHWATER
void kc_stack_paint(char *low, char *high, bool dirty);
#else
static inline void kc_stack_paint(char *low, char *high, bool dirty)
{
	(void)low, (void)high, (void)dirty;
}
#endif

/* report.c: faults in guards become named panics; stubs without GUARD_REPORT */
#ifdef CONFIG_GUARD_REPORT
int kc_report_attach(void **altstack);
void kc_report_detach(void **altstack);
#else
static inline int kc_report_attach(void **altstack)
{
	(void)altstack;
	return 0;
}

static inline void kc_report_detach(void **altstack)
{
	(void)altstack;
}
#endif

#endif /* KC_INTERNAL_STACK_H */
