/* SPDX-License-Identifier: MIT */
/* runtime.h - what the parts of the runtime share, per OS thread. */
#ifndef KC_INTERNAL_RUNTIME_H
#define KC_INTERNAL_RUNTIME_H

#include <internal/coro.h>

#ifdef CONFIG_RUNTIME

#include <internal/timer.h>
#include <internal/wait.h>

#define KC_RECENT	8

/**
 * struct kc_runtime - the runtime of a thread. Owner: the thread.
 * @timers: all of them
 * @now: time of the last poll
 * @first: all coroutines, oldest first; the thread's own is not among them
 * @last: the youngest
 * @tasks: how many
 * @idle: where kc_run() waits for the last one's end
 * @ended: the coroutine that ended last, if the next one may have its stack as it is
 * @recent: the coroutines started last, by id, unless they have ended
 * @random: state of select's dice
 * @own_main: kc_attach() also made the main coroutine
 * @ending: kc_detach() runs the main coroutine's handlers
 * @hooks: around switches
 * @safepoint: requested call, or NULL
 * @safepoint_arg: its argument
 */
struct kc_runtime {
	struct kc_timers timers;
	kc_time_t now;
	struct kcoro *first, *last;
	unsigned long tasks;
	struct kc_waitq idle;
	struct kcoro *ended;
	struct kcoro *recent[KC_RECENT];
	uint32_t random;
	bool own_main, ending;
	struct kc_hooks hooks;
	void (*safepoint)(void *arg);
	void *safepoint_arg;
};

static inline struct kc_runtime *kc_this_runtime(void)
{
	struct kc_thread *t = kc_this_thread();

	return t ? t->rt : NULL;
}

static inline bool kc_is_scheduled(const struct kcoro *co)
{
	return co->flags & KC_CO_SCHEDULED;
}

/* Does a scheduler run @me, and is this not a function that it has called back? */
static inline bool kc_may_switch(const struct kcoro *me)
{
	return kc_is_scheduled(me) && kcoro_runq.attached;
}

/* Callbacks of the program run in the middle of a switch: what they cannot do is refused. */
static inline void kc_callbacks_begin(void)
{
	kcoro_runq.attached = 0;
	kcoro_runq.budget = 0;		/* no short paths */
}

static inline void kc_callbacks_end(void)
{
	kcoro_runq.attached = 1;
}

static inline bool kc_is_waiting(const struct kcoro *co)
{
	return co->head.waits != NULL;
}

/* run.c: no coroutine of @t's runtime, if it has one, will run again */
void kc_runtime_end(struct kc_thread *t);
/* clock.c */
void kc_clock_hold(int users);
/* time passes while everybody waits: sleep, or move the virtual clock */
void kc_clock_sleep(struct kc_thread *t, kc_time_t until);
/* task.c: end all coroutines, none of which will ever run again */
void kc_tasks_kill(struct kc_runtime *rt);
/* handlers and key destructors */
void kc_task_cleanup(struct kcoro *co);
void kc_task_init(struct kcoro *co, kc_fn fn, struct kc_task *task);
/* deadlock.c: nobody can ever run again */
void kc_deadlock(struct kc_thread *t);

#else

static inline void kc_runtime_end(struct kc_thread *t)
{
	(void)t;
}

static inline bool kc_is_scheduled(const struct kcoro *co)
{
	(void)co;
	return false;
}

static inline bool kc_may_switch(const struct kcoro *me)
{
	(void)me;
	return false;
}

static inline bool kc_is_waiting(const struct kcoro *co)
{
	(void)co;
	return false;
}

#endif
#endif /* KC_INTERNAL_RUNTIME_H */
