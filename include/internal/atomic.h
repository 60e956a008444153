/* SPDX-License-Identifier: MIT */
/*
 * atomic.h - operations on words that other threads may touch under SMP. Without SMP the
 * same source gets plain loads and stores.
 *
 * Pairs: a release here always meets the acquire of the same object; the comment at the
 * caller names it.
 */
#ifndef KC_INTERNAL_ATOMIC_H
#define KC_INTERNAL_ATOMIC_H

#include <stdbool.h>
#include <stdint.h>

#define kc_read(p)	__atomic_load_n(p, __ATOMIC_RELAXED)
#define kc_write(p, v)	__atomic_store_n(p, v, __ATOMIC_RELAXED)

#ifdef CONFIG_SMP

#define kc_read_acquire(p)	__atomic_load_n(p, __ATOMIC_ACQUIRE)
#define kc_write_release(p, v)	__atomic_store_n(p, v, __ATOMIC_RELEASE)
#define kc_xchg(p, v)		__atomic_exchange_n(p, v, __ATOMIC_SEQ_CST)

#define kc_add_return(p, v)	__atomic_add_fetch(p, v, __ATOMIC_RELAXED)

static inline bool kc_cas(uint32_t *p, uint32_t old, uint32_t new_)
{
	return __atomic_compare_exchange_n(p, &old, new_, false, __ATOMIC_SEQ_CST,
					   __ATOMIC_SEQ_CST);
}

static inline bool kc_cas_ptr(void **p, void *old, void *new_)
{
	return __atomic_compare_exchange_n(p, &old, new_, false, __ATOMIC_SEQ_CST,
					   __ATOMIC_RELAXED);
}

#else

#define kc_read_acquire(p)	(*(p))
#define kc_write_release(p, v)	(*(p) = (v))
#define kc_xchg(p, v)		({ __typeof__(*(p)) old_ = *(p); *(p) = (v); old_; })

#define kc_add_return(p, v)	(*(p) += (v))

static inline bool kc_cas(uint32_t *p, uint32_t old, uint32_t new_)
{
	if (*p != old)
		return false;
	*p = new_;
	return true;
}

static inline bool kc_cas_ptr(void **p, void *old, void *new_)
{
	if (*p != old)
		return false;
	*p = new_;
	return true;
}

#endif
#endif
