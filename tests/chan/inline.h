/* SPDX-License-Identifier: MIT */
/* Suites once more, with calls that are inlined into the program: chan becomes chan_inline. */
#ifndef TESTS_CHAN_INLINE_H
#define TESTS_CHAN_INLINE_H

#define KCORO_INLINE
#include "rt.h"

#undef KTEST_SUITE
#define KTEST_SUITE(_suite, ...)							\
	__attribute__((unused))								\
	static const struct ktest_suite ktest_suite_##_suite##_inline = {		\
		.name = #_suite "_inline", ##__VA_ARGS__				\
	}

#undef KTEST
#define KTEST(_suite, _name)		__KTEST(_suite##_inline, _name, false)

#undef KTEST_PARAM
#define KTEST_PARAM(_suite, _name, _array)	__KTEST_PARAM(_suite##_inline, _name, _array)

#endif
