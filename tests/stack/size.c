// SPDX-License-Identifier: MIT
/* Sizes, bounds and what is left of a stack. */
#include <alloca.h>

#include "stack_test.h"

KTEST_SUITE(stack, .init = common_init, .timeout = 30);

struct bounds {
	char *low, *high;
	kcoro_t *co;
	char *local;
};

static struct bounds bounds_of(kcoro_t *co)
{
	void *low = NULL, *high = NULL;

	ASSERT_EQ(kcoro_stack_bounds(co, &low, &high), 0);
	return (struct bounds){ .low = low, .high = high, .co = co };
}

static size_t usable(kcoro_t *co)
{
	struct bounds b = bounds_of(co);

	return (size_t)(b.high - b.low);
}

static int by_address(const void *a, const void *b)
{
	const struct bounds *x = a, *y = b;

	return x->low < y->low ? -1 : x->low > y->low;
}

static void body_local(void *arg)
{
	*(char **)arg = __builtin_frame_address(0);
	kcoro_yield();
}

KTEST(stack, bounds_and_no_overlap)
{
	unsigned long n = at_most(500, MAX_LIVE);
	struct bounds *b = calloc(n, sizeof(*b));

	for (unsigned long i = 0; i < n; i++) {
		char *local;
		kcoro_t *co = kcoro_create(body_local, &local, i % 2 ? SMALL_STACK : 0);

		ASSERT_NOT_NULL(co);
		ASSERT_EQ(kcoro_resume(co), 0);
		b[i] = bounds_of(co);
		b[i].local = local;
	}
	qsort(b, n, sizeof(*b), by_address);
	for (unsigned long i = 0; i < n; i++) {
		ASSERT_LT(b[i].low, b[i].high);
		ASSERT_GE(b[i].local, b[i].low);
		ASSERT_LT(b[i].local, b[i].high);
		/* the control block is in the same piece of memory, right above */
		ASSERT_PTR_EQ(b[i].co, b[i].high);
		ASSERT_EQ((uintptr_t)b[i].high % 64, 0);
		if (i)
			ASSERT_LT(b[i - 1].high, b[i].low);
	}
	for (unsigned long i = 0; i < n; i++)
		EXPECT_EQ(kcoro_destroy(b[i].co), 0);
	EXPECT_ERR(kcoro_stack_bounds(NULL, NULL, NULL), EINVAL);
	free(b);
}

/* what is not stack: guard, control block, colour */
static size_t overhead(void)
{
	return kcoro_stack_min() + 2048;
}

KTEST(stack, size_rules)
{
	size_t size = KC_CONFIG_STACK_DEFAULT_SIZE, page = (size_t)sysconf(_SC_PAGESIZE);
	kcoro_t *co = make(body_nothing, NULL);

	EXPECT_LT(usable(co), size);
	EXPECT_GT(usable(co) + overhead(), size);
	EXPECT_EQ(kcoro_destroy(co), 0);
	/* the least, and one less */
	co = kcoro_create(body_nothing, NULL, kcoro_stack_min());
	ASSERT_NOT_NULL(co);
	EXPECT_EQ(kcoro_destroy(co), 0);
	EXPECT_NULL_ERR(kcoro_create(body_nothing, NULL, kcoro_stack_min() - 1), EINVAL);
	/* what never can be had */
	EXPECT_NULL_ERR(kcoro_create(body_nothing, NULL, SIZE_MAX), EINVAL);
	EXPECT_NULL_ERR(kcoro_create(body_nothing, NULL, SIZE_MAX / 2 + 1), EINVAL);
	EXPECT_EQ(live_coroutines(), 0);
	if (MEMORY == STATIC) {
		EXPECT_NULL_ERR(kcoro_create(body_nothing, NULL, size + 64), EINVAL);
		return;
	}
	/* what could be had on a larger machine: reported, nothing changed */
	EXPECT_NULL_ERR(kcoro_create(body_nothing, NULL, SIZE_MAX / 8), ENOMEM);
	EXPECT_EQ(live_coroutines(), 0);
	/* rounded up, never down */
	for (size = kcoro_stack_min(); size < 40000; size += 1237) {
		co = kcoro_create(body_nothing, NULL, size);
		ASSERT_NOT_NULL(co);
		EXPECT_GT(usable(co) + overhead(), size);
		if (MEMORY == MAPPED) {
			EXPECT_EQ((uintptr_t)bounds_of(co).low % page, 0);
			EXPECT_LT(usable(co), size + page);
		}
		EXPECT_EQ(kcoro_destroy(co), 0);
		kcoro_stack_trim(0);
	}
}

KTEST(stack, create_on_limits)
{
	static char mem[OWN_STACK + 64] __attribute__((aligned(64)));
	size_t guard = MEMORY == MAPPED && strcmp(kcoro_stack_guard(), "none") ?
		       (size_t)sysconf(_SC_PAGESIZE) : 0;
	size_t least = kcoro_stack_min() - guard;
	int runs = 0;

	EXPECT_NULL_ERR(kcoro_create_on(body_nothing, NULL, mem, least - 1), EINVAL);
	EXPECT_NULL_ERR(kcoro_create_on(body_nothing, NULL, mem, 0), EINVAL);
	EXPECT_NULL_ERR(kcoro_create_on(body_nothing, NULL, mem, SIZE_MAX), EINVAL);
	/* wherever it starts */
	for (size_t shift = 0; shift < 64; shift += 7) {
		kcoro_t *co;

		memset(mem, 0x5a, sizeof(mem));
		co = kcoro_create_on(body_count, &runs, mem + shift, OWN_STACK - 1);
		ASSERT_NOT_NULL(co);
		EXPECT_PTR_EQ(bounds_of(co).low, mem + shift);	/* no guard in callers' */
		EXPECT_LE((char *)co, mem + shift + OWN_STACK);
		EXPECT_EQ((uintptr_t)co % 64, 0);
		EXPECT_EQ(kcoro_resume(co), 0);
		EXPECT_EQ(kcoro_destroy(co), 0);
		for (size_t i = 0; i < shift; i++)
			ASSERT_EQ(mem[i], 0x5a);
		for (size_t i = shift + OWN_STACK - 1; i < sizeof(mem); i++)
			ASSERT_EQ(mem[i], 0x5a);
	}
	EXPECT_EQ(runs, 10);
	if (!HAVE_SANITIZER) {			/* their frames are larger */
		kcoro_t *co = kcoro_create_on(body_count, &runs, mem + 1, least);

		ASSERT_NOT_NULL(co);
		EXPECT_EQ(kcoro_resume(co), 0);
		EXPECT_EQ(runs, 11);
		EXPECT_EQ(kcoro_destroy(co), 0);
	}
}

/* uses all but a little of the stack, and tells whether it kept what was written */
static void body_use_all(void *arg)
{
	size_t n = kcoro_stack_room() - (HAVE_SANITIZER ? 32768 : 2048);
	volatile char *p = alloca(n);
	bool *good = arg;

	__asm__ volatile("" : "+r"(p) : : "memory");	/* all of it is needed */
	for (size_t i = 0; i < n; i += 64)
		p[i] = (char)(i >> 6);
	kcoro_yield();
	*good = true;
	for (size_t i = 0; i < n; i += 64)
		*good = *good && p[i] == (char)(i >> 6);
}

KTEST(stack, small_stack)
{
	size_t size = SMALL_STACK;
	bool good[8] = { false };
	kcoro_t *co[8];

	KTEST_REQUIRES(!HAVE_SANITIZER, "sanitizers need larger frames");
	for (int i = 0; i < 8; i++) {
		co[i] = kcoro_create(body_use_all, &good[i], size);
		ASSERT_NOT_NULL(co[i]);
		if (MEMORY != STATIC)
			EXPECT_LE(usable(co[i]), 4096);
	}
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < 8; i++)
			EXPECT_EQ(kcoro_resume(co[i]), 0);
	for (int i = 0; i < 8; i++) {
		EXPECT_TRUE(good[i]);
		EXPECT_EQ(kcoro_destroy(co[i]), 0);
	}
}

KTEST(stack, heap_kilobyte)
{
	enum { N = 1000 };
	static kcoro_t *co[N];
	int runs = 0;

	KTEST_REQUIRES(MEMORY == HEAP, "needs STACK_HEAP");
	KTEST_REQUIRES(!HAVE_SANITIZER, "sanitizers need larger frames");
	ASSERT_LE(kcoro_stack_min(), 1024);
	for (int i = 0; i < N; i++) {
		co[i] = kcoro_create(body_count, &runs, 1024);
		ASSERT_NOT_NULL(co[i]);
		EXPECT_LE(usable(co[i]), 1024);
	}
	for (int i = 0; i < N; i++)
		EXPECT_EQ(kcoro_resume(co[i]), 0);
	EXPECT_EQ(runs, N);
	for (int i = 0; i < N; i++)
		EXPECT_EQ(kcoro_destroy(co[i]), 0);
}

KTEST(stack, too_small_never_reused)
{
	size_t sizes[] = { 65536, 262144, 131072, 1 << 20, 65536 };
	bool good;

	KTEST_REQUIRES(MEMORY != STATIC, "static stacks have one size");
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		kcoro_t *co = kcoro_create(body_use_all, &good, sizes[i]);

		ASSERT_NOT_NULL(co);
		EXPECT_GT(usable(co) + overhead(), sizes[i]);
		good = false;
		EXPECT_EQ(kcoro_resume(co), 0);
		EXPECT_EQ(kcoro_resume(co), 0);
		EXPECT_TRUE(good);
		EXPECT_EQ(kcoro_destroy(co), 0);
	}
}

struct depth {
	size_t room[4];
	size_t total;
};

__attribute__((noinline)) static void measure(struct depth *d, int level)
{
	volatile char frame[512];

	frame[0] = (char)level;
	__asm__ volatile("" : : "r"(frame) : "memory");	/* all of it is needed */
	d->room[level] = kcoro_stack_room();
	if (level < 3)
		measure(d, level + 1);
	frame[1] = frame[0];
}

static void body_room(void *arg)
{
	struct depth *d = arg;

	d->total = usable(kcoro_current());
	measure(d, 0);
	kcoro_yield();
	d->room[3] = kcoro_stack_room();
}

KTEST(stack, room)
{
	struct depth d = { .total = 0 };
	kcoro_t *co = make(body_room, &d);
	size_t first;

	EXPECT_EQ(kcoro_stack_room(), SIZE_MAX);
	EXPECT_EQ(kcoro_resume(co), 0);
	EXPECT_LT(d.room[0], d.total);
	EXPECT_GT(d.room[0] + 4096, d.total);
	for (int i = 1; i < 4; i++) {
		EXPECT_GE(d.room[i - 1] - d.room[i], 512);	/* a frame less */
		EXPECT_LT(d.room[i - 1] - d.room[i], 4096);
	}
	EXPECT_EQ(kcoro_stack_room(), SIZE_MAX);
	first = d.room[0];
	EXPECT_EQ(kcoro_resume(co), 0);
	EXPECT_GT(d.room[3], first);			/* back up again */
	EXPECT_EQ(kcoro_destroy(co), 0);
}
