/* SPDX-License-Identifier: MIT */
/*
 * Failure injection. The calls below are replaced at link time (--wrap) in everything that is
 * linked into the program, so neither the library nor the suite knows about it. A suite asks for
 * it in tests/Makefile with $(ktest-fail-objs) and $(ktest-fail-ldflags).
 */
#ifndef KTEST_FAIL_H
#define KTEST_FAIL_H

#include "ktest.h"

#ifdef __cplusplus
extern "C" {
#endif

enum ktest_site {
	KTEST_MALLOC		= 1 << 0,
	KTEST_CALLOC		= 1 << 1,
	KTEST_REALLOC		= 1 << 2,
	KTEST_ALIGNED_ALLOC	= 1 << 3,	/* and posix_memalign */
	KTEST_MMAP		= 1 << 4,
	KTEST_MPROTECT		= 1 << 5,
	KTEST_MADVISE		= 1 << 6,
	KTEST_SYSCALL		= 1 << 7,	/* syscall() and process_madvise() */
	KTEST_SIGALTSTACK	= 1 << 8,
	KTEST_SIGACTION		= 1 << 9,
	KTEST_PTHREAD_CREATE	= 1 << 10,
	KTEST_PTHREAD_KEY	= 1 << 11,	/* pthread_key_create */
	KTEST_ANY_ALLOC		= KTEST_MALLOC | KTEST_CALLOC | KTEST_REALLOC |
				  KTEST_ALIGNED_ALLOC | KTEST_MMAP,
	KTEST_ANY_SITE		= (1 << 12) - 1,
};

/* The nth call (from 1) to one of the sites fails, once. 0 disarms. */
void ktest_fail_nth(unsigned int sites, unsigned long n);

/* From now on every call to one of the sites fails. */
void ktest_fail_all(unsigned int sites);

/* How many calls were made to fail since ktest_fail_nth() or ktest_fail_all(). */
unsigned long ktest_fail_fired(void);

/* Blocks, and bytes of mappings, taken and not given back since the program started. */
long ktest_fail_outstanding(void);

struct ktest_fail_result {
	unsigned int reported;	/* runs in which fn returned an error */
	unsigned int absorbed;	/* runs in which fn succeeded all the same */
};

/*
 * Runs fn for n = 1, 2, ... with the nth call failing, each time in a fresh copy of the process
 * so that set-up done once per process is hit as well, until fn makes fewer than n calls. fn
 * gives back all it took (caches included) and returns 0 or a negative errno; anything else, a
 * crash, and memory, descriptors or counted objects left over are failures of the case.
 */
struct ktest_fail_result ktest_fail_each(unsigned int sites, int (*fn)(void *arg), void *arg);

#ifdef __cplusplus
}
#endif

#endif /* KTEST_FAIL_H */
