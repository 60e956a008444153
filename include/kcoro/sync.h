/* SPDX-License-Identifier: MIT */
/*
 * sync.h - locks and other things to wait for. All are plain structures with a static
 * initialiser (all zero, where nothing else is said), need no heap and may live on a stack;
 * their members are the library's.
 *
 * A coroutine must release what it holds before it ends: nobody else can, and the next one may
 * get the same address.
 *
 * Those who wait are served first come, first served. None of the calls that wake others
 * gives up the CPU. *_destroy() only checks: -EBUSY while the object is in use.
 */
#ifndef KCORO_SYNC_H
#define KCORO_SYNC_H

#include <kcoro/time.h>
#include <kcoro/wait.h>

#ifdef KC_CONFIG_SYNC
#define KC_SYNC_API KC_API
#else
#define KC_SYNC_API __attribute__((error("needs a build with CONFIG_SYNC")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- mutex ---- */

struct kc_mutex {
	kcoro_t *owner_;
	struct kc_waitq queue_;
};

#define KC_MUTEX_INIT	{ 0, { 0, 0 } }

KC_SYNC_API void kc_mutex_init(struct kc_mutex *m);

/**
 * kc_mutex_lock_until - take a mutex
 * @m: mutex
 * @deadline: when to give up
 *
 * An interrupt that is pending ends the call before anything else is looked at. A waiter
 * who was given the mutex and then interrupted owns it: 0, and the interrupt stays pending.
 *
 * Waits. Return: 0; -EDEADLK (the caller has it); -EINVAL (NULL); -ETIMEDOUT; -EINTR; -EPERM.
 */
KC_SYNC_API int kc_mutex_lock_until(struct kc_mutex *m, kc_time_t deadline);
KC_SYNC_API int kc_mutex_lock(struct kc_mutex *m);

/** kc_try_mutex_lock - 0; -EBUSY (taken); -EDEADLK; -EINVAL; -EPERM */
KC_SYNC_API int kc_try_mutex_lock(struct kc_mutex *m);

/**
 * kc_mutex_unlock - release a mutex; the one who waits longest owns it at once
 * Return: 0; -EPERM (the caller does not own it: nothing is changed); -EINVAL.
 */
KC_SYNC_API int kc_mutex_unlock(struct kc_mutex *m);
KC_SYNC_API int kc_mutex_destroy(struct kc_mutex *m);

/* ---- condition ---- */

struct kc_cond {
	struct kc_waitq queue_;
};

#define KC_COND_INIT	{ { 0, 0 } }

KC_SYNC_API void kc_cond_init(struct kc_cond *c);

/**
 * kc_cond_wait_until - wait for a signal
 * @c: condition
 * @m: mutex the caller owns, released while it waits and owned again on return, also
 *	after an error; or NULL
 * @deadline: when to give up
 * Waits. Return: 0; -EPERM (@m is not the caller's; no runtime); -EINVAL; -ETIMEDOUT; -EINTR;
 * -EDEADLK: nobody will ever release @m, which is not the caller's then (see kc_attach()).
 */
KC_SYNC_API int kc_cond_wait_until(struct kc_cond *c, struct kc_mutex *m, kc_time_t deadline);
KC_SYNC_API int kc_cond_wait(struct kc_cond *c, struct kc_mutex *m);

/** kc_cond_signal - wake the one who waits longest; returns how many: 0 or 1, or -EINVAL */
KC_SYNC_API int kc_cond_signal(struct kc_cond *c);

/** kc_cond_broadcast - wake all, in the order in which they came; returns how many, or -EINVAL */
KC_SYNC_API int kc_cond_broadcast(struct kc_cond *c);
KC_SYNC_API int kc_cond_destroy(struct kc_cond *c);

/* ---- semaphore ---- */

struct kc_sem {
	unsigned long count_;
	struct kc_waitq queue_;
};

#define KC_SEM_INIT(count)	{ (count), { 0, 0 } }

KC_SYNC_API void kc_sem_init(struct kc_sem *s, unsigned long count);

/** kc_sem_wait_until - take one. Waits. 0; -EINVAL; -ETIMEDOUT; -EINTR; -EPERM */
KC_SYNC_API int kc_sem_wait_until(struct kc_sem *s, kc_time_t deadline);
KC_SYNC_API int kc_sem_wait(struct kc_sem *s);

/** kc_try_sem_wait - 0, -EAGAIN when there is none, -EINVAL */
KC_SYNC_API int kc_try_sem_wait(struct kc_sem *s);

/** kc_sem_post - give one; 0, -EINVAL, -EOVERFLOW */
KC_SYNC_API int kc_sem_post(struct kc_sem *s);
KC_SYNC_API unsigned long kc_sem_count(const struct kc_sem *s);
KC_SYNC_API int kc_sem_destroy(struct kc_sem *s);

/* ---- readers and writers ---- */

struct kc_rwlock {
	unsigned long readers_;
	kcoro_t *writer_;
	struct kc_waitq queue_;
	unsigned long waiters_;
};

#define KC_RWLOCK_INIT	{ 0, 0, { 0, 0 }, 0 }

KC_SYNC_API void kc_rwlock_init(struct kc_rwlock *l);

/**
 * kc_rwlock_read_until - share the lock with other readers
 *
 * A reader queues behind a writer that waits, so writers do not starve: who holds the lock
 * for reading must not ask for it again.
 *
 * Waits. Return: 0; -EDEADLK (the caller is the writer); -EINVAL; -ETIMEDOUT; -EINTR; -EPERM.
 */
KC_SYNC_API int kc_rwlock_read_until(struct kc_rwlock *l, kc_time_t deadline);
KC_SYNC_API int kc_rwlock_read(struct kc_rwlock *l);
KC_SYNC_API int kc_try_rwlock_read(struct kc_rwlock *l);

/** kc_rwlock_write_until - have the lock alone; as kc_rwlock_read_until() */
KC_SYNC_API int kc_rwlock_write_until(struct kc_rwlock *l, kc_time_t deadline);
KC_SYNC_API int kc_rwlock_write(struct kc_rwlock *l);
KC_SYNC_API int kc_try_rwlock_write(struct kc_rwlock *l);

/** kc_rwlock_unlock - end either; 0, -EPERM (not held, or by another writer), -EINVAL */
KC_SYNC_API int kc_rwlock_unlock(struct kc_rwlock *l);
KC_SYNC_API int kc_rwlock_destroy(struct kc_rwlock *l);

/* ---- wait group ---- */

struct kc_waitgroup {
	unsigned long count_;
	struct kc_waitq queue_;
};

#define KC_WAITGROUP_INIT	{ 0, { 0, 0 } }

KC_SYNC_API void kc_waitgroup_init(struct kc_waitgroup *g);

/** kc_waitgroup_add - expect @n more; 0, -EINVAL, -EOVERFLOW */
KC_SYNC_API int kc_waitgroup_add(struct kc_waitgroup *g, unsigned long n);

/** kc_waitgroup_done - one less; the last wakes all who wait; 0, -EINVAL (also below zero) */
KC_SYNC_API int kc_waitgroup_done(struct kc_waitgroup *g);

/** kc_waitgroup_wait_until - wait for zero. Waits. 0; -EINVAL; -ETIMEDOUT; -EINTR; -EPERM */
KC_SYNC_API int kc_waitgroup_wait_until(struct kc_waitgroup *g, kc_time_t deadline);
KC_SYNC_API int kc_waitgroup_wait(struct kc_waitgroup *g);
KC_SYNC_API int kc_try_waitgroup_wait(struct kc_waitgroup *g);
KC_SYNC_API int kc_waitgroup_destroy(struct kc_waitgroup *g);

/* ---- once ---- */

struct kc_once {
	int state_;
	kcoro_t *runner_;
	struct kc_waitq queue_;
};

#define KC_ONCE_INIT	{ 0, 0, { 0, 0 } }

/**
 * kc_once_call_until - have a function called by exactly one coroutine
 * @o: all zero at first
 * @fn: may wait
 * @arg: passed to @fn
 * @deadline: when to stop waiting for another coroutine's call to end
 *
 * If @fn ends its coroutine instead of returning, the one who waits longest, or else the next
 * to come, calls its own @fn.
 *
 * Waits. Return: 0 once @fn has returned; -EDEADLK (called by @fn); -EINVAL; -ETIMEDOUT;
 * -EINTR; -EPERM.
 */
KC_SYNC_API int kc_once_call_until(struct kc_once *o, void (*fn)(void *arg), void *arg,
				   kc_time_t deadline);
KC_SYNC_API int kc_once_call(struct kc_once *o, void (*fn)(void *arg), void *arg);

/* ---- barrier ---- */

struct kc_barrier {
	unsigned int need_, most_;
	struct kc_waitq queue_;
};

#define KC_BARRIER_INIT(n)	{ (n), 0, { 0, 0 } }

KC_SYNC_API void kc_barrier_init(struct kc_barrier *b, unsigned int n);

/**
 * kc_barrier_wait_until - wait until as many coroutines as the barrier needs are here
 *
 * One whose wait ends early is not counted any more.
 *
 * Waits. Return: 1 for the last to arrive, 0 for the others; -EINVAL (NULL, needs nobody);
 * -ETIMEDOUT; -EINTR; -EPERM.
 */
KC_SYNC_API int kc_barrier_wait_until(struct kc_barrier *b, kc_time_t deadline);
KC_SYNC_API int kc_barrier_wait(struct kc_barrier *b);
KC_SYNC_API int kc_barrier_destroy(struct kc_barrier *b);

/* ---- event ---- */

struct kc_event {
	int set_;
	struct kc_waitq queue_;
};

#define KC_EVENT_INIT	{ 0, { 0, 0 } }

KC_SYNC_API void kc_event_init(struct kc_event *e);

/** kc_event_set - wake all who wait, and let all who come until kc_event_clear() pass */
KC_SYNC_API int kc_event_set(struct kc_event *e);
KC_SYNC_API int kc_event_clear(struct kc_event *e);
KC_SYNC_API int kc_event_is_set(const struct kc_event *e);

/** kc_event_wait_until - wait until it is set. Waits. 0; -EINVAL; -ETIMEDOUT; -EINTR; -EPERM */
KC_SYNC_API int kc_event_wait_until(struct kc_event *e, kc_time_t deadline);
KC_SYNC_API int kc_event_wait(struct kc_event *e);
KC_SYNC_API int kc_try_event_wait(struct kc_event *e);
KC_SYNC_API int kc_event_destroy(struct kc_event *e);

#ifdef __cplusplus
}
#endif

#endif /* KCORO_SYNC_H */
