// SPDX-License-Identifier: MIT
/* How a coroutine begins, where it stands, and what lies behind its end. */
#include <execinfo.h>
#include <stdio.h>
#include <string.h>

#include <internal/arch.h>

#include "arch_test.h"

ARCH_SUITE();

typedef double vec2 __attribute__((vector_size(16)));

struct place {
	char *frame;
	char *local;
	vec2 sum;
};

static vec2 *volatile vector;

static void looks_around(void *arg)
{
	struct place *p = arg;
	vec2 v = { 1, 2 };

	vector = &v;	/* in memory: the stores below are aligned ones */
	*vector += (vec2){ 10, 20 };
	p->sum = *vector;
	p->local = (char *)vector;
	p->frame = __builtin_frame_address(0);
}

KTEST(arch, stack_alignment)
{
	/* whatever the size of the memory */
	for (size_t odd = 0; odd < 64; odd += 8) {
		size_t size = STACK_SIZE - odd;
		char *mem = malloc(size);
		struct place p = { .frame = NULL };
		void *low, *high;
		kcoro_t *co;

		ASSERT_TRUE(mem);
		co = kcoro_create_on(looks_around, &p, mem, size);
		ASSERT_NOT_NULL(co);
		ASSERT_EQ(kcoro_stack_bounds(co, &low, &high), 0);
		EXPECT_EQ(kcoro_resume(co), 0);
		EXPECT_EQ((uintptr_t)p.frame % 16, 0);
		EXPECT_EQ((uintptr_t)p.local % 16, 0);
		EXPECT_EQ(p.sum[0], 11);
		EXPECT_EQ(p.sum[1], 22);
		EXPECT_GT(p.frame, (char *)low);
		EXPECT_LE(p.frame, (char *)high);
		if (!SANITIZED) {	/* ASan may keep locals elsewhere */
			EXPECT_GT(p.local, (char *)low);
			EXPECT_LT(p.local, (char *)high);
		}
		EXPECT_EQ(kcoro_destroy(co), 0);
		free(mem);
	}
}

/* ---- bare contexts ---- */

static struct kc_ctx here, there;
static char *entry_frame;

static void entry_goes_back(void)
{
	entry_frame = __builtin_frame_address(0);
	kc_arch_switch(&there, &here);
	abort();
}

static char *bare_top(char *mem)
{
	char *top = mem + STACK_SIZE;

	return top - (uintptr_t)top % KC_ARCH_STACK_ALIGN;
}

KTEST(arch, new_context_runs_on_its_stack)
{
	char *mem, *top;

	KTEST_REQUIRES(!SANITIZED, "a bare switch is not announced to the sanitizer");
	mem = malloc(STACK_SIZE);
	ASSERT_TRUE(mem);
	top = bare_top(mem);
	kc_arch_init(&there, top, entry_goes_back);
	EXPECT_NULL(entry_frame);
	kc_arch_switch(&here, &there);
	EXPECT_EQ((uintptr_t)entry_frame % 16, 0);
	EXPECT_LE(entry_frame, top);
	EXPECT_GT(entry_frame, top - KC_ARCH_STACK_MIN);
	free(mem);
}

static void entry_returns(void)
{
	entry_frame = __builtin_frame_address(0);
}

/* Says what the panic knows, and whether its backtrace leads to the entry code. */
static void tell(const struct kcoro_panic *p)
{
	bool from_entry = !IS_ENABLED(CONFIG_UNWIND_TABLES) || IS_ENABLED(CONFIG_TSAN);
	void *pc[32];
	int n = backtrace(pc, 32);

#ifdef CONFIG_SWITCH_UCONTEXT
	from_entry = n > 1;
#else
	for (int i = 0; i < n; i++)
		from_entry |= (char *)pc[i] > (char *)kc_arch_entry &&
			      (char *)pc[i] < (char *)kc_arch_entry + 64;
#endif
	fprintf(stderr, "hook: %s, id %d, name '%s', %s the entry\n", p->what, (int)p->id, p->name,
		from_entry ? "from" : "not from");
}

static void return_past_entry(void)
{
	kcoro_set_panic_hook(tell);
	kc_arch_switch(&here, &there);
}

KTEST(arch, return_past_entry_panics)
{
	char *mem = malloc(STACK_SIZE);
	char text[128];
	void *warm[1];

	ASSERT_TRUE(mem);
	backtrace(warm, 1);
	kc_arch_init(&there, bare_top(mem), entry_returns);
	snprintf(text, sizeof(text),
		 "hook: control passed the end of a coroutine, id %d, name '%s', from the entry",
		 (int)kcoro_id(kcoro_current()), kcoro_name(kcoro_current()));
	EXPECT_DEATH(SIGABRT, text, return_past_entry());
	EXPECT_DEATH(SIGABRT, IS_ENABLED(CONFIG_PANIC_TEXT) ? "passed the end of a coroutine" : "",
		     kc_arch_switch(&here, &there));
	free(mem);
}

/* ---- creators that are gone ---- */

static void adds_up(void *arg)
{
	int *n = arg;

	for (;;) {
		*n += 1;
		kcoro_yield();
	}
}

static NOINLINE void make_and_leave(struct test_co *t, int *n)
{
	volatile char frame[512];

	memset((char *)frame, 0x5a, sizeof(frame));
	test_co_make(t, adds_up, n);
	frame[0] = frame[511];
}

static NOINLINE int overwrite(int depth)
{
	volatile char frame[512];

	memset((char *)frame, 0xa5, sizeof(frame));
	return depth ? overwrite(depth - 1) + frame[depth] : frame[0];
}

KTEST(arch, entry_after_creator_returned)
{
	struct test_co t;
	int n = 0;

	make_and_leave(&t, &n);
	overwrite(8);
	EXPECT_EQ(n, 0);
	for (int i = 1; i <= 3; i++) {
		EXPECT_EQ(kcoro_resume(t.co), 0);
		overwrite(4 * i);
		EXPECT_EQ(n, i);
	}
	test_co_free(&t);
}

struct family {
	struct test_co child[4];
	int n;
};

static NOINLINE void make_at(struct family *f, int depth)
{
	volatile char frame[128];

	frame[0] = (char)depth;
	make_and_leave(&f->child[depth], &f->n);
	if (depth + 1 < 4)
		make_at(f, depth + 1);
	EXPECT_EQ(frame[0], depth);
}

static void parent(void *arg)
{
	make_at(arg, 0);
}

/* Children made in nested frames of a coroutine that is gone when they start. */
KTEST(arch, creation_out_of_frames)
{
	struct family f = { .n = 0 };
	struct test_co t;

	test_co_make(&t, parent, &f);
	EXPECT_EQ(kcoro_resume(t.co), 0);
	EXPECT_EQ(kcoro_state(t.co), KCORO_FINISHED);
	memset(t.mem, 0x5a, 64);
	test_co_free(&t);
	for (int i = 3; i >= 0; i--)
		EXPECT_EQ(kcoro_resume(f.child[i].co), 0);
	EXPECT_EQ(f.n, 4);
	for (int i = 0; i < 4; i++) {
		EXPECT_EQ(kcoro_resume(f.child[i].co), 0);
		test_co_free(&f.child[i]);
	}
	EXPECT_EQ(f.n, 8);
}

/* ---- unwinding ---- */

#define FRAMES	64

static void *frames[FRAMES];
static int nframes;
static void *calls[3];	/* return addresses, innermost first */

static NOINLINE int innermost(void)
{
	calls[0] = __builtin_return_address(0);
	nframes = backtrace(frames, FRAMES);
	return nframes;
}

static NOINLINE int middle(void)
{
	calls[1] = __builtin_return_address(0);
	return innermost() + (calls[1] != NULL);
}

static NOINLINE int outer(void)
{
	calls[2] = __builtin_return_address(0);
	return middle() + (calls[2] != NULL);
}

static void unwinds(void *arg)
{
	*(int *)arg = outer();
}

KTEST(arch, backtrace_stops_at_entry)
{
	struct test_co t;
	int n = 0, found = 0;

	KTEST_REQUIRES(IS_ENABLED(CONFIG_UNWIND_TABLES), "needs UNWIND_TABLES");
	KTEST_REQUIRES(!IS_ENABLED(CONFIG_TSAN), "TSan wraps backtrace()");
	backtrace(frames, FRAMES);	/* loads the unwinder while there is plenty of stack */
	test_co_make(&t, unwinds, &n);
	EXPECT_EQ(kcoro_resume(t.co), 0);
	EXPECT_EQ(n, nframes + 2);
	ASSERT_GT(nframes, 4);
	EXPECT_LT(nframes, 16);
	for (int i = 0; i < nframes && found < 3; i++)
		found += frames[i] == calls[found];
	EXPECT_EQ(found, 3);
#ifndef CONFIG_SWITCH_UCONTEXT
	EXPECT_GT((char *)frames[nframes - 1], (char *)kc_arch_entry);
	EXPECT_LT((char *)frames[nframes - 1], (char *)kc_arch_entry + 64);
#endif
	test_co_free(&t);
}
