/* SPDX-License-Identifier: MIT */
/*
 * timer.h - the timers of a thread.
 *
 * Far ones hang in a wheel of slots, each level 2^TIMER_BITS times coarser than the one below, so
 * that to arm and to cancel is to link and unlink. Near ones, those of the granule in which
 * "now" lies, are in a heap that knows their exact order. As time passes slots are emptied
 * into finer ones and at last into the heap: a timer moves a few times in its life however many
 * there are.
 */
#ifndef KC_INTERNAL_TIMER_H
#define KC_INTERNAL_TIMER_H

#include <kcoro/time.h>

#define KC_WHEEL_GRANULE	14	/* 2^14 ns: 16 us */
#define KC_WHEEL_BITS		CONFIG_TIMER_BITS
#define KC_WHEEL_SLOTS		(1 << KC_WHEEL_BITS)
#define KC_WHEEL_LEVELS		((62 - KC_WHEEL_GRANULE) / KC_WHEEL_BITS + 1)
#define KC_WHEEL_WORDS		(KC_WHEEL_SLOTS / 64)

/**
 * struct kc_timers - owner: the thread
 * @near: root of the heap
 * @granule: number of the granule up to which timers are in the heap
 * @seq: of the last timer armed
 * @used: per level, which slots are not empty
 * @slot: lists
 */
struct kc_timers {
	struct kc_timer *near;
	uint64_t granule;
	uint64_t seq;
	uint64_t used[KC_WHEEL_LEVELS][KC_WHEEL_WORDS];
	struct kc_timer *slot[KC_WHEEL_LEVELS][KC_WHEEL_SLOTS];
};

void kc_timers_add(struct kc_timers *ts, struct kc_timer *timer);
void kc_timers_remove(struct kc_timers *ts, struct kc_timer *timer);

/** kc_timers_clear - disarm all */
void kc_timers_clear(struct kc_timers *ts);

/**
 * kc_timers_next - when to look again
 * Return: the earliest deadline; if very many timers are far away a time before it;
 * KC_FOREVER if there are none.
 */
kc_time_t kc_timers_next(const struct kc_timers *ts);

/** kc_timers_expire - call all timers that are due at @now, in order */
void kc_timers_expire(struct kc_timers *ts, kc_time_t now);

static inline int kc_timer_armed(const struct kc_timer *timer)
{
	return timer->link_ != NULL;
}

#endif /* KC_INTERNAL_TIMER_H */
