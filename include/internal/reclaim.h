/* SPDX-License-Identifier: MIT */
/*
 * reclaim.h - the contract of a reclamation scheme: when may the memory of a coroutine whose last
 * reference is gone be released?
 *
 * A scheme promises: kc_retire() never frees in place and, under SMP, may be called by any
 * thread; another one than the owner queues under kc_thread_lock(). kc_reclaim() frees, exactly
 * once, what was retired, except coroutines that are on the CPU or wait in a resume, which
 * stay queued; it is called by the owning thread, or after that thread's end by the holder of its
 * lock.
 */
#ifndef KC_INTERNAL_RECLAIM_H
#define KC_INTERNAL_RECLAIM_H

#include <internal/coro.h>

/** kc_retire - @co has no references left; hand it to its thread */
void kc_retire(struct kcoro *co);

/** kc_reclaim - free what can be freed; returns how many */
int kc_reclaim(struct kc_thread *t);

/** kc_reclaim_pending - is anything retired? Cheap: asked at each creation. */
static inline bool kc_reclaim_pending(const struct kc_thread *t)
{
	return kc_read(&t->retire.head) != NULL;
}

#endif
