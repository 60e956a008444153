// SPDX-License-Identifier: MIT
/* Failure injection tested on functions whose calls are known. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fail.h"

KTEST_SUITE(ktest_fail, .timeout = 20);

static void *volatile sink;	/* keeps the compiler from dropping a malloc/free pair */

KTEST(ktest_fail, nth_call_fails_once)
{
	ktest_fail_nth(KTEST_MALLOC, 2);
	sink = malloc(8);
	EXPECT_NOT_NULL(sink);
	free(sink);
	errno = 0;
	EXPECT_NULL_ERR(sink = malloc(8), ENOMEM);
	sink = malloc(8);
	EXPECT_NOT_NULL(sink);
	free(sink);
	EXPECT_EQ(ktest_fail_fired(), 1);
}

KTEST(ktest_fail, other_sites_go_on)
{
	ktest_fail_all(KTEST_MMAP);
	sink = malloc(8);
	EXPECT_NOT_NULL(sink);
	free(sink);
	EXPECT_EQ(ktest_fail_fired(), 0);
	EXPECT_EQ((uintptr_t)mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
		  (uintptr_t)MAP_FAILED);
	EXPECT_EQ(ktest_fail_fired(), 1);
	ktest_fail_nth(0, 0);
}

static void *nothing(void *arg)
{
	return arg;
}

KTEST(ktest_fail, every_site_fails)
{
	void *map = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_t thread;
	pthread_key_t key;
	stack_t ss;
	void *p;

	ASSERT_NE((uintptr_t)map, (uintptr_t)MAP_FAILED);
	ktest_fail_all(KTEST_ANY_SITE);
	EXPECT_NULL(sink = malloc(1));
	EXPECT_NULL(sink = calloc(1, 1));
	EXPECT_NULL(sink = realloc(NULL, 1));
	EXPECT_NULL(sink = aligned_alloc(16, 16));
	EXPECT_EQ(posix_memalign(&p, 16, 16), ENOMEM);
	EXPECT_EQ(mprotect(map, 4096, PROT_NONE), -1);
	EXPECT_EQ(madvise(map, 4096, MADV_NORMAL), -1);
	EXPECT_EQ(syscall(SYS_getpid), -1);
	EXPECT_EQ(sigaltstack(NULL, &ss), -1);
	EXPECT_EQ(sigaction(SIGUSR1, NULL, NULL), -1);
	EXPECT_EQ(pthread_create(&thread, NULL, nothing, NULL), EAGAIN);
	EXPECT_EQ(pthread_key_create(&key, NULL), EAGAIN);
	EXPECT_EQ(ktest_fail_fired(), 12);
	ktest_fail_nth(0, 0);
	EXPECT_EQ(mprotect(map, 4096, PROT_NONE), 0);
	EXPECT_EQ(syscall(SYS_getpid), getpid());
	munmap(map, 4096);
}

/* Three calls that must succeed and one that may fail. */
static int well_behaved(void *arg)
{
	void *a, *b, *map;

	(void)arg;
	a = sink = malloc(16);
	if (!a)
		return -ENOMEM;
	b = sink = calloc(4, 4);
	if (!b)
		goto free_a;
	map = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (map == MAP_FAILED)
		goto free_b;
	(void)!madvise(map, 4096, MADV_NORMAL);
	munmap(map, 4096);
	free(b);
	free(a);
	return 0;
free_b:
	free(b);
free_a:
	free(a);
	return -ENOMEM;
}

KTEST(ktest_fail, each_call_is_made_to_fail)
{
	struct ktest_fail_result res = ktest_fail_each(KTEST_ANY_SITE, well_behaved, NULL);

	EXPECT_EQ(res.reported, 3);
	EXPECT_EQ(res.absorbed, 1);
	res = ktest_fail_each(KTEST_MADVISE, well_behaved, NULL);
	EXPECT_EQ(res.reported, 0);
	EXPECT_EQ(res.absorbed, 1);
}
