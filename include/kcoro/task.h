/* SPDX-License-Identifier: MIT */
/*
 * task.h - the runtime: coroutines that a scheduler runs.
 *
 * A thread has at most one runtime. kc_run() starts one, runs a function in it and
 * comes back when all coroutines have ended; kc_attach() makes the calling thread's
 * own stack a coroutine of one.
 *
 * Calls that may wait ("Waits" below) give control to others. All of them end early with
 * -EINTR after kc_interrupt() and, in the form with a deadline, with -ETIMEDOUT; what
 * they were to do has then not been done. A call that need not wait succeeds even if its
 * deadline has passed.
 */
#ifndef KCORO_TASK_H
#define KCORO_TASK_H

#include <stddef.h>

#include <kcoro/coro.h>
#include <kcoro/time.h>

#ifdef KC_CONFIG_INSPECT
#define KC_INSPECT_API KC_API
#else
#define KC_INSPECT_API __attribute__((error("needs a build with CONFIG_INSPECT")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** typedef kc_fn - body of a coroutine of the runtime; what it returns is for kc_join() */
typedef void *(*kc_fn)(void *arg);

/**
 * struct kc_task - what is known of a coroutine of the runtime, also after its end
 *
 * Opaque. Small: the stack is released as soon as the coroutine has ended.
 */
struct kc_task;

/**
 * struct kc_spawn_opts - how a coroutine is to be; all zero is the default
 * @stack_size: as for kcoro_create(), 0 for the configured size
 * @name: copied, see kcoro_set_name()
 * @mem: memory of the caller for the stack (see kcoro_create_on()), or NULL
 * @mem_size: its size
 */
struct kc_spawn_opts {
	size_t stack_size;
	const char *name;
	void *mem;
	size_t mem_size;
};

/* ---- the runtime ---- */

/**
 * kc_run - start a runtime, run a function in it, end it
 * @fn: the first coroutine's body
 * @arg: its argument
 *
 * Returns when the last coroutine has ended, or when none of them can ever run again:
 * then the blocked ones are reported (kc_dump()) and ended where they stand: their
 * deferred handlers and key destructors run, their frames are not unwound.
 *
 * Context: a thread without a runtime; not inside a coroutine.
 * Return: what @fn returned or gave to kc_exit(), as an int; -EDEADLK when coroutines
 * remained that nobody could wake; -EBUSY (a runtime is attached to this thread already),
 * -EINVAL (@fn NULL), -ENOMEM, -ELIBBAD (see kcoro_create_main()).
 */
KC_RT_API int kc_run_abi(kc_fn fn, void *arg, const char *abi_tag);

static inline int kc_run(kc_fn fn, void *arg)
{
	return kc_run_abi(fn, arg, KC_ABI_TAG);
}

/**
 * kc_attach - make the calling thread's own stack a coroutine of a new runtime
 *
 * From then on the thread may make any call of the runtime, those that wait included.
 * When everybody waits for ever, the wait of the thread's own coroutine ends with -EDEADLK.
 *
 * Return: 0; -EBUSY (attached already); -EPERM (called by another coroutine than the
 * thread's own); errors of kcoro_create_main().
 */
KC_RT_API int kc_attach_abi(const char *abi_tag);

static inline int kc_attach(void)
{
	return kc_attach_abi(KC_ABI_TAG);
}

/**
 * kc_detach - end the runtime of the calling thread
 * Return: 0; -EPERM (no runtime, or another coroutine than the thread's own calls);
 * -EBUSY while coroutines are alive, or when called by a handler or callback: nothing is changed.
 */
KC_RT_API int kc_detach(void);

/* ---- life ---- */

/**
 * kc_go - start a coroutine nobody waits for
 * @fn: its body
 * @arg: its argument
 *
 * It is READY and runs when its turn comes, after those that are ready already.
 *
 * Return: 0; -EINVAL (@fn NULL), -EPERM (no runtime on this thread), -ENOMEM.
 */
KC_RT_API int kc_go(kc_fn fn, void *arg);

/**
 * kc_spawn - start a coroutine that can be joined
 * @fn: its body
 * @arg: its argument
 * @opts: or NULL
 *
 * The handle must be given to kc_join() or kc_task_detach() once.
 *
 * Return: the handle, or NULL with errno EINVAL (@fn NULL, sizes), EPERM (no runtime on
 * this thread) or ENOMEM.
 */
KC_RT_API struct kc_task *kc_spawn(kc_fn fn, void *arg, const struct kc_spawn_opts *opts);

/**
 * kc_join_until - wait for a coroutine's end
 * @task: handle; gone when this returns 0
 * @deadline: when to give up
 * @value: gets what its body returned or gave to kc_exit(); may be NULL
 *
 * Waits. Return: 0; -EINVAL (NULL, not joinable, or somebody else waits for it already),
 * -EDEADLK (itself), -EPERM, -ETIMEDOUT, -EINTR: then the handle is still good.
 */
KC_RT_API int kc_join_until(struct kc_task *task, kc_time_t deadline, void **value);

/** kc_join - kc_join_until() without a deadline */
KC_RT_API int kc_join(struct kc_task *task, void **value);

/** kc_try_join - as kc_join(), but -EAGAIN if it has not ended */
KC_RT_API int kc_try_join(struct kc_task *task, void **value);

/**
 * kc_task_detach - give a handle up: nobody will join
 * @task: handle; gone afterwards
 * Return: 0; -EINVAL (NULL, not joinable), -EBUSY (somebody waits for it).
 */
KC_RT_API int kc_task_detach(struct kc_task *task);

/**
 * kc_exit - end the running coroutine
 * @value: for kc_join()
 *
 * Deferred handlers run, last one first, then key destructors. From the thread's own
 * coroutine, a generator or a callback of the runtime it is an error and returns.
 */
KC_RT_API void kc_exit(void *value);

/**
 * kc_self - the running coroutine's task
 * Return: valid as long as the coroutine runs, beyond that only if it is joinable and
 * neither joined nor detached; NULL outside a runtime.
 */
KC_RT_API struct kc_task *kc_self(void);

/** kc_task_coro - the coroutine of a task, NULL once it has ended */
KC_RT_API kcoro_t *kc_task_coro(const struct kc_task *task);

/* ---- turns ---- */

/**
 * kc_yield - let all others that are ready run first
 * Return: 0; -EPERM outside a runtime.
 */
KC_RT_API int kc_yield(void);

/**
 * kc_sleep_until - wait for a point in time
 * @deadline: when; a deadline in the past is a kc_yield(), KC_FOREVER ends by interrupt only
 * Waits. Return: 0 at or after the deadline, never before; -EINTR; -EPERM.
 */
KC_RT_API int kc_sleep_until(kc_time_t deadline);

/** kc_sleep - kc_sleep_until(kc_after(@span)) */
KC_RT_API int kc_sleep(kc_time_t span);

/**
 * kc_interrupt - end a coroutine's wait
 * @task: its handle
 *
 * Its current wait, or if there is none its next one, ends with -EINTR, once. Several
 * interrupts before that count as one.
 *
 * Context: the runtime's thread. Does not switch.
 * Return: 0; -EINVAL (NULL); -ESRCH (it has ended).
 */
KC_RT_API int kc_interrupt(struct kc_task *task);

/* ---- things of one's own ---- */

/** typedef kc_key_t - number of a slot every coroutine has */
typedef unsigned int kc_key_t;

/**
 * kc_key_new - take a slot
 * @key: gets its number
 * @destroy: called at a coroutine's end with its value, if that is not NULL; may be NULL
 * Return: 0; -EINVAL (@key NULL); -EAGAIN when all KC_CONFIG_KEYS slots are taken.
 */
KC_RT_API int kc_key_new(kc_key_t *key, void (*destroy)(void *value));

/** kc_key_set - the running coroutine's value; 0, -EINVAL (no such key), -EPERM */
KC_RT_API int kc_key_set(kc_key_t key, void *value);

/** kc_key_get - the running coroutine's value, NULL if none was set */
KC_RT_API void *kc_key_get(kc_key_t key);

/**
 * struct kc_defer - a handler for the end of the running coroutine
 *
 * Owned by the program, usually a local variable of a function that does not return
 * before kc_defer_pop(). The members are the library's.
 */
struct kc_defer {
	struct kc_defer *next_;
	void (*fn_)(void *arg);
	void *arg_;
};

/**
 * kc_defer_push - have a function called at the coroutine's end
 * @d: memory that lives until then or until kc_defer_pop()
 * @fn: called last in, first out, on return, kc_exit() and cancellation
 * @arg: passed to @fn
 * Return: 0; -EINVAL (NULL); -EPERM outside a runtime.
 */
KC_RT_API int kc_defer_push(struct kc_defer *d, void (*fn)(void *arg), void *arg);

/**
 * kc_defer_pop - take the latest handler off again
 * @run: call it first?
 * Return: 0; -ENOENT if there is none; -EPERM.
 */
KC_RT_API int kc_defer_pop(int run);

/* ---- for language runtimes and tools ---- */

/** kc_set_user - store a pointer with a coroutine of this thread's runtime; 0 or -EINVAL */
KC_INSPECT_API int kc_set_user(kcoro_t *co, void *user);

/** kc_user - the pointer, NULL at first */
KC_INSPECT_API void *kc_user(const kcoro_t *co);

/**
 * struct kc_info - a coroutine as seen from outside
 * @co: the coroutine
 * @low: lowest usable address of its stack, NULL for the thread's own
 * @high: end of its stack, NULL for the thread's own
 * @sp: stack pointer; NULL for the running one. Everything alive lies in [@sp, @high):
 *	registers are saved there when a coroutine stops
 * @regs: further saved registers
 * @regs_size: their size in bytes
 * @age: nanoseconds since it was started
 * @waits_on: what kind of thing it waits for ("chan recv", "mutex", ...), NULL if it does not
 * @object: the thing's address, or NULL
 * @holder: id of the coroutine that holds the thing, 0 if unknown
 */
struct kc_info {
	kcoro_t *co;
	void *low, *high;
	void *sp;
	const void *regs;
	size_t regs_size;
	kc_time_t age;
	const char *waits_on;
	const void *object;
	uint64_t holder;
};

/**
 * kc_each - look at all coroutines of the runtime, oldest first
 * @fn: called for each; returns 0 to go on; must not wait, start or end coroutines
 * @arg: passed to @fn
 * Return: what @fn returned last; -EINVAL (@fn NULL); -EPERM outside a runtime.
 */
KC_INSPECT_API int kc_each(int (*fn)(const struct kc_info *info, void *arg), void *arg);

/**
 * kc_dump - write a list of all coroutines
 * @write: gets one line of text at a time, without a newline
 * @arg: passed to @write
 * Return: number of coroutines, or -EPERM outside a runtime.
 */
KC_INSPECT_API int kc_dump(void (*write)(void *arg, const char *line), void *arg);

/**
 * kc_set_deadlock_hook - hear of deadlocks
 * @hook: called when no coroutine can ever run again, before any wait ends with -EDEADLK;
 *	kc_dump() is what it usually calls. It cannot wait, but may wake, start somebody or arm a
 *	timer: then nothing ends. NULL for the default: print the list on standard
 *	error if KC_CONFIG_DEADLOCK_TEXT is set.
 * Return: the hook before.
 */
typedef void (*kc_deadlock_hook)(void);
KC_RT_API kc_deadlock_hook kc_set_deadlock_hook(kc_deadlock_hook hook);

/**
 * struct kc_hooks - calls around switches of this thread's runtime; each may be NULL
 * @out: the coroutine that stops
 * @in: the coroutine that starts or goes on
 * @arg: passed to both
 *
 * They run on the stack of the coroutine that stops, cannot wait (-EPERM), and cost a few
 * nanoseconds a switch while they are set, nothing while they are not.
 */
struct kc_hooks {
	void (*out)(kcoro_t *co, void *arg);
	void (*in)(kcoro_t *co, void *arg);
	void *arg;
};

/** kc_set_hooks - set (copied) or remove (NULL) the hooks; 0 or -EPERM outside a runtime */
KC_INSPECT_API int kc_set_hooks(const struct kc_hooks *hooks);

/**
 * kc_safepoint - have a function called when no coroutine is in the middle of anything
 * @fn: called once, at the next switch or wait of the runtime, when all coroutines have
 *	their registers on their stacks; cannot wait (-EPERM)
 * @arg: passed to @fn
 * Return: 0; -EINVAL (NULL); -EBUSY (one is requested already); -EPERM.
 */
KC_INSPECT_API int kc_safepoint(void (*fn)(void *arg), void *arg);

#ifdef __cplusplus
}
#endif

#endif /* KCORO_TASK_H */
