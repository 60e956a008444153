/* SPDX-License-Identifier: MIT */
/*
 * time.h - time as the runtime sees it: nanoseconds of CLOCK_MONOTONIC, and deadlines
 * that are points on that line.
 */
#ifndef KCORO_TIME_H
#define KCORO_TIME_H

#include <stdint.h>

#include <kcoro/coro.h>

#ifdef KC_CONFIG_RUNTIME
#define KC_RT_API KC_API
#else
#define KC_RT_API __attribute__((error("needs a build with a scheduler (CONFIG_SCHED_N1)")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** typedef kc_time_t - a point in time, or a span, in nanoseconds */
typedef int64_t kc_time_t;

#define KC_USEC		((kc_time_t)1000)
#define KC_MSEC		((kc_time_t)1000000)
#define KC_SEC		((kc_time_t)1000000000)

/* the deadline that never comes */
#define KC_FOREVER	INT64_MAX

/**
 * kc_now - the current time
 * Context: any. Return: nanoseconds of the clock in force, never 0 or less.
 */
KC_RT_API kc_time_t kc_now(void);

/**
 * kc_after - the deadline that is a span away from now
 * @span: nanoseconds; 0 or less gives a deadline that has passed
 * Return: the deadline; KC_FOREVER when the sum would overflow.
 */
KC_RT_API kc_time_t kc_after(kc_time_t span);

/**
 * kc_clock_set - replace the time base
 * @clock: returns nanoseconds, never less than before; NULL for CLOCK_MONOTONIC
 *
 * With a clock of its own a program also decides how long an idle runtime sleeps: it asks
 * the clock again after sleeping the difference in real time.
 *
 * Return: 0, or -EBUSY while a runtime is attached anywhere in the process.
 */
KC_RT_API int kc_clock_set(kc_time_t (*clock)(void));

/**
 * kc_clock_virtual - let time pass only while everybody waits
 * @start: the first value, above 0; 0 returns to CLOCK_MONOTONIC
 *
 * The clock stands still while a coroutine runs. When all of them wait it jumps to the
 * earliest deadline, and nothing ever sleeps: a test of an hour takes no time and gives
 * the same result in every run.
 *
 * Return: 0, -EINVAL (@start below 0 or KC_FOREVER), or -EBUSY while a runtime is attached.
 */
KC_RT_API int kc_clock_virtual(kc_time_t start);

/**
 * struct kc_timer - a callback at a point in time
 *
 * Owned by the program, in memory of the program; arming it allocates nothing and cannot
 * fail. The members are the library's. Must not go away while it is armed.
 */
struct kc_timer {
	kc_time_t due_;
	uint64_t seq_;
	struct kc_timer *next_, **link_, *child_;
	void (*fn_)(void *arg);
	void *arg_;
	struct kc_timers *timers_;
};

/**
 * kc_timer_init - prepare a timer
 * @timer: memory that is not an armed timer
 * @fn: called at the deadline by the runtime, on whatever stack is at hand: it cannot wait,
 *	yield or end a coroutine (-EPERM), and must not resume one;
 *	it may wake, send without waiting, arm and cancel timers, this one included
 * @arg: passed to @fn
 */
KC_RT_API void kc_timer_init(struct kc_timer *timer, void (*fn)(void *arg), void *arg);

/**
 * kc_timer_set - arm a timer, or move one that is armed
 * @timer: initialised
 * @deadline: when; in the past means at the next opportunity, KC_FOREVER never
 *
 * Timers expire in the order of their deadlines; equal ones in the order of arming.
 * Timers alone do not keep kc_run() from returning.
 *
 * Return: 0; -EINVAL (NULL, not initialised); -EPERM (no runtime on this thread).
 */
KC_RT_API int kc_timer_set(struct kc_timer *timer, kc_time_t deadline);

/**
 * kc_timer_cancel - disarm a timer
 * @timer: initialised
 * Return: 1 if it was armed and will not fire, 0 if it was not armed, -EINVAL (NULL).
 */
KC_RT_API int kc_timer_cancel(struct kc_timer *timer);

#ifdef __cplusplus
}
#endif

#endif /* KCORO_TIME_H */
