// SPDX-License-Identifier: MIT
/* Timers: a wheel for the far ones, a pairing heap for the near ones. */
#include <errno.h>

#include <internal/coro.h>
#include <internal/runtime.h>

/* kc_timers_next() looks at so many of one slot before it takes the slot's begin */
#define SCAN	64

static bool before(const struct kc_timer *a, const struct kc_timer *b)
{
	return a->due_ != b->due_ ? a->due_ < b->due_ : a->seq_ < b->seq_;
}

/* ---- the heap: children in a list; link_ is what points here, so that any node can go ---- */

static void push(struct kc_timer **list, struct kc_timer *timer)
{
	timer->next_ = *list;
	if (*list)
		(*list)->link_ = &timer->next_;
	timer->link_ = list;
	*list = timer;
}

static void unlink(struct kc_timer *timer)
{
	*timer->link_ = timer->next_;
	if (timer->next_)
		timer->next_->link_ = timer->link_;
	timer->link_ = NULL;
}

/* two roots become one */
static struct kc_timer *meld(struct kc_timer *a, struct kc_timer *b)
{
	if (!a || !b)
		return a ? a : b;
	if (before(b, a)) {
		struct kc_timer *c = a;

		a = b;
		b = c;
	}
	push(&a->child_, b);
	return a;
}

/* a list of children becomes one heap: in pairs, then all pairs into one */
static struct kc_timer *merge(struct kc_timer *list)
{
	struct kc_timer *pairs = NULL, *root = NULL;

	while (list) {
		struct kc_timer *a = list, *b = a->next_;

		list = b ? b->next_ : NULL;
		a = meld(a, b);
		a->next_ = pairs;
		pairs = a;
	}
	while (pairs) {
		struct kc_timer *a = pairs;

		pairs = a->next_;
		root = meld(root, a);
	}
	return root;
}

static void set_root(struct kc_timers *ts, struct kc_timer *root)
{
	ts->near = root;
	if (root) {
		root->next_ = NULL;
		root->link_ = &ts->near;
	}
}

/* ---- the wheel ---- */

static uint64_t granule_of(kc_time_t due)
{
	return (uint64_t)due >> KC_WHEEL_GRANULE;
}

static void place(struct kc_timers *ts, struct kc_timer *timer)
{
	uint64_t granule = granule_of(timer->due_), differs = granule ^ ts->granule;
	unsigned int level, slot;

	timer->child_ = NULL;
	if (timer->due_ < 0 || granule <= ts->granule) {
		set_root(ts, meld(ts->near, timer));
		return;
	}
	level = (63 - (unsigned int)__builtin_clzll(differs)) / KC_WHEEL_BITS;
	slot = granule >> level * KC_WHEEL_BITS & (KC_WHEEL_SLOTS - 1);
	push(&ts->slot[level][slot], timer);
	ts->used[level][slot / 64] |= 1ull << slot % 64;
}

void kc_timers_add(struct kc_timers *ts, struct kc_timer *timer)
{
	timer->seq_ = ++ts->seq;
	place(ts, timer);
}

void kc_timers_remove(struct kc_timers *ts, struct kc_timer *timer)
{
	struct kc_timer **slots = &ts->slot[0][0];
	struct kc_timer **link = timer->link_;
	bool root = link == &ts->near;

	unlink(timer);
	if (timer->child_) {
		struct kc_timer *rest = merge(timer->child_);

		set_root(ts, root ? rest : meld(ts->near, rest));
	}
	/* the last of a slot */
	if (!*link && link >= slots && link < slots + KC_WHEEL_LEVELS * KC_WHEEL_SLOTS) {
		size_t i = (size_t)(link - slots);

		ts->used[i / KC_WHEEL_SLOTS][i % KC_WHEEL_SLOTS / 64] &= ~(1ull << i % 64);
	}
}

/* the first slot that is not empty, and the granule with which it begins; -1 if there is none */
static int first_slot(const struct kc_timers *ts, unsigned int *level, uint64_t *begin)
{
	for (unsigned int i = 0; i < KC_WHEEL_LEVELS * KC_WHEEL_WORDS; i++) {
		uint64_t used = (&ts->used[0][0])[i], above;
		unsigned int shift, slot;

		if (!used)
			continue;
		*level = i / KC_WHEEL_WORDS;
		shift = *level * KC_WHEEL_BITS;
		slot = i % KC_WHEEL_WORDS * 64 + (unsigned int)__builtin_ctzll(used);
		above = shift + KC_WHEEL_BITS < 64 ? ts->granule >> (shift + KC_WHEEL_BITS) : 0;
		*begin = (above << KC_WHEEL_BITS | slot) << shift;
		return (int)slot;
	}
	return -1;
}

kc_time_t kc_timers_next(const struct kc_timers *ts)
{
	kc_time_t next = KC_FOREVER;
	const struct kc_timer *timer;
	unsigned int level;
	uint64_t begin;
	int slot, n = 0;

	if (ts->near)
		return ts->near->due_;
	slot = first_slot(ts, &level, &begin);
	if (slot < 0)
		return KC_FOREVER;
	for (timer = ts->slot[level][slot]; timer; timer = timer->next_) {
		if (++n > SCAN)
			return (kc_time_t)(begin << KC_WHEEL_GRANULE);
		if (timer->due_ < next)
			next = timer->due_;
	}
	return next;
}

/* those that callbacks arm wait for the next time: an eager one must not keep us here */
static void fire_near(struct kc_timers *ts, kc_time_t now, uint64_t last, struct kc_timer **eager)
{
	while (ts->near && ts->near->due_ <= now) {
		struct kc_timer *timer = ts->near;

		kc_timers_remove(ts, timer);
		if (timer->seq_ <= last) {
			timer->fn_(timer->arg_);
			continue;
		}
		timer->child_ = NULL;
		push(eager, timer);
	}
}

void kc_timers_expire(struct kc_timers *ts, kc_time_t now)
{
	uint64_t granule = granule_of(now), begin, last = ts->seq;
	struct kc_timer *eager = NULL;
	unsigned int level;
	int slot;

	fire_near(ts, now, last, &eager);
	while ((slot = first_slot(ts, &level, &begin)) >= 0 && begin <= granule) {
		struct kc_timer *list = ts->slot[level][slot];

		ts->slot[level][slot] = NULL;
		ts->used[level][slot / 64] &= ~(1ull << slot % 64);
		ts->granule = begin;
		while (list) {
			struct kc_timer *timer = list;

			list = timer->next_;
			__builtin_prefetch(list);
			place(ts, timer);
		}
		/* all that are left in the wheel come later; a small heap stays in the cache */
		fire_near(ts, now, last, &eager);
	}
	if (granule > ts->granule)
		ts->granule = granule;
	while (eager) {
		struct kc_timer *timer = eager;

		unlink(timer);
		place(ts, timer);
	}
}

void kc_timers_clear(struct kc_timers *ts)
{
	struct kc_timer **slot = &ts->slot[0][0];

	while (ts->near)
		kc_timers_remove(ts, ts->near);
	for (size_t i = 0; i < KC_WHEEL_LEVELS * KC_WHEEL_SLOTS; i++)
		while (slot[i])
			kc_timers_remove(ts, slot[i]);
}

/* ---- the public face ---- */

void kc_timer_init(struct kc_timer *timer, void (*fn)(void *arg), void *arg)
{
	*timer = (struct kc_timer){ .fn_ = fn, .arg_ = arg };
}

int kc_timer_set(struct kc_timer *timer, kc_time_t deadline)
{
	struct kc_runtime *rt = kc_this_runtime();

	if (!timer || !timer->fn_)
		return -EINVAL;
	if (!rt)
		return -EPERM;
	kc_timer_cancel(timer);
	if (deadline == KC_FOREVER)
		return 0;
	timer->due_ = deadline;
	timer->timers_ = &rt->timers;
	kc_timers_add(&rt->timers, timer);
	return 0;
}

int kc_timer_cancel(struct kc_timer *timer)
{
	if (!timer)
		return -EINVAL;
	if (!kc_timer_armed(timer))
		return 0;
	kc_timers_remove(timer->timers_, timer);
	return 1;
}
