/* SPDX-License-Identifier: MIT */
/* Between the files of ktest; suites include ktest.h only. */
#ifndef KTEST_INTERNAL_H
#define KTEST_INTERNAL_H

#include <stdatomic.h>

#include "ktest.h"

/* What a case's processes report to the runner, in memory shared over fork. */
struct ktest_status {
	atomic_bool failed;
	atomic_bool skipped;
	atomic_bool finished;	/* the case returned and was cleaned up after */
	char why[256];		/* of the skip */
};

extern struct ktest_status *ktest_status;
extern double ktest_scale;	/* of time-outs */

/* case.c */
void ktest_seed_case(uint64_t seed, const char *name);
void ktest_case_body(const struct ktest_case *c, const void *param);
void ktest_end(int status) __attribute__((noreturn));
void ktest_death_inherit(void);

/* Between the two, file descriptors and counted objects have to balance. */
void ktest_leaks_begin(void);
void ktest_leaks_check(const char *who);

/* run.c: how ktest_abort() and ktest_skip() leave when there is no child to end */
extern void (*ktest_no_fork_exit)(void);

/* proc.c */
pid_t ktest_fork(void);
int ktest_wait(pid_t pid);
const char *ktest_describe_exit(int wstatus, char *buf, size_t size);
int ktest_log_open(void);
char *ktest_log_read(int fd, size_t max);

#endif
