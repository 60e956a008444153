// SPDX-License-Identifier: MIT
/* Failure injection: the shims that --wrap puts in the place of the real calls. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "fail.h"
#include "internal.h"

enum { NOT_HIT, REPORTED = 10, ABSORBED };	/* exit status of one run of ktest_fail_each() */

static atomic_uint armed;		/* sites */
static atomic_ulong countdown;		/* calls until the one that fails; 0: all fail */
static atomic_ulong fired;
static atomic_long outstanding;
static const char *_Atomic culprit;

static bool fail(enum ktest_site site, const char *name)
{
	if (!(atomic_load(&armed) & site))
		return false;
	if (atomic_load(&countdown)) {
		if (atomic_fetch_sub(&countdown, 1) != 1)
			return false;
		atomic_store(&armed, 0);
	}
	atomic_fetch_add(&fired, 1);
	atomic_store(&culprit, name);
	return true;
}

static void *taken(void *block)
{
	if (block)
		atomic_fetch_add(&outstanding, 1);
	return block;
}

void ktest_fail_nth(unsigned int sites, unsigned long n)
{
	atomic_store(&armed, 0);
	atomic_store(&fired, 0);
	atomic_store(&countdown, n);
	atomic_store(&armed, n ? sites : 0);
}

void ktest_fail_all(unsigned int sites)
{
	ktest_fail_nth(0, 0);
	atomic_store(&armed, sites);
}

unsigned long ktest_fail_fired(void)
{
	return atomic_load(&fired);
}

long ktest_fail_outstanding(void)
{
	return atomic_load(&outstanding);
}

/* Declares the real call and begins the shim. */
#define SHIM(_ret, _name, ...)			\
	_ret __real_##_name(__VA_ARGS__);	\
	_ret __wrap_##_name(__VA_ARGS__);	\
	_ret __wrap_##_name(__VA_ARGS__)

#define FAIL_WITH(_site, _name, _err, _ret)	\
	do { if (fail(_site, _name)) { errno = _err; return _ret; } } while (0)

SHIM(void *, malloc, size_t size)
{
	FAIL_WITH(KTEST_MALLOC, "malloc", ENOMEM, NULL);
	return taken(__real_malloc(size));
}

SHIM(void *, calloc, size_t n, size_t size)
{
	FAIL_WITH(KTEST_CALLOC, "calloc", ENOMEM, NULL);
	return taken(__real_calloc(n, size));
}

SHIM(void *, realloc, void *old, size_t size)
{
	void *block;

	FAIL_WITH(KTEST_REALLOC, "realloc", ENOMEM, NULL);
	block = __real_realloc(old, size);
	return old ? block : taken(block);
}

SHIM(void *, aligned_alloc, size_t align, size_t size)
{
	FAIL_WITH(KTEST_ALIGNED_ALLOC, "aligned_alloc", ENOMEM, NULL);
	return taken(__real_aligned_alloc(align, size));
}

SHIM(int, posix_memalign, void **block, size_t align, size_t size)
{
	int err;

	if (fail(KTEST_ALIGNED_ALLOC, "posix_memalign"))
		return ENOMEM;
	err = __real_posix_memalign(block, align, size);
	if (!err)
		taken(*block);
	return err;
}

SHIM(void, free, void *block)
{
	if (block)
		atomic_fetch_sub(&outstanding, 1);
	__real_free(block);
}

/* Mappings are counted in bytes: one call may give back what several took, or a part. */
SHIM(void *, mmap, void *addr, size_t len, int prot, int flags, int fd, off_t off)
{
	void *map;

	FAIL_WITH(KTEST_MMAP, "mmap", ENOMEM, MAP_FAILED);
	map = __real_mmap(addr, len, prot, flags, fd, off);
	if (map != MAP_FAILED && !(flags & MAP_FIXED))
		atomic_fetch_add(&outstanding, (long)len);
	return map;
}

SHIM(int, munmap, void *addr, size_t len)
{
	int ret = __real_munmap(addr, len);

	if (ret == 0)
		atomic_fetch_sub(&outstanding, (long)len);
	return ret;
}

SHIM(int, mprotect, void *addr, size_t len, int prot)
{
	FAIL_WITH(KTEST_MPROTECT, "mprotect", ENOMEM, -1);
	return __real_mprotect(addr, len, prot);
}

SHIM(int, madvise, void *addr, size_t len, int advice)
{
	FAIL_WITH(KTEST_MADVISE, "madvise", EINVAL, -1);
	return __real_madvise(addr, len, advice);
}

SHIM(ssize_t, process_madvise, int pidfd, const struct iovec *vec, size_t n, int advice,
     unsigned int flags)
{
	FAIL_WITH(KTEST_SYSCALL, "process_madvise", EINVAL, -1);
	return __real_process_madvise(pidfd, vec, n, advice, flags);
}

SHIM(long, syscall, long number, ...)
{
	long arg[6];
	va_list args;

	va_start(args, number);
	for (int i = 0; i < 6; i++)
		arg[i] = va_arg(args, long);
	va_end(args);
	FAIL_WITH(KTEST_SYSCALL, "syscall", ENOSYS, -1);
	return __real_syscall(number, arg[0], arg[1], arg[2], arg[3], arg[4], arg[5]);
}

SHIM(int, sigaltstack, const stack_t *ss, stack_t *old)
{
	FAIL_WITH(KTEST_SIGALTSTACK, "sigaltstack", ENOMEM, -1);
	return __real_sigaltstack(ss, old);
}

SHIM(int, sigaction, int sig, const struct sigaction *act, struct sigaction *old)
{
	FAIL_WITH(KTEST_SIGACTION, "sigaction", EINVAL, -1);
	return __real_sigaction(sig, act, old);
}

SHIM(int, pthread_create, pthread_t *thread, const pthread_attr_t *attr, void *(*fn)(void *),
     void *arg)
{
	if (fail(KTEST_PTHREAD_CREATE, "pthread_create"))
		return EAGAIN;
	return __real_pthread_create(thread, attr, fn, arg);
}

SHIM(int, pthread_key_create, pthread_key_t *key, void (*destroy)(void *))
{
	if (fail(KTEST_PTHREAD_KEY, "pthread_key_create"))
		return EAGAIN;
	return __real_pthread_key_create(key, destroy);
}

/* One run, in the copy. */
static int run_with_failure(unsigned int sites, unsigned long n, int (*fn)(void *), void *arg)
{
	long before = ktest_fail_outstanding(), after;
	unsigned long hit;
	const char *name;
	int ret;

	ktest_leaks_begin();
	ktest_fail_nth(sites, n);
	ret = fn(arg);
	hit = ktest_fail_fired();
	ktest_fail_nth(0, 0);
	after = ktest_fail_outstanding();
	name = hit ? atomic_load(&culprit) : "no call";

	if (ret > 0 || ret < -4095)
		KTEST_FAIL("%s failing (call %lu): returned %d, not 0 or a negative errno", name, n,
			   ret);
	if (!hit && ret)
		KTEST_FAIL("returned %d although no call failed", ret);
	if (after != before)
		KTEST_FAIL("%s failing (call %lu): %+ld blocks or bytes are left over", name, n,
			   after - before);
	ktest_leaks_check(name);
	return !hit ? NOT_HIT : ret ? REPORTED : ABSORBED;
}

struct ktest_fail_result ktest_fail_each(unsigned int sites, int (*fn)(void *arg), void *arg)
{
	struct ktest_fail_result res = { 0, 0 };
	int wstatus, code = REPORTED;
	char how[64];
	pid_t pid;

	for (unsigned long n = 1; code != NOT_HIT; n++) {
		pid = ktest_fork();
		if (pid == 0)
			ktest_end(run_with_failure(sites, n, fn, arg));
		wstatus = ktest_wait(pid);
		code = WIFEXITED(wstatus) ? WEXITSTATUS(wstatus) : -1;
		if (code != NOT_HIT && code != REPORTED && code != ABSORBED) {
			KTEST_FAIL("call %lu failing: %s", n,
				   ktest_describe_exit(wstatus, how, sizeof(how)));
			break;
		}
		res.reported += code == REPORTED;
		res.absorbed += code == ABSORBED;
	}
	return res;
}
