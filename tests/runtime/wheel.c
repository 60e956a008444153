// SPDX-License-Identifier: MIT
/* The structure of timers against a model that cannot be wrong: a sorted array. */
#include <internal/timer.h>

#include "common.h"

KTEST_SUITE(timer, .init = virtual_init, .timeout = 60);

/* ---- the structure alone ---- */

enum { N = 400 };

struct entry {
	struct kc_timer timer;
	bool armed;
	kc_time_t due;
	uint64_t seq;
};

static struct entry entries[N];
static struct kc_timers timers;
static uint64_t next_seq;
static struct entry *fired[N];
static unsigned int nfired;
static kc_time_t now;

static void fires(void *arg)
{
	struct entry *e = arg;

	ASSERT_TRUE(e->armed);
	ASSERT_LE(e->due, now);
	e->armed = false;
	fired[nfired++] = e;
}

static int by_due(const void *a, const void *b)
{
	const struct entry *x = *(struct entry *const *)a, *y = *(struct entry *const *)b;

	if (x->due != y->due)
		return x->due < y->due ? -1 : 1;
	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

/* how deadlines are spread: around the edges of slots of all sizes, in clusters, anywhere */
static kc_time_t around_edges(void)
{
	unsigned int shift = KC_WHEEL_GRANULE + KC_WHEEL_BITS * (unsigned int)(ktest_rand() % 6);
	kc_time_t edge = ((now >> shift) + 1 + (kc_time_t)(ktest_rand() % 3)) << shift;

	return edge - 2 + (kc_time_t)(ktest_rand() % 5);
}

static kc_time_t near_by(void)
{
	return now - 100 + (kc_time_t)(ktest_rand() % 100000);
}

static kc_time_t anywhere(void)
{
	unsigned int bits = (unsigned int)(ktest_rand() % 62);
	kc_time_t span = (kc_time_t)(ktest_rand() & (((uint64_t)1 << bits) - 1));

	return span < KC_FOREVER - now ? now + span : KC_FOREVER - 1;
}

static kc_time_t few_values(void)
{
	return (now | 0xffff) + (kc_time_t)(ktest_rand() % 4) * (1 << 20);
}

static const struct {
	const char *desc;
	kc_time_t (*due)(void);
} spreads[] = {
	{ "edges", around_edges }, { "near", near_by }, { "anywhere", anywhere },
	{ "few", few_values },
};

static unsigned int heap_size(const struct kc_timer *t, const struct kc_timer *parent,
			      struct kc_timer *const *link)
{
	unsigned int n = 0;

	for (; t; link = &t->next_, t = t->next_) {
		ASSERT_PTR_EQ(t->link_, link);
		if (parent)
			ASSERT_TRUE(parent->due_ < t->due_ ||
				    (parent->due_ == t->due_ && parent->seq_ < t->seq_));
		n += 1 + heap_size(t->child_, t, &t->child_);
	}
	return n;
}

/* every timer is where it belongs, and nothing else is there */
static void walk(unsigned int armed)
{
	unsigned int n = heap_size(timers.near, NULL, &timers.near);

	for (unsigned int level = 0; level < KC_WHEEL_LEVELS; level++) {
		for (unsigned int slot = 0; slot < KC_WHEEL_SLOTS; slot++) {
			struct kc_timer **list = &timers.slot[level][slot];

			ASSERT_EQ(*list != NULL, timers.used[level][slot / 64] >> slot % 64 & 1);
			for (const struct kc_timer *t = *list; t; t = t->next_) {
				uint64_t granule = (uint64_t)t->due_ >> KC_WHEEL_GRANULE;

				ASSERT_GT(granule, timers.granule);
				granule >>= level * KC_WHEEL_BITS;
				ASSERT_EQ(granule & (KC_WHEEL_SLOTS - 1), slot);
				n++;
			}
		}
	}
	ASSERT_EQ(n, armed);
}

static kc_time_t earliest(void)
{
	kc_time_t first = KC_FOREVER;

	for (int i = 0; i < N; i++)
		if (entries[i].armed && entries[i].due < first)
			first = entries[i].due;
	return first;
}

static unsigned int count(void)
{
	unsigned int n = 0;

	for (int i = 0; i < N; i++)
		n += entries[i].armed;
	return n;
}

/* all that are due, and only those, in order */
static void expire(void)
{
	struct entry *want[N];
	unsigned int nwant = 0;

	for (int i = 0; i < N; i++)
		if (entries[i].armed && entries[i].due <= now)
			want[nwant++] = &entries[i];
	qsort(want, nwant, sizeof(want[0]), by_due);
	nfired = 0;
	kc_timers_expire(&timers, now);
	ASSERT_EQ(nfired, nwant);
	for (unsigned int i = 0; i < nwant; i++)
		ASSERT_PTR_EQ(fired[i], want[i]);
}

static void advance(void)
{
	kc_time_t next = earliest();

	switch (ktest_rand() % 4) {
	case 0:		/* exactly to the next one */
		if (next != KC_FOREVER && next > now)
			now = next;
		break;
	case 1:		/* to right before it: nobody fires */
		if (next != KC_FOREVER && next - 1 > now)
			now = next - 1;
		break;
	case 2:
		now += (kc_time_t)(ktest_rand() % 200000);
		break;
	default:
		now += (kc_time_t)1 << ktest_rand() % 40;
		break;
	}
}

static void change(struct entry *e, kc_time_t (*due)(void))
{
	if (e->armed) {
		ASSERT_TRUE(kc_timer_armed(&e->timer));
		kc_timers_remove(&timers, &e->timer);
		e->armed = false;
		if (ktest_rand() % 2)
			return;
	}
	ASSERT_FALSE(kc_timer_armed(&e->timer));
	e->due = e->timer.due_ = due();
	e->seq = ++next_seq;
	e->armed = true;
	kc_timers_add(&timers, &e->timer);
}

KTEST_PARAM(timer, random_against_model, spreads)
{
	unsigned long steps = ktest_iterations(60000);
	kc_time_t next, wait;

	now = START;
	timers.granule = (uint64_t)now >> KC_WHEEL_GRANULE;
	for (int i = 0; i < N; i++)
		kc_timer_init(&entries[i].timer, fires, &entries[i]);
	for (unsigned long step = 0; step < steps; step++) {
		kc_time_t (*due)(void) = param->due;

		if (step % 7 == 6)
			due = spreads[ktest_rand() % 4].due;
		change(&entries[ktest_rand() % N], due);
		if (step % 50)
			continue;
		advance();
		expire();
		walk(count());
		/* when to look again: never after the first; before it if a slot holds very many */
		next = earliest();
		wait = kc_timers_next(&timers);
		ASSERT_LE(wait, next);
		ASSERT_GT(wait, now);
	}
	expire();
	/* by its own word of when to look, to the end */
	for (unsigned int looks = 0; (wait = kc_timers_next(&timers)) != KC_FOREVER; looks++) {
		ASSERT_LT(looks, 12 * N);
		ASSERT_GT(wait, now);
		now = wait;
		expire();
	}
	EXPECT_EQ(count(), 0);
	walk(0);
}

KTEST(timer, clear)
{
	now = START;
	timers.granule = (uint64_t)now >> KC_WHEEL_GRANULE;
	for (int i = 0; i < N; i++) {
		kc_timer_init(&entries[i].timer, fires, &entries[i]);
		entries[i].timer.due_ = spreads[i % 4].due();
		kc_timers_add(&timers, &entries[i].timer);
	}
	kc_timers_clear(&timers);
	for (int i = 0; i < N; i++)
		EXPECT_FALSE(kc_timer_armed(&entries[i].timer));
	walk(0);
	EXPECT_EQ(kc_timers_next(&timers), KC_FOREVER);
}

/* every pair of a start and a deadline around an edge */
KTEST(timer, edges_of_slots)
{
	static const int off[] = { -2, -1, 0, 1, 2 };

	for (unsigned int shift = KC_WHEEL_GRANULE; shift < 62; shift++) {
		for (int a = 0; a < 5; a++) {
			for (int b = 0; b < 5; b++) {
				kc_time_t edge = (kc_time_t)1 << shift;
				struct entry *e = &entries[0];

				memset(&timers, 0, sizeof(timers));
				now = edge + off[a];
				timers.granule = (uint64_t)now >> KC_WHEEL_GRANULE;
				kc_timer_init(&e->timer, fires, e);
				e->due = e->timer.due_ = 2 * edge + off[b];
				e->seq = ++next_seq;
				e->armed = true;
				kc_timers_add(&timers, &e->timer);
				ASSERT_EQ(kc_timers_next(&timers), e->due);
				now = e->due - 1;
				expire();
				ASSERT_TRUE(e->armed);
				ASSERT_EQ(kc_timers_next(&timers), e->due);
				now++;
				expire();
				ASSERT_FALSE(e->armed);
			}
		}
	}
}

/* ---- a million, through the public calls ---- */

struct million {
	unsigned long n, fired;
	struct kc_timer *timer;
	kc_time_t last;
	uint64_t last_index;
	struct kc_timer *base;
};

static struct million m;

static void fires_in_order(void *arg)
{
	struct kc_timer *t = arg;

	if (t->due_ != kc_now() || t->due_ < m.last)
		KTEST_FAIL("fired at %lld for %lld after %lld", (long long)kc_now(),
			   (long long)t->due_, (long long)m.last);
	m.last = t->due_;
	m.fired++;
}

static void *a_million(void *arg)
{
	unsigned long cancelled = 0;

	for (unsigned long i = 0; i < m.n; i++) {
		kc_timer_init(&m.timer[i], fires_in_order, &m.timer[i]);
		ASSERT_EQ(kc_timer_set(&m.timer[i], kc_now() + 1 +
				       (kc_time_t)(ktest_rand() % (10 * (uint64_t)KC_SEC))), 0);
		if (i % 1000 == 0)
			kc_sleep(1);
	}
	for (unsigned long i = 0; i < m.n; i += 2) {
		int armed = kc_timer_cancel(&m.timer[i]);

		ASSERT_GE(armed, 0);
		cancelled += (unsigned long)armed;
	}
	for (unsigned long i = 0; i < m.n; i += 4)
		ASSERT_EQ(kc_timer_set(&m.timer[i], kc_now() + 1 +
				       (kc_time_t)(ktest_rand() % (10 * (uint64_t)KC_SEC))), 0);
	kc_sleep(11 * KC_SEC);
	EXPECT_EQ(m.fired, m.n - cancelled + (m.n + 3) / 4);
	for (unsigned long i = 0; i < m.n; i++)
		ASSERT_EQ(kc_timer_cancel(&m.timer[i]), 0);
	return arg;
}

KTEST(timer, million)
{
	m.n = ktest_iterations(1000000);
	m.timer = calloc(m.n, sizeof(m.timer[0]));
	ASSERT_NOT_NULL(m.timer);
	EXPECT_EQ(kc_run(a_million, NULL), 0);
	free(m.timer);
}

/* as many sleepers as there can be, each at its own time */
static unsigned long awake;
static kc_time_t last_wake;

static void *task_sleeps_somewhere(void *arg)
{
	kc_time_t until = START + 1 + (kc_time_t)(ktest_rand() % (uint64_t)KC_SEC);

	if (kc_sleep_until(until) || kc_now() != until || until < last_wake)
		KTEST_FAIL("woke at %lld for %lld after %lld", (long long)kc_now(),
			   (long long)until, (long long)last_wake);
	last_wake = until;
	awake++;
	return arg;
}

RT_TEST(timer, many_sleepers)
{
	unsigned long n = at_most(ktest_iterations(20000), MAX_TASKS);

	for (unsigned long i = 0; i < n; i++)
		ASSERT_EQ(kc_go(task_sleeps_somewhere, NULL), 0);
	kc_sleep(2 * KC_SEC);
	EXPECT_EQ(awake, n);
}
