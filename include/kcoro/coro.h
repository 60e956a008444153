/* SPDX-License-Identifier: MIT */
/*
 * coro.h - the bare coroutine primitives: no scheduler, no event loop, no globals
 * but the thread's current coroutine. Enough for generators, parsers and drivers.
 *
 * A coroutine belongs to the OS thread that created it: only that thread may run,
 * yield to or destroy it. With KC_CONFIG_SMP other threads may hold a reference
 * (kcoro_get/kcoro_put), look at it and wake it (kcoro_unpark).
 *
 * None of these functions may be called from a signal handler, except
 * kcoro_current(), kcoro_id(), kcoro_name() and kcoro_state().
 */
#ifndef KCORO_CORO_H
#define KCORO_CORO_H

#include <stddef.h>
#include <stdint.h>

#include <kcoro/kc_config.h>

#ifdef __cplusplus
extern "C" {
#endif

/** typedef kcoro_t - a coroutine; opaque, always handled by pointer */
typedef struct kcoro kcoro_t;

/** typedef kcoro_fn - body of a coroutine; it ends when this returns */
typedef void (*kcoro_fn)(void *arg);

/**
 * enum kcoro_state - where a coroutine is in its life
 * @KCORO_CREATED: made, has not run yet
 * @KCORO_READY: woken by kcoro_unpark(), waits for its turn
 * @KCORO_RUNNING: the one coroutine its thread executes
 * @KCORO_SUSPENDED: gave the CPU away by yield, yield_to or by resuming another
 * @KCORO_PARKED: waits for kcoro_unpark()
 * @KCORO_FINISHED: its function has returned
 *
 * Legal steps: CREATED to RUNNING; READY to RUNNING; RUNNING to SUSPENDED,
 * PARKED or FINISHED; SUSPENDED to RUNNING; PARKED to READY.
 */
enum kcoro_state {
	KCORO_CREATED,
	KCORO_SUSPENDED,
	KCORO_READY,
	KCORO_RUNNING,
	KCORO_PARKED,
	KCORO_FINISHED,
};

/* ---- the thread ---- */

KC_API kcoro_t *kcoro_create_main_abi(const char *abi_tag);

/**
 * kcoro_create_main - make the calling thread a coroutine
 *
 * Must come before any other call on this thread. The main coroutine is RUNNING at
 * once, uses the thread's own stack and lives until kcoro_detach() or the thread's
 * end. A second call returns the same object.
 *
 * The header's ABI tag is compared with the library's, so a program compiled for
 * one build of kcoro never runs with another.
 *
 * Context: any thread. Does not switch.
 * Return: the main coroutine, or NULL with errno ELIBBAD (header and library differ;
 * kc_abi_explain() tells how), ENOMEM, or EAGAIN (the process has no pthread key left).
 */
static inline kcoro_t *kcoro_create_main(void)
{
	return kcoro_create_main_abi(KC_ABI_TAG);
}

/**
 * kcoro_detach - undo kcoro_create_main() for the calling thread
 *
 * Frees cached stacks and everything retired. Happens by itself at thread end when
 * KC_CONFIG_THREADS is set; a program that wants a spotless leak check calls it.
 *
 * Return: 0; -ESRCH without a main coroutine; -EPERM when called by another
 * coroutine than main; -EBUSY while coroutines of this thread are alive (nothing
 * is changed).
 */
KC_API int kcoro_detach(void);

/**
 * kcoro_current - the running coroutine of the calling thread
 * Return: the coroutine (the main one outside all others), or NULL on a thread
 * without kcoro_create_main().
 */
KC_API kcoro_t *kcoro_current(void);

/* ---- life ---- */

/**
 * kcoro_create - make a coroutine
 * @fn: its body
 * @arg: passed to @fn
 * @stack_size: bytes of memory for stack, guard page and control block together;
 *	0 for KC_CONFIG_STACK_DEFAULT_SIZE; rounded up to what the stack policy hands out
 *
 * No instruction of @fn runs before the first kcoro_resume() or kcoro_yield_to().
 * The caller gets the first reference.
 *
 * Return: the coroutine in state CREATED, or NULL with errno: EINVAL (@fn NULL, size
 * below kcoro_stack_min() or above what the policy can give), EPERM (no main
 * coroutine on this thread), ENOMEM.
 */
KC_API kcoro_t *kcoro_create(kcoro_fn fn, void *arg, size_t stack_size);

/**
 * kcoro_create_on - make a coroutine in memory of the caller
 * @fn: its body
 * @arg: passed to @fn
 * @mem: start of the memory; stays the caller's, must outlive the coroutine
 * @size: its size; the control block is taken from the top, there is no guard
 *
 * Return: as kcoro_create().
 */
KC_API kcoro_t *kcoro_create_on(kcoro_fn fn, void *arg, void *mem, size_t size);

/**
 * kcoro_destroy - end a coroutine's life and release its memory
 * @co: coroutine of this thread that is not running, not up the resume chain, and to
 *	which the caller holds the only reference
 *
 * A coroutine that never ran never will. One that is suspended or parked with live
 * frames loses them as they are: nothing is unwound, no cleanup runs.
 *
 * Return: 0; -EINVAL (NULL); -EBUSY (running, waiting in a resume, or others hold
 * references); -EPERM (a main coroutine, or another thread's). Nothing is changed on error.
 */
KC_API int kcoro_destroy(kcoro_t *co);

/**
 * kcoro_get - take a reference
 * @co: coroutine to which the caller already has access by a reference
 * Return: @co, or NULL when the last reference is already gone.
 */
KC_API kcoro_t *kcoro_get(kcoro_t *co);

/**
 * kcoro_put - drop a reference
 * @co: coroutine or NULL
 *
 * The last put hands the coroutine to its thread's retire queue; memory is released at
 * a drain (the next create or finish, every KC_CONFIG_RETIRE_BATCH retirements,
 * kcoro_reclaim(), thread end) and never while the coroutine is on the CPU, up a
 * resume chain or in a wait of the runtime. Main coroutines hold a permanent reference
 * of their own.
 *
 * Context: any thread with KC_CONFIG_SMP, else the owning thread.
 */
KC_API void kcoro_put(kcoro_t *co);

/**
 * kcoro_reclaim - drain the calling thread's retire queue now
 * Return: number of coroutines released, or -EPERM without a main coroutine.
 */
KC_API int kcoro_reclaim(void);

/* ---- switching ---- */

/**
 * kcoro_resume - run a coroutine until it yields, parks or finishes
 * @co: coroutine that is CREATED, SUSPENDED or READY
 *
 * The caller is SUSPENDED and @co RUNNING meanwhile; @co's next yield comes back here.
 *
 * Return: 0 once control is back; without any switch -EINVAL (NULL), -EBUSY (running,
 * up the resume chain, or a main coroutine), -EAGAIN (parked), -ESRCH (finished),
 * -EPERM (no main coroutine here, or another thread's coroutine).
 */
KC_API int kcoro_resume(kcoro_t *co);

/**
 * kcoro_yield - give control back to whoever resumed the caller
 *
 * A coroutine that a scheduler runs lets all others that are ready run first.
 *
 * Return: 0 when resumed again; -EPERM when there is nobody to return to (main
 * coroutine, or a thread without one).
 */
KC_API int kcoro_yield(void);

/**
 * kcoro_yield_to - switch straight to another coroutine
 * @co: coroutine that is CREATED, SUSPENDED or READY; or the caller's return target
 *
 * @co inherits the caller's return target, so that a chain of yield_to ends where it
 * began. To oneself it does nothing.
 *
 * Return: 0 when the caller runs again; errors as kcoro_resume().
 */
KC_API int kcoro_yield_to(kcoro_t *co);

/**
 * kcoro_park - sleep until kcoro_unpark()
 *
 * Control returns to the resumer. A wake that came before the park is not lost: the
 * call then returns at once.
 *
 * Return: 0 when woken and run again; -EPERM as kcoro_yield().
 */
KC_API int kcoro_park(void);

/**
 * kcoro_unpark - wake a parked coroutine
 * @co: any coroutine
 *
 * PARKED becomes READY, to be run by kcoro_resume(). If @co is not parked the wake
 * is remembered, once, for its next park.
 *
 * Context: any thread with KC_CONFIG_SMP, else the owning thread. Does not switch.
 * Return: 1 when it was parked and is READY now, 0 when the wake was remembered,
 * -EINVAL (NULL), -ESRCH (finished).
 */
KC_API int kcoro_unpark(kcoro_t *co);

/* ---- looking at it ---- */

/** kcoro_state - state of @co (not NULL) */
KC_API enum kcoro_state kcoro_state(const kcoro_t *co);

/** kcoro_state_name - "CREATED", "READY", ... or "?" */
KC_API const char *kcoro_state_name(enum kcoro_state state);

/**
 * kcoro_id - number of a coroutine: never 0, never reused in this process
 *
 * Ids of one thread rise from creation to creation; the first thread's start at 1.
 */
KC_API uint64_t kcoro_id(const kcoro_t *co);

/** kcoro_name - name of @co, "" if it has none or KC_CONFIG_NAME_LEN is 0 */
KC_API const char *kcoro_name(const kcoro_t *co);

/**
 * kcoro_set_name - name a coroutine
 * @co: coroutine of the calling thread
 * @name: copied, cut to KC_CONFIG_NAME_LEN - 1 bytes; NULL for none
 */
KC_API void kcoro_set_name(kcoro_t *co, const char *name);

/* ---- stacks ---- */

/**
 * kcoro_stack_min - smallest size kcoro_create() takes
 *
 * kcoro_create_on() has no guard and takes that much less.
 */
KC_API size_t kcoro_stack_min(void);

/**
 * kcoro_stack_bounds - usable stack of a coroutine
 * @co: coroutine
 * @low: gets the lowest usable address (above the guard), may be NULL
 * @high: gets the end, where the stack starts, may be NULL
 * Return: 0; -EINVAL (NULL); -ENOENT for a main coroutine, whose stack is the thread's.
 */
KC_API int kcoro_stack_bounds(const kcoro_t *co, void **low, void **high);

/**
 * kcoro_stack_room - bytes left below the caller's frame
 *
 * What a compiler emits for depth checks. Return: bytes, SIZE_MAX on a stack
 * that is not ours.
 */
KC_API size_t kcoro_stack_room(void);

#ifdef KC_CONFIG_STACK_HIGHWATER
/**
 * kcoro_stack_used - deepest use of a stack so far, in bytes
 * @co: coroutine
 *
 * The stack is cleared at creation and the untouched part counted here, so a frame
 * that was reserved but never written does not show.
 *
 * Return: bytes, 0 for a main coroutine or NULL.
 */
KC_API size_t kcoro_stack_used(const kcoro_t *co);
#else
size_t kcoro_stack_used(const kcoro_t *co)
	__attribute__((error("kcoro_stack_used() needs a build with CONFIG_STACK_HIGHWATER")));
#endif

/**
 * kcoro_stack_trim - give cached stacks of this thread back to the system
 * @keep: how many to keep
 * Return: number released, or -EPERM without a main coroutine.
 */
KC_API int kcoro_stack_trim(unsigned int keep);

/**
 * kcoro_stack_colouring - switch the spreading of stack tops over cache sets
 * @on: 0 or 1, for coroutines created afterwards by this process
 * Return: the setting before (always 0 without KC_CONFIG_STACK_COLOUR).
 */
KC_API int kcoro_stack_colouring(int on);

/** kcoro_stack_guard - what protects stacks here and now: "none", "mprotect", "light" */
KC_API const char *kcoro_stack_guard(void);

/* ---- numbers ---- */

/**
 * struct kcoro_stats - counts of the calling thread
 * @live: coroutines not yet released, the main one excluded
 * @cached: stacks kept for reuse
 * @retired: coroutines that wait for a drain
 */
struct kcoro_stats {
	unsigned long live;
	unsigned long cached;
	unsigned long retired;
};

/** kcoro_get_stats - fill @st for the calling thread; all zero without a main coroutine */
KC_API void kcoro_get_stats(struct kcoro_stats *st);

/* ---- the end ---- */

/**
 * struct kcoro_panic - why the library cannot go on
 * @what: the reason, for example "stack overflow"
 * @co: coroutine concerned, or NULL
 * @id: its id, 0 for none
 * @name: its name, "" for none
 * @stack_low: low end of its memory (guard included), NULL if not known
 * @stack_high: high end
 * @address: faulting address, NULL if none
 */
struct kcoro_panic {
	const char *what;
	const kcoro_t *co;
	uint64_t id;
	const char *name;
	const void *stack_low;
	const void *stack_high;
	const void *address;
};

/**
 * kcoro_set_panic_hook - be told before the process dies
 * @hook: called once on corruption that cannot be survived; may log, dump, _exit()
 *	or longjmp away to a stack of its own; NULL restores the default. On a stack
 *	overflow it runs in a signal handler, so only async-signal-safe calls are allowed.
 *
 * If the hook returns (or there is none) a line goes to standard error, if the
 * library has KC_CONFIG_PANIC_TEXT, and the process is aborted.
 */
KC_API void kcoro_set_panic_hook(void (*hook)(const struct kcoro_panic *p));

#ifdef __cplusplus
}
#endif

#endif /* KCORO_CORO_H */
