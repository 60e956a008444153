/* SPDX-License-Identifier: MIT */
/*
 * inline.h - the switching calls, as inline functions.
 *
 * Define KCORO_INLINE before including <kcoro/kcoro.h> and kcoro_resume(), kcoro_yield(),
 * kcoro_yield_to() and kcoro_current(), and of the runtime kc_yield(), kc_chan_send(),
 * kc_chan_recv(), kc_mutex_lock() and _unlock(), kc_cond_wait() and _signal() are compiled
 * into the caller. That is worth several nanoseconds a switch: the indirect jump gets one
 * predictor slot per call site, and no library frame has to be returned from. The library's
 * own out-of-line functions are these bodies too.
 *
 * The layout below is part of the ABI and covered by the ABI tag.
 */
#ifndef KCORO_INLINE_H
#define KCORO_INLINE_H

#include <errno.h>

#include <kcoro/coro.h>
#include <kcoro/arch.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Internal states: the public ones plus those that tell a coroutine which waits in
 * kcoro_resume() from one that yielded, and one that a scheduler will run from one that
 * waits for a resume. Up to KC_ST_FREE a coroutine may be run by hand.
 */
#define KC_ST_FREE	KCORO_SUSPENDED
#define KC_ST_RESUMING	(KCORO_FINISHED + 1)	/* reported as KCORO_SUSPENDED */
#define KC_ST_QUEUED	(KCORO_FINISHED + 2)	/* in a queue; reported as KCORO_READY */

struct kc_thread;
struct kc_wait;

/**
 * struct kc_cxx - what a C++ runtime keeps per thread: __cxa_eh_globals of its ABI
 * @caught: exceptions whose handlers have been entered and not yet left
 * @uncaught: number of exceptions on their way to a handler
 * @propagating: only where exceptions follow the ARM EHABI
 */
struct kc_cxx {
	void *caught;
	unsigned int uncaught;
#ifdef __ARM_EABI_UNWINDER__
	void *propagating;
#endif
};

/**
 * struct kcoro_head - what the inline switch knows of a coroutine
 * @ctx: saved registers; valid while it does not run. Owner: its thread.
 * @state: written by its thread; under SMP also PARKED to READY by whoever won @wake
 * @interrupted: its next wait ends at once. Owner: its thread.
 * @waits: what it waits for, NULL if it does not. Owner: its thread.
 * @next: link of the queue of those that can run. Owner: the queue.
 * @back: whom yield, park and the end return to. Owner: its thread. A main
 *	coroutine points to itself.
 * @thread: its thread; never changes
 * @wake: park token, see core/park.c
 * @cxx: the C++ runtime's share while it does not run. Owner: its thread.
 *
 * What a scheduler touches, up to @next, is one cache line.
 */
struct kcoro_head {
	struct kc_ctx ctx;
	uint32_t state;
#ifdef KC_CONFIG_RUNTIME
	uint32_t interrupted;
	struct kc_wait *waits;
	struct kcoro_head *next;
#endif
	struct kcoro_head *back;
	struct kc_thread *thread;
	uint32_t wake;
#ifdef KC_CONFIG_CXX_EXCEPTIONS
	struct kc_cxx cxx;
#endif
};

/**
 * struct kc_runq - the coroutines of a thread that can run
 * @first: next to run
 * @last: joined last
 * @budget: switches until the next look at the clock and at events; signed: short paths
 *	are for values above 1
 * @attached: is there a runtime on this thread?
 */
struct kc_runq {
	struct kcoro_head *first, *last;
	int32_t budget;
	uint32_t attached;
};

#ifdef KC_CONFIG_THREADS
#define KC_TLS __thread __attribute__((tls_model("initial-exec")))
#else
#define KC_TLS
#endif

/* the running coroutine of this thread; NULL before kcoro_create_main() */
extern KC_API KC_TLS struct kcoro_head *kcoro_current_head;
/* this thread's; not behind a pointer, which would be a load more on the way to the next one */
extern KC_API KC_TLS struct kc_runq kcoro_runq;

KC_API int kcoro_resume_slow(kcoro_t *co);
KC_API int kcoro_yield_to_slow(kcoro_t *co);
KC_API int kcoro_yield_slow(void);

#define kc_state_get(h)		__atomic_load_n(&(h)->state, __ATOMIC_RELAXED)
#define kc_state_set(h, s)	__atomic_store_n(&(h)->state, (uint32_t)(s), __ATOMIC_RELAXED)

/* Sanitizers must hear of every switch: then it happens inside the library. */
#ifdef KC_CONFIG_SWITCH_HOOKS
KC_API void kcoro_switch_hooked(struct kcoro_head *from, struct kcoro_head *to);
#define kc_transfer(from, to)	kcoro_switch_hooked(from, to)
#elif defined(KC_CONFIG_OPTIMIZE_SIZE)
KC_API void kcoro_switch_call(struct kcoro_head *from, struct kcoro_head *to);
#define kc_transfer(from, to)	kcoro_switch_call(from, to)
#else
#define kc_transfer(from, to)	kc_arch_switch(&(from)->ctx, &(to)->ctx)
#endif

#ifdef KC_CONFIG_DEBUG
KC_API void kcoro_check_step(const struct kcoro_head *from, const struct kcoro_head *to);
KC_API void kcoro_check_ready(const struct kcoro_head *co);
#else
#define kcoro_check_step(from, to) ((void)0)
#define kcoro_check_ready(co) ((void)0)
#endif

/* a build for size leaves it to the compiler; the library has what it does not inline */
#ifdef KC_CONFIG_OPTIMIZE_SIZE
#define KC_INLINE KC_API inline
#else
#define KC_INLINE static inline __attribute__((always_inline))
#endif

#ifdef KC_CONFIG_CXX_EXCEPTIONS
/* this thread's state in the C++ runtime; NULL in programs without one */
extern KC_API KC_TLS struct kc_cxx *kcoro_cxx;

KC_INLINE void kc_cxx_switch(struct kcoro_head *from, const struct kcoro_head *to)
{
	struct kc_cxx *now = kcoro_cxx;

	if (now) {
		from->cxx = *now;
		*now = to->cxx;
	}
}
#else
#define kc_cxx_switch(from, to) ((void)0)
#endif

/* @from has set its own state; the rest of a step to @to, which nobody else may run */
KC_INLINE void kc_step(struct kcoro_head *from, struct kcoro_head *to)
{
	kcoro_check_step(from, to);
	kc_state_set(to, KCORO_RUNNING);
	kcoro_current_head = to;
	kc_cxx_switch(from, to);
	kc_transfer(from, to);
}

/* May @me run @to by the short path? */
KC_INLINE int kc_may_run(const struct kcoro_head *me, const struct kcoro_head *to)
{
	return __builtin_expect(me && to && kc_state_get(to) <= (uint32_t)KC_ST_FREE &&
				to->thread == me->thread, 1);
}

KC_INLINE int kcoro_resume_inline(kcoro_t *co)
{
	struct kcoro_head *to = (struct kcoro_head *)co;
	struct kcoro_head *me = kcoro_current_head;

	if (!kc_may_run(me, to))
		return kcoro_resume_slow(co);
	to->back = me;
	kc_state_set(me, KC_ST_RESUMING);
	kc_step(me, to);
	return 0;
}

KC_INLINE int kcoro_yield_inline(void)
{
	struct kcoro_head *me = kcoro_current_head;

	if (__builtin_expect(!me || me->back == me, 0))
		return kcoro_yield_slow();
	kc_state_set(me, KCORO_SUSPENDED);
	kc_step(me, me->back);
	return 0;
}

KC_INLINE int kcoro_yield_to_inline(kcoro_t *co)
{
	struct kcoro_head *to = (struct kcoro_head *)co;
	struct kcoro_head *me = kcoro_current_head;

	/* a main coroutine stays a return target: it waits as in resume */
	if (!kc_may_run(me, to) || me->back == me)
		return kcoro_yield_to_slow(co);
	to->back = me->back;
	kc_state_set(me, KCORO_SUSPENDED);
	kc_step(me, to);
	return 0;
}

KC_INLINE kcoro_t *kcoro_current_inline(void)
{
	return (kcoro_t *)kcoro_current_head;
}

#ifdef KC_CONFIG_RUNTIME
KC_API int kc_yield_slow(void);
KC_API void kc_away_slow(struct kcoro_head *me);

/* @co of this thread can run: to the end of the queue */
KC_INLINE void kc_ready_inline(struct kcoro_head *co)
{
	struct kc_runq *run = &kcoro_runq;

	kcoro_check_ready(co);
	kc_state_set(co, KC_ST_QUEUED);
	co->next = NULL;
	if (run->first)
		run->last->next = co;
	else
		run->first = co;
	run->last = co;
}

/* @me has set its state; run others until it is its turn again */
KC_INLINE void kc_away_inline(struct kcoro_head *me)
{
	struct kc_runq *run = &kcoro_runq;
	struct kcoro_head *to = run->first;

	if (__builtin_expect(!to || run->budget <= 1, 0)) {
		kc_away_slow(me);
		return;
	}
	run->budget--;
	run->first = to->next;
	__builtin_prefetch(run->first);
	kc_step(me, to);
}

KC_INLINE int kc_yield_inline(void)
{
	struct kcoro_head *me = kcoro_current_head;
	struct kc_runq *run = &kcoro_runq;
	struct kcoro_head *to = run->first;

	if (__builtin_expect(!to || run->budget <= 1, 0))
		return kc_yield_slow();
	run->budget--;
	me->next = NULL;
	if (run->last == to) {
		run->first = me;	/* without the load of what would be stored right before */
	} else {
		run->last->next = me;
		run->first = to->next;
		__builtin_prefetch(run->first);
	}
	run->last = me;
	kc_state_set(me, KC_ST_QUEUED);
	kc_step(me, to);
	return 0;
}
#endif

#ifdef KCORO_INLINE
#ifdef KC_CONFIG_RUNTIME
#define kc_yield()		kc_yield_inline()
#endif
#define kcoro_resume(co)	kcoro_resume_inline(co)
#define kcoro_yield()		kcoro_yield_inline()
#define kcoro_yield_to(co)	kcoro_yield_to_inline(co)
#define kcoro_current()		kcoro_current_inline()
#endif

#ifdef __cplusplus
}
#endif

#ifdef KC_CONFIG_CHAN
#include <kcoro/inline-chan.h>
#endif
#ifdef KC_CONFIG_SYNC
#include <kcoro/inline-sync.h>
#endif

#endif /* KCORO_INLINE_H */
