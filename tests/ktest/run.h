/* SPDX-License-Identifier: MIT */
/* The runner and its command line. */
#ifndef KTEST_RUN_H
#define KTEST_RUN_H

#include "ktest.h"

struct ktest_options {
	const char *program;
	const char **globs;	/* --run; NULL-terminated, empty: all */
	uint64_t seed;
	unsigned int repeat;
	double scale;		/* of time-outs */
	bool no_fork;
	bool no_slow;
	bool verbose;
};

const char *ktest_param_desc(const struct ktest_case *c, size_t i);
void ktest_full_name(const struct ktest_case *c, size_t i, char *buf, size_t size);
bool ktest_selected(const struct ktest_case *c, size_t i, const struct ktest_options *opt);
int ktest_run(const struct ktest_case **cases, size_t n, const struct ktest_options *opt);

#endif
