/* SPDX-License-Identifier: MIT */
/*
 * ktest: KUnit-style tests in plain C (usable from C++).
 *
 * Every case runs in a child process of its own. A case passes when it returns with no failed
 * expectation, no leak and exit status 0; whatever else happens to the child (a signal, a
 * time-out, an early exit, processes left behind) is a failure of that case alone.
 *
 * Expectations may be used on any thread and on any stack: a failed ASSERT ends the child with
 * _exit(), nothing ever jumps out of a coroutine.
 */
#ifndef KTEST_H
#define KTEST_H

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __cplusplus
#define __ktest_optional = {}	/* g++ warns of members left out unless they have a default */
#else
#define __ktest_optional
#endif

struct ktest_suite {
	const char *name;
	/* before each case, in its child; non-zero fails the case */
	int (*init)(void) __ktest_optional;
	/* after each case that returned */
	void (*exit)(void) __ktest_optional;
	/* seconds for one case; 0: KTEST_TIMEOUT */
	unsigned int timeout __ktest_optional;
};

struct ktest_case {
	const struct ktest_suite *suite;
	const char *name;
	void (*fn)(const void *param);
	int line;
	bool slow;
	const void *params;	/* NULL: no parameters */
	size_t nparams;
	size_t stride;
	size_t desc;		/* offset of the parameter's "desc" member */
};

#define KTEST_TIMEOUT		10	/* seconds */
#define KTEST_SLOW_FACTOR	6	/* a slow case has that many time-outs */

/*
 * Cases are found through pointers in a linker section: no list to forget a case in.
 * "retain" keeps them when the linker collects unreferenced sections.
 */
#if defined(__has_attribute)
#if __has_attribute(retain)
#define __ktest_retain , retain
#endif
#endif
#ifndef __ktest_retain
#define __ktest_retain
#endif

/* KTEST_SUITE(name, .init = f, .exit = g, .timeout = s); members in this order, all optional */
#define KTEST_SUITE(_suite, ...)							\
	__attribute__((unused))								\
	static const struct ktest_suite ktest_suite_##_suite = { .name = #_suite, ##__VA_ARGS__ }

#define __KTEST_CASE(_suite, _name, _slow, _params, _n, _stride, _desc)			\
	static const struct ktest_case ktest_case_##_suite##_##_name = {		\
		&ktest_suite_##_suite, #_name, ktest_run_##_suite##_##_name, __LINE__,	\
		_slow, _params, _n, _stride, _desc					\
	};										\
	__attribute__((used, section("ktest_cases") __ktest_retain))			\
	static const struct ktest_case *const ktest_ptr_##_suite##_##_name =		\
		&ktest_case_##_suite##_##_name

#define __KTEST(_suite, _name, _slow)							\
	static void ktest_fn_##_suite##_##_name(void);					\
	static void ktest_run_##_suite##_##_name(const void *param)			\
	{										\
		(void)param;								\
		ktest_fn_##_suite##_##_name();						\
	}										\
	__KTEST_CASE(_suite, _name, _slow, NULL, 1, 0, 0);				\
	static void ktest_fn_##_suite##_##_name(void)

/* KTEST(suite, name) { body } */
#define KTEST(_suite, _name)		__KTEST(_suite, _name, false)

/* A case that needs many seconds: longer time-out, left out by --no-slow */
#define KTEST_SLOW(_suite, _name)	__KTEST(_suite, _name, true)

/*
 * KTEST_PARAM(suite, name, array) { body }: one result per element; the body sees it as "param".
 * Elements are structs with a member "const char *desc", which names the result: name[desc].
 */
#define KTEST_PARAM(_suite, _name, _array)	__KTEST_PARAM(_suite, _name, _array)

#define __KTEST_PARAM(_suite, _name, _array)						\
	static void ktest_fn_##_suite##_##_name(const __typeof__((_array)[0]) *param);	\
	static void ktest_run_##_suite##_##_name(const void *param)			\
	{										\
		ktest_fn_##_suite##_##_name((const __typeof__((_array)[0]) *)param);	\
	}										\
	__KTEST_CASE(_suite, _name, false, _array, sizeof(_array) / sizeof((_array)[0]),	\
		     sizeof((_array)[0]), offsetof(__typeof__((_array)[0]), desc));	\
	static void ktest_fn_##_suite##_##_name(const __typeof__((_array)[0]) *param)

/* Ends the case as skipped. A skip needs a reason. */
void ktest_skip(const char *why, ...) __attribute__((noreturn, format(printf, 1, 2)));

#define KTEST_REQUIRES(_cond, _why)	\
	do { if (!(_cond)) ktest_skip("%s", _why); } while (0)

/* Marks the case as failed and goes on / and ends it. */
void ktest_fail(const char *file, int line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void ktest_abort(void) __attribute__((noreturn));

#define KTEST_FAIL(...)		ktest_fail(__FILE__, __LINE__, __VA_ARGS__)

/* A line for the log of the case; shown when the case fails or with --verbose. */
void ktest_log(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Called last-in first-out when the case returns. After a failed ASSERT the kernel cleans up. */
void ktest_defer(void (*fn)(void *arg), void *arg);

/*
 * fn() must give the same number before and after each case. Called from a suite's init or from a
 * constructor (then for all suites of the program).
 */
void ktest_leak_counter(const char *name, long (*fn)(void));

/* Reproducible random numbers: a function of --seed and the case's name. */
uint64_t ktest_rand(void);

/* n, or less under a slow runner (--timeout-scale), but at least 1. */
unsigned long ktest_iterations(unsigned long n);

/* What the program runs under, from $KTEST_RUNNER: native, qemu, valgrind, asan or tsan. */
const char *ktest_runner(void);

/* Values. Comparing them as struct ktest_value is exact for any mix of integer types. */
enum ktest_kind { KTEST_INT, KTEST_UINT, KTEST_FLOAT, KTEST_PTR };

struct ktest_value {
	enum ktest_kind kind;
	union {
		long long i;
		unsigned long long u;
		double d;
		const volatile void *p;
	};
};

enum ktest_op { KTEST_OP_EQ, KTEST_OP_NE, KTEST_OP_LT, KTEST_OP_LE, KTEST_OP_GT, KTEST_OP_GE };

struct ktest_at {
	const char *file;
	int line;
	const char *what;	/* "EXPECT_EQ" */
	const char *a, *b;	/* source texts */
	bool fatal;
};

bool ktest_cmp(const struct ktest_at *at, struct ktest_value a, enum ktest_op op,
	       struct ktest_value b);
bool ktest_cmp_str(const struct ktest_at *at, const char *a, const char *b);
bool ktest_cmp_bool(const struct ktest_at *at, bool got, bool want);
bool ktest_cmp_err(const struct ktest_at *at, long long got, int err);
bool ktest_cmp_null(const struct ktest_at *at, const volatile void *p, bool want_null);
bool ktest_cmp_null_err(const struct ktest_at *at, const volatile void *p, int err);

/* Death tests: pid in the parent, 0 in the child that is to die. */
struct ktest_death {
	pid_t pid;
	int log;
};

pid_t ktest_death_fork(struct ktest_death *death);
void ktest_death_survived(void) __attribute__((noreturn));
bool ktest_death_check(struct ktest_death *death, const struct ktest_at *at, int sig,
		       const char *text);

#ifdef __cplusplus
}	/* extern "C" */
#endif

static inline struct ktest_value ktest_int(long long v)
{
	struct ktest_value val;

	val.kind = KTEST_INT;
	val.i = v;
	return val;
}

static inline struct ktest_value ktest_uint(unsigned long long v)
{
	struct ktest_value val;

	val.kind = KTEST_UINT;
	val.u = v;
	return val;
}

static inline struct ktest_value ktest_float(double v)
{
	struct ktest_value val;

	val.kind = KTEST_FLOAT;
	val.d = v;
	return val;
}

static inline struct ktest_value ktest_ptr(const volatile void *v)
{
	struct ktest_value val;

	val.kind = KTEST_PTR;
	val.p = v;
	return val;
}

#ifdef __cplusplus
static inline struct ktest_value ktest_val(int v) { return ktest_int(v); }
static inline struct ktest_value ktest_val(long v) { return ktest_int(v); }
static inline struct ktest_value ktest_val(long long v) { return ktest_int(v); }
static inline struct ktest_value ktest_val(unsigned int v) { return ktest_uint(v); }
static inline struct ktest_value ktest_val(unsigned long v) { return ktest_uint(v); }
static inline struct ktest_value ktest_val(unsigned long long v) { return ktest_uint(v); }
static inline struct ktest_value ktest_val(double v) { return ktest_float(v); }
static inline struct ktest_value ktest_val(const volatile void *v) { return ktest_ptr(v); }
#else
#define ktest_val(_x) _Generic((_x),							\
	bool: ktest_int, char: ktest_int, signed char: ktest_int, short: ktest_int,	\
	int: ktest_int, long: ktest_int, long long: ktest_int,				\
	unsigned char: ktest_uint, unsigned short: ktest_uint, unsigned int: ktest_uint, \
	unsigned long: ktest_uint, unsigned long long: ktest_uint,			\
	float: ktest_float, double: ktest_float, default: ktest_ptr)(_x)
#endif

#define __KTEST_CHECK(_fn, _what, _a, _b, _fatal, ...)					\
	do {										\
		static const struct ktest_at ktest_at = {				\
			__FILE__, __LINE__, _what, _a, _b, _fatal			\
		};									\
		_fn(&ktest_at, __VA_ARGS__);						\
	} while (0)

#define __KTEST_CMP(_w, _f, _ta, _tb, _a, _op, _b)	\
	__KTEST_CHECK(ktest_cmp, _w, _ta, _tb, _f, ktest_val(_a), _op, ktest_val(_b))
#define __KTEST_STR(_w, _f, _ta, _tb, _a, _b)		\
	__KTEST_CHECK(ktest_cmp_str, _w, _ta, _tb, _f, _a, _b)
#define __KTEST_BOOL(_w, _f, _ta, _a, _want)		\
	__KTEST_CHECK(ktest_cmp_bool, _w, _ta, "", _f, !!(_a), _want)
#define __KTEST_ERR(_w, _f, _ta, _tb, _a, _err)		\
	__KTEST_CHECK(ktest_cmp_err, _w, _ta, _tb, _f, _a, _err)
#define __KTEST_NULL(_w, _f, _ta, _a, _want)		\
	__KTEST_CHECK(ktest_cmp_null, _w, _ta, "", _f, _a, _want)
#define __KTEST_NULL_ERR(_w, _f, _ta, _tb, _a, _err)	\
	__KTEST_CHECK(ktest_cmp_null_err, _w, _ta, _tb, _f, _a, _err)

/* EXPECT: record and go on */
#define EXPECT_EQ(_a, _b)	__KTEST_CMP("EXPECT_EQ", false, #_a, #_b, _a, KTEST_OP_EQ, _b)
#define EXPECT_NE(_a, _b)	__KTEST_CMP("EXPECT_NE", false, #_a, #_b, _a, KTEST_OP_NE, _b)
#define EXPECT_LT(_a, _b)	__KTEST_CMP("EXPECT_LT", false, #_a, #_b, _a, KTEST_OP_LT, _b)
#define EXPECT_LE(_a, _b)	__KTEST_CMP("EXPECT_LE", false, #_a, #_b, _a, KTEST_OP_LE, _b)
#define EXPECT_GT(_a, _b)	__KTEST_CMP("EXPECT_GT", false, #_a, #_b, _a, KTEST_OP_GT, _b)
#define EXPECT_GE(_a, _b)	__KTEST_CMP("EXPECT_GE", false, #_a, #_b, _a, KTEST_OP_GE, _b)
#define EXPECT_PTR_EQ(_a, _b)								\
	__KTEST_CHECK(ktest_cmp, "EXPECT_PTR_EQ", #_a, #_b, false,			\
		      ktest_ptr(_a), KTEST_OP_EQ, ktest_ptr(_b))
#define EXPECT_STREQ(_a, _b)	__KTEST_STR("EXPECT_STREQ", false, #_a, #_b, _a, _b)
#define EXPECT_TRUE(_a)		__KTEST_BOOL("EXPECT_TRUE", false, #_a, _a, true)
#define EXPECT_FALSE(_a)	__KTEST_BOOL("EXPECT_FALSE", false, #_a, _a, false)
#define EXPECT_NULL(_a)		__KTEST_NULL("EXPECT_NULL", false, #_a, _a, true)
#define EXPECT_NOT_NULL(_a)	__KTEST_NULL("EXPECT_NOT_NULL", false, #_a, _a, false)
/* EXPECT_ERR(call(), EINVAL): the call returns -EINVAL */
#define EXPECT_ERR(_a, _err)	__KTEST_ERR("EXPECT_ERR", false, #_a, #_err, _a, _err)
/* EXPECT_NULL_ERR(call(), EINVAL): the call returns NULL and leaves EINVAL in errno */
#define EXPECT_NULL_ERR(_a, _err)	\
	__KTEST_NULL_ERR("EXPECT_NULL_ERR", false, #_a, #_err, _a, _err)

/* ASSERT: record and end the case */
#define ASSERT_EQ(_a, _b)	__KTEST_CMP("ASSERT_EQ", true, #_a, #_b, _a, KTEST_OP_EQ, _b)
#define ASSERT_NE(_a, _b)	__KTEST_CMP("ASSERT_NE", true, #_a, #_b, _a, KTEST_OP_NE, _b)
#define ASSERT_LT(_a, _b)	__KTEST_CMP("ASSERT_LT", true, #_a, #_b, _a, KTEST_OP_LT, _b)
#define ASSERT_LE(_a, _b)	__KTEST_CMP("ASSERT_LE", true, #_a, #_b, _a, KTEST_OP_LE, _b)
#define ASSERT_GT(_a, _b)	__KTEST_CMP("ASSERT_GT", true, #_a, #_b, _a, KTEST_OP_GT, _b)
#define ASSERT_GE(_a, _b)	__KTEST_CMP("ASSERT_GE", true, #_a, #_b, _a, KTEST_OP_GE, _b)
#define ASSERT_PTR_EQ(_a, _b)								\
	__KTEST_CHECK(ktest_cmp, "ASSERT_PTR_EQ", #_a, #_b, true,			\
		      ktest_ptr(_a), KTEST_OP_EQ, ktest_ptr(_b))
#define ASSERT_STREQ(_a, _b)	__KTEST_STR("ASSERT_STREQ", true, #_a, #_b, _a, _b)
#define ASSERT_TRUE(_a)		__KTEST_BOOL("ASSERT_TRUE", true, #_a, _a, true)
#define ASSERT_FALSE(_a)	__KTEST_BOOL("ASSERT_FALSE", true, #_a, _a, false)
#define ASSERT_NULL(_a)		__KTEST_NULL("ASSERT_NULL", true, #_a, _a, true)
#define ASSERT_NOT_NULL(_a)	__KTEST_NULL("ASSERT_NOT_NULL", true, #_a, _a, false)
#define ASSERT_ERR(_a, _err)	__KTEST_ERR("ASSERT_ERR", true, #_a, #_err, _a, _err)
#define ASSERT_NULL_ERR(_a, _err)	\
	__KTEST_NULL_ERR("ASSERT_NULL_ERR", true, #_a, #_err, _a, _err)

/*
 * The statement ends its process by signal _sig with _text somewhere in what it printed to
 * stderr. It runs in a forked copy, so nothing it does is seen here.
 */
#define EXPECT_DEATH(_sig, _text, ...)							\
	do {										\
		static const struct ktest_at ktest_at = {				\
			__FILE__, __LINE__, "EXPECT_DEATH", #__VA_ARGS__, #_sig, false	\
		};									\
		struct ktest_death ktest_death;						\
											\
		if (ktest_death_fork(&ktest_death) == 0) {				\
			__VA_ARGS__;							\
			ktest_death_survived();						\
		}									\
		ktest_death_check(&ktest_death, &ktest_at, _sig, _text);		\
	} while (0)

#endif /* KTEST_H */
