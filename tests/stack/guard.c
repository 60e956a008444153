// SPDX-License-Identifier: MIT
/* Guards, and the report of who touched one. */
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "stack_test.h"

KTEST_SUITE(stack, .init = common_init, .timeout = 30);

#define NEED_GUARD()	KTEST_REQUIRES(HAVE_GUARD, "needs a guard")
#define TEXT(_text)	(HAVE_REPORT && HAVE_PANIC_TEXT ? (_text) : "")

static volatile bool forever = true;

__attribute__((noinline)) static int recurse(int n)
{
	volatile char frame[200];

	frame[0] = (char)n;
	return forever ? recurse(n + 1) + frame[0] : n;
}

static void body_overflow(void *arg)
{
	*(int *)arg = recurse(0);
}

KTEST(stack, guard_is_named)
{
	const char *guard = kcoro_stack_guard();

#ifdef KC_CONFIG_GUARD_NONE
	EXPECT_STREQ(guard, "none");
#elif defined(KC_CONFIG_GUARD_MPROTECT)
	EXPECT_STREQ(guard, "mprotect");
#else
	EXPECT_TRUE(!strcmp(guard, "light") || !strcmp(guard, "mprotect"));
#endif
	EXPECT_PTR_EQ(kcoro_stack_guard(), guard);
}

KTEST(stack, overflow_names_coroutine)
{
	char text[200];
	int sink;
	kcoro_t *co;

	NEED_GUARD();
	for (int i = 0; i < 3; i++) {		/* a new stack, and used ones */
		co = make(body_overflow, &sink);
		kcoro_set_name(co, "bottomless");
		snprintf(text, sizeof(text), "kcoro: panic: stack overflow: coroutine %llu '%s', "
			 "stack 0x%lx-0x", (unsigned long long)kcoro_id(co), kcoro_name(co),
			 (unsigned long)low_end(co) - (unsigned long)sysconf(_SC_PAGESIZE));
		EXPECT_DEATH(SIGSEGV, TEXT(text), kcoro_resume(co));
		EXPECT_EQ(kcoro_destroy(co), 0);
	}
}

static struct kcoro_panic told;

static void hook(const struct kcoro_panic *p)
{
	dprintf(STDERR_FILENO, "told: %s, %d, %d, %d\n", p->what, p->co == told.co,
		p->id == told.id, p->address >= p->stack_low && p->address < told.address);
}

KTEST(stack, overflow_calls_the_hook)
{
	int sink;
	kcoro_t *co;

	NEED_GUARD();
	KTEST_REQUIRES(HAVE_REPORT, "needs GUARD_REPORT");
	co = make(body_overflow, &sink);
	told = (struct kcoro_panic){ .co = co, .id = kcoro_id(co), .address = low_end(co) };
	kcoro_set_panic_hook(hook);
	EXPECT_DEATH(SIGSEGV, "told: stack overflow, 1, 1, 1", kcoro_resume(co));
	EXPECT_EQ(kcoro_destroy(co), 0);
}

/* the page behind the one that holds the control block */
static volatile char *past_top(kcoro_t *co)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);

	return (volatile char *)(((uintptr_t)high_end(co) + page) & ~(page - 1));
}

static void body_write_past(void *arg)
{
	(void)arg;
	*past_top(kcoro_current()) = 1;
}

KTEST(stack, write_past_top_faults)
{
	kcoro_t *co[40];

	NEED_GUARD();
	for (int i = 0; i < 40; i++) {
		co[i] = make(body_write_past, NULL);
		kcoro_set_name(co[i], "over");
	}
	/* a neighbour's guard, and the one behind the last stack of a slab */
	for (int i = 0; i < 40; i += 13) {
		EXPECT_DEATH(SIGSEGV, TEXT("write past the top of a stack"), kcoro_resume(co[i]));
		EXPECT_DEATH(SIGSEGV, "", *past_top(co[i]) = 1);	/* by somebody else */
	}
	EXPECT_DEATH(SIGSEGV, TEXT("write past the top"), kcoro_resume(co[15]));
	EXPECT_DEATH(SIGSEGV, TEXT("kcoro: panic: stack overflow"), *past_top(co[15]) = 1);
	for (int i = 0; i < 40; i++)
		EXPECT_EQ(kcoro_destroy(co[i]), 0);
}

KTEST(stack, below_every_stack_is_a_guard)
{
	unsigned long n = at_most(200, MAX_LIVE), page = (unsigned long)sysconf(_SC_PAGESIZE);
	kcoro_t *co[200];

	NEED_GUARD();
	KTEST_REQUIRES(strcmp(ktest_runner(), "qemu"), "the emulator copies for the kernel");
	for (unsigned long i = 0; i < n; i++)
		co[i] = make(body_nothing, NULL);
	for (unsigned long i = 0; i < n; i++) {
		char *low = low_end(co[i]);

		EXPECT_TRUE(readable(low));
		EXPECT_FALSE(readable(low - 1));
		EXPECT_FALSE(readable(low - page));
	}
	for (unsigned long i = 0; i < n; i++)
		EXPECT_EQ(kcoro_destroy(co[i]), 0);
}

/* Faults that are not ours. No init: the handlers of before must really be before. */
KTEST_SUITE(fault, .timeout = 30);

static volatile int *volatile nowhere = (volatile int *)16;

static void on_fault_info(int sig, siginfo_t *info, void *context)
{
	(void)context;
	dprintf(STDERR_FILENO, "old handler: %d %p\n", sig, info->si_addr);
	signal(sig, SIG_DFL);			/* the instruction is tried again */
}

static void on_fault_plain(int sig)
{
	dprintf(STDERR_FILENO, "plain handler: %d\n", sig);
	signal(sig, SIG_DFL);
}

static void body_fault(void *arg)
{
	(void)arg;
	*nowhere = 1;
}

static void fault_with(struct sigaction *sa, bool in_coroutine)
{
	kcoro_t *co;

	sigaction(SIGSEGV, sa, NULL);
	if (!kcoro_create_main())
		return;
	co = kcoro_create(body_fault, NULL, 0);
	if (in_coroutine)
		kcoro_resume(co);
	else
		body_fault(NULL);
}

KTEST(fault, goes_to_the_handler_of_before)
{
	struct sigaction info = { .sa_flags = SA_SIGINFO, .sa_sigaction = on_fault_info };
	struct sigaction plain = { .sa_handler = on_fault_plain };
	struct sigaction none = { .sa_handler = SIG_DFL };

	KTEST_REQUIRES(!HAVE_SANITIZER, "sanitizers have handlers of their own");
	for (int in_coroutine = 0; in_coroutine < 2; in_coroutine++) {
		EXPECT_DEATH(SIGSEGV, "old handler: 11 0x10", fault_with(&info, in_coroutine));
		EXPECT_DEATH(SIGSEGV, "plain handler: 11", fault_with(&plain, in_coroutine));
		EXPECT_DEATH(SIGSEGV, "", fault_with(&none, in_coroutine));
	}
}

static void signal_with(void (*handler)(int), int sig, int times)
{
	signal(sig, handler);
	if (!kcoro_create_main())
		return;
	while (times--)
		raise(sig);
	abort();
}

/* no instruction faults again: the signal itself must not be lost */
KTEST(fault, signals_that_are_sent)
{
	static const int sigs[] = { SIGSEGV, SIGBUS };

	KTEST_REQUIRES(!HAVE_SANITIZER, "sanitizers have handlers of their own");
	for (int i = 0; i < 2; i++) {
		EXPECT_DEATH(sigs[i], "", signal_with(SIG_DFL, sigs[i], 1));
		EXPECT_DEATH(sigs[i], "plain handler", signal_with(on_fault_plain, sigs[i], 2));
		EXPECT_DEATH(SIGABRT, "", signal_with(SIG_IGN, sigs[i], 2));
	}
}

KTEST(fault, detach_leaves_the_programs_signal_stack)
{
	stack_t own = { .ss_size = 65536 }, now;

	own.ss_sp = malloc(own.ss_size);
	ASSERT_TRUE(kcoro_create_main());
	ASSERT_EQ(sigaltstack(&own, NULL), 0);
	EXPECT_EQ(kcoro_detach(), 0);
	ASSERT_EQ(sigaltstack(NULL, &now), 0);
	EXPECT_PTR_EQ(now.ss_sp, own.ss_sp);
	EXPECT_EQ(now.ss_flags, 0);
	now.ss_flags = SS_DISABLE;
	sigaltstack(&now, NULL);
	free(own.ss_sp);
}

/* the kind of guard is found out without files */
KTEST(fault, guard_kind_without_descriptors)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *p = mmap(NULL, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct rlimit limit, few;
	const char *guard;
	bool light;

	KTEST_REQUIRES(IS_ENABLED(CONFIG_GUARD_LIGHT), "needs GUARD_LIGHT");
	KTEST_REQUIRES(strcmp(ktest_runner(), "qemu"), "the emulator copies for the kernel");
	ASSERT_TRUE(p != MAP_FAILED);
	light = !madvise(p, page, 102 /* MADV_GUARD_INSTALL */) && !readable(p);
	munmap(p, page);
	ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
	few = (struct rlimit){ .rlim_cur = 0, .rlim_max = limit.rlim_max };
	ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
	guard = kcoro_stack_guard();
	ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
	EXPECT_STREQ(guard, light ? "light" : "mprotect");
}
