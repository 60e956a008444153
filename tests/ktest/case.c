// SPDX-License-Identifier: MIT
/* One case, in its own process: set up, run, clean up, look for leaks, leave. */
#define _GNU_SOURCE
#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "internal.h"

#define MAX_DEFER	64
#define MAX_COUNTERS	16
#define MAX_FDS		1024

#ifdef CONFIG_COVERAGE
/*
 * _exit() loses the counters. The reference has to be strong: a weak one does not pull the
 * function out of the profiling library and would be skipped without a word.
 */
void __gcov_dump(void);
#define ktest_gcov_dump()	__gcov_dump()
#else
#define ktest_gcov_dump()	do { } while (0)
#endif

/* Present when the program is built with the address sanitizer. */
extern int __lsan_do_recoverable_leak_check(void) __attribute__((weak));

static struct {
	void (*fn)(void *arg);
	void *arg;
} deferred[MAX_DEFER];
static atomic_int ndeferred;

static struct {
	const char *name;
	long (*fn)(void);
	long before;
} counters[MAX_COUNTERS];
static int ncounters;
static bool fds_before[MAX_FDS];

static _Atomic uint64_t rand_state;

/* A step of the Weyl sequence, then the finaliser of splitmix64: any thread may call it. */
uint64_t ktest_rand(void)
{
	uint64_t z = atomic_fetch_add(&rand_state, 0x9e3779b97f4a7c15ULL) + 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

/* The name takes part so that a case draws the same numbers alone and among others. */
void ktest_seed_case(uint64_t seed, const char *name)
{
	uint64_t hash = seed ^ 0xcbf29ce484222325ULL;

	while (*name)
		hash = (hash ^ (unsigned char)*name++) * 0x100000001b3ULL;
	atomic_store(&rand_state, hash);
}

unsigned long ktest_iterations(unsigned long n)
{
	if (ktest_scale <= 1)
		return n;
	return n / ktest_scale < 1 ? 1 : (unsigned long)(n / ktest_scale);
}

const char *ktest_runner(void)
{
	const char *runner = getenv("KTEST_RUNNER");

	return runner ? runner : "native";
}

/* Leaves the child from whatever thread or stack; atexit handlers are not for this place. */
void ktest_end(int status)
{
	fflush(NULL);
	ktest_gcov_dump();
	_exit(status);
}

void ktest_abort(void)
{
	if (ktest_no_fork_exit)
		ktest_no_fork_exit();
	ktest_end(1);
}

void ktest_skip(const char *why, ...)
{
	va_list args;

	va_start(args, why);
	vsnprintf(ktest_status->why, sizeof(ktest_status->why), why, args);
	va_end(args);
	atomic_store(&ktest_status->skipped, true);
	if (ktest_no_fork_exit)
		ktest_no_fork_exit();
	ktest_end(0);
}

void ktest_defer(void (*fn)(void *arg), void *arg)
{
	int slot = atomic_fetch_add(&ndeferred, 1);

	if (slot >= MAX_DEFER) {
		KTEST_FAIL("more than %d deferred calls", MAX_DEFER);
		ktest_abort();
	}
	deferred[slot].fn = fn;
	deferred[slot].arg = arg;
}

void ktest_leak_counter(const char *name, long (*fn)(void))
{
	if (ncounters == MAX_COUNTERS)
		abort();
	counters[ncounters].name = name;
	counters[ncounters].fn = fn;
	counters[ncounters++].before = fn();
}

static void read_fds(bool *open)
{
	struct dirent *ent;
	DIR *dir = opendir("/proc/self/fd");
	int fd;

	memset(open, 0, MAX_FDS * sizeof(*open));
	if (!dir)
		return;
	while ((ent = readdir(dir))) {
		fd = atoi(ent->d_name);
		if (ent->d_name[0] != '.' && fd < MAX_FDS && fd != dirfd(dir))
			open[fd] = true;
	}
	closedir(dir);
}

void ktest_leaks_begin(void)
{
	for (int i = 0; i < ncounters; i++)
		counters[i].before = counters[i].fn();
	read_fds(fds_before);
}

void ktest_leaks_check(const char *who)
{
	static bool fds_after[MAX_FDS];
	char path[64], target[128];
	ssize_t len;
	long now;

	for (int i = 0; i < ncounters; i++) {
		now = counters[i].fn();
		if (now != counters[i].before)
			KTEST_FAIL("%s leaks %s: %ld before, %ld after", who,
				   counters[i].name, counters[i].before, now);
	}
	read_fds(fds_after);
	for (int fd = 0; fd < MAX_FDS; fd++) {
		if (fds_before[fd] == fds_after[fd])
			continue;
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		len = readlink(path, target, sizeof(target) - 1);
		target[len < 0 ? 0 : len] = '\0';
		if (fds_before[fd])
			KTEST_FAIL("%s closed file descriptor %d, which is not its own", who, fd);
		else
			KTEST_FAIL("%s leaks file descriptor %d (%s)", who, fd, target);
	}
}

void ktest_case_body(const struct ktest_case *c, const void *param)
{
	const struct ktest_suite *suite = c->suite;
	int keep = ncounters;
	int ret;

	ktest_leaks_begin();
	ret = suite->init ? suite->init() : 0;
	if (ret)
		KTEST_FAIL("init of suite %s returned %d", suite->name, ret);
	else
		c->fn(param);

	for (int i = atomic_load(&ndeferred); i-- > 0;)
		deferred[i].fn(deferred[i].arg);
	atomic_store(&ndeferred, 0);
	if (suite->exit && !ret)
		suite->exit();

	ktest_leaks_check(c->name);
	ncounters = keep;
	if (__lsan_do_recoverable_leak_check && __lsan_do_recoverable_leak_check())
		KTEST_FAIL("%s leaks memory, see the report", c->name);
	atomic_store(&ktest_status->finished, true);
}

#ifdef CONFIG_COVERAGE
static void dump_and_die(int sig)
{
	ktest_gcov_dump();
	signal(sig, SIG_DFL);
	raise(sig);
}
#endif

/* In the copy that is about to die: what led to a panic counts as covered. */
void ktest_death_inherit(void)
{
#ifdef CONFIG_COVERAGE
	signal(SIGABRT, dump_and_die);
#endif
}
