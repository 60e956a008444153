// SPDX-License-Identifier: MIT
/* Expectations: compare, and tell what was compared when it fails. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "internal.h"

/*
 * One line, one write(): lines of several threads do not mix. The buffer is not on the stack
 * because a coroutine's stack may be small.
 */
static void ktest_vlog(const char *prefix, const char *fmt, va_list args)
{
	static _Thread_local char buf[2048];
	int saved = errno;
	size_t len;

	snprintf(buf, sizeof(buf) / 2, "%s", prefix);
	len = strlen(buf);
	vsnprintf(buf + len, sizeof(buf) - len - 1, fmt, args);
	len = strlen(buf);
	buf[len++] = '\n';
	if (write(STDERR_FILENO, buf, len) < 0)
		atomic_store(&ktest_status->failed, true);
	errno = saved;
}

void ktest_log(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	ktest_vlog("", fmt, args);
	va_end(args);
}

void ktest_fail(const char *file, int line, const char *fmt, ...)
{
	static _Thread_local char at[256];
	va_list args;

	atomic_store(&ktest_status->failed, true);
	snprintf(at, sizeof(at), "%s:%d: ", file, line);
	va_start(args, fmt);
	ktest_vlog(at, fmt, args);
	va_end(args);
}

/* All checks end here, so that a debugger needs one breakpoint. */
static bool ktest_verdict(const struct ktest_at *at, bool ok)
{
	if (!ok && at->fatal)
		ktest_abort();
	return ok;
}

static void ktest_format(char *buf, size_t size, struct ktest_value v)
{
	switch (v.kind) {
	case KTEST_INT:
		if (v.i < 0 || v.i > 9)
			snprintf(buf, size, "%lld (%#llx)", v.i, (unsigned long long)v.i);
		else
			snprintf(buf, size, "%lld", v.i);
		break;
	case KTEST_UINT:
		if (v.u > 9)
			snprintf(buf, size, "%llu (%#llx)", v.u, v.u);
		else
			snprintf(buf, size, "%llu", v.u);
		break;
	case KTEST_FLOAT:
		snprintf(buf, size, "%.17g", v.d);
		break;
	case KTEST_PTR:
		snprintf(buf, size, "%p", (const void *)v.p);
		break;
	}
}

/* Three-way comparison; 2 when unordered (NaN). */
static int ktest_order(struct ktest_value a, struct ktest_value b)
{
	double x, y;

	if (a.kind == KTEST_FLOAT || b.kind == KTEST_FLOAT) {
		x = a.kind == KTEST_FLOAT ? a.d : a.kind == KTEST_INT ? (double)a.i : (double)a.u;
		y = b.kind == KTEST_FLOAT ? b.d : b.kind == KTEST_INT ? (double)b.i : (double)b.u;
		if (x != x || y != y)
			return 2;
		return (x > y) - (x < y);
	}
	if (a.kind == KTEST_PTR)
		a = ktest_uint((uintptr_t)a.p);
	if (b.kind == KTEST_PTR)
		b = ktest_uint((uintptr_t)b.p);
	if (a.kind == KTEST_INT && b.kind == KTEST_INT)
		return (a.i > b.i) - (a.i < b.i);
	if (a.kind == KTEST_INT && a.i < 0)
		return -1;
	if (b.kind == KTEST_INT && b.i < 0)
		return 1;
	return (a.u > b.u) - (a.u < b.u);
}

bool ktest_cmp(const struct ktest_at *at, struct ktest_value a, enum ktest_op op,
	       struct ktest_value b)
{
	static _Thread_local char va[64], vb[64];
	int order = ktest_order(a, b);
	bool ok = false;

	switch (op) {
	case KTEST_OP_EQ: ok = order == 0; break;
	case KTEST_OP_NE: ok = order != 0; break;
	case KTEST_OP_LT: ok = order == -1; break;
	case KTEST_OP_LE: ok = order == -1 || order == 0; break;
	case KTEST_OP_GT: ok = order == 1; break;
	case KTEST_OP_GE: ok = order == 1 || order == 0; break;
	}
	if (!ok) {
		ktest_format(va, sizeof(va), a);
		ktest_format(vb, sizeof(vb), b);
		ktest_fail(at->file, at->line, "%s(%s, %s) failed: %s = %s, %s = %s", at->what,
			   at->a, at->b, at->a, va, at->b, vb);
	}
	return ktest_verdict(at, ok);
}

bool ktest_cmp_str(const struct ktest_at *at, const char *a, const char *b)
{
	bool ok = a && b ? strcmp(a, b) == 0 : a == b;

	if (!ok)
		ktest_fail(at->file, at->line, "%s(%s, %s) failed: %s = %s%s%s, %s = %s%s%s",
			   at->what, at->a, at->b,
			   at->a, a ? "\"" : "", a ? a : "NULL", a ? "\"" : "",
			   at->b, b ? "\"" : "", b ? b : "NULL", b ? "\"" : "");
	return ktest_verdict(at, ok);
}

bool ktest_cmp_bool(const struct ktest_at *at, bool got, bool want)
{
	if (got != want)
		ktest_fail(at->file, at->line, "%s(%s) failed: it is %s", at->what, at->a,
			   got ? "true" : "false");
	return ktest_verdict(at, got == want);
}

static const char *ktest_errname(long long err)
{
	const char *name = err >= -4095 && err <= 0 ? strerrorname_np((int)-err) : NULL;

	return name ? name : "not an errno";
}

bool ktest_cmp_err(const struct ktest_at *at, long long got, int err)
{
	if (got != -err)
		ktest_fail(at->file, at->line, "%s(%s, %s) failed: it returned %lld (%s)",
			   at->what, at->a, at->b, got, ktest_errname(got));
	return ktest_verdict(at, got == -err);
}

bool ktest_cmp_null(const struct ktest_at *at, const volatile void *p, bool want_null)
{
	if (!p != want_null)
		ktest_fail(at->file, at->line, "%s(%s) failed: it is %p", at->what, at->a,
			   (const void *)p);
	return ktest_verdict(at, !p == want_null);
}

bool ktest_cmp_null_err(const struct ktest_at *at, const volatile void *p, int err)
{
	int got = errno;

	if (p)
		ktest_fail(at->file, at->line, "%s(%s, %s) failed: it returned %p", at->what,
			   at->a, at->b, (const void *)p);
	else if (got != err)
		ktest_fail(at->file, at->line, "%s(%s, %s) failed: errno is %d (%s)",
			   at->what, at->a, at->b, got, ktest_errname(-(long long)got));
	return ktest_verdict(at, !p && got == err);
}
