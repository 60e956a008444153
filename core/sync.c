// SPDX-License-Identifier: MIT
/* Semaphore, wait group, once, barrier, event. */
#include <errno.h>
#include <limits.h>

#include <internal/runtime.h>
#include <kcoro/sync.h>

/* ---- semaphore ---- */

void kc_sem_init(struct kc_sem *s, unsigned long count)
{
	*s = (struct kc_sem)KC_SEM_INIT(count);
}

int kc_sem_wait_until(struct kc_sem *s, kc_time_t deadline)
{
	int err = kc_try_sem_wait(s);

	if (err != -EAGAIN)
		return err;
	/* a post goes to us directly */
	return kc_waitq_sleep(&s->queue_, deadline, "semaphore", s, NULL, NULL);
}

int kc_sem_wait(struct kc_sem *s)
{
	return kc_sem_wait_until(s, KC_FOREVER);
}

int kc_try_sem_wait(struct kc_sem *s)
{
	if (!s)
		return -EINVAL;
	if (!s->count_)
		return -EAGAIN;
	s->count_--;
	return 0;
}

int kc_sem_post(struct kc_sem *s)
{
	if (!s)
		return -EINVAL;
	if (s->count_ == ULONG_MAX)
		return -EOVERFLOW;
	if (!kc_waitq_wake(&s->queue_, 0))
		s->count_++;
	return 0;
}

unsigned long kc_sem_count(const struct kc_sem *s)
{
	return s ? s->count_ : 0;
}

int kc_sem_destroy(struct kc_sem *s)
{
	if (!s)
		return -EINVAL;
	return s->queue_.first ? -EBUSY : 0;
}

/* ---- wait group ---- */

void kc_waitgroup_init(struct kc_waitgroup *g)
{
	*g = (struct kc_waitgroup)KC_WAITGROUP_INIT;
}

int kc_waitgroup_add(struct kc_waitgroup *g, unsigned long n)
{
	if (!g)
		return -EINVAL;
	if (n > ULONG_MAX - g->count_)
		return -EOVERFLOW;
	g->count_ += n;
	return 0;
}

int kc_waitgroup_done(struct kc_waitgroup *g)
{
	if (!g || !g->count_)
		return -EINVAL;
	if (!--g->count_)
		while (kc_waitq_wake(&g->queue_, 0))
			;
	return 0;
}

int kc_waitgroup_wait_until(struct kc_waitgroup *g, kc_time_t deadline)
{
	int err = kc_try_waitgroup_wait(g);

	if (err != -EAGAIN)
		return err;
	return kc_waitq_sleep(&g->queue_, deadline, "wait group", g, NULL, NULL);
}

int kc_waitgroup_wait(struct kc_waitgroup *g)
{
	return kc_waitgroup_wait_until(g, KC_FOREVER);
}

int kc_try_waitgroup_wait(struct kc_waitgroup *g)
{
	if (!g)
		return -EINVAL;
	return g->count_ ? -EAGAIN : 0;
}

int kc_waitgroup_destroy(struct kc_waitgroup *g)
{
	if (!g)
		return -EINVAL;
	return g->count_ || g->queue_.first ? -EBUSY : 0;
}

/* ---- once ---- */

enum { NOT_YET, RUNNING, DONE };

/* the coroutine ends inside of the function: somebody else is to call it */
static void abandon(void *arg)
{
	struct kc_once *o = arg;

	o->state_ = NOT_YET;
	o->runner_ = NULL;
	kc_waitq_wake(&o->queue_, -EAGAIN);
}

static void run_once(struct kc_once *o, void (*fn)(void *arg), void *arg)
{
	struct kc_defer d;
	/* not outside a runtime, where nothing can end us */
	int deferred = !kc_defer_push(&d, abandon, o);

	o->state_ = RUNNING;
	o->runner_ = kc_me();
	fn(arg);
	if (deferred)
		kc_defer_pop(0);
	o->state_ = DONE;
	o->runner_ = NULL;
	while (kc_waitq_wake(&o->queue_, 0))
		;
}

int kc_once_call_until(struct kc_once *o, void (*fn)(void *arg), void *arg, kc_time_t deadline)
{
	int err;

	if (!o || !fn)
		return -EINVAL;
	do {
		if (kc_likely(o->state_ == DONE))
			return 0;
		if (o->state_ == NOT_YET) {
			run_once(o, fn, arg);
			return 0;
		}
		if (o->runner_ == kc_me())
			return -EDEADLK;
		err = kc_waitq_sleep(&o->queue_, deadline, "once", o, &o->runner_, NULL);
	} while (err == -EAGAIN);
	return err;
}

int kc_once_call(struct kc_once *o, void (*fn)(void *arg), void *arg)
{
	return kc_once_call_until(o, fn, arg, KC_FOREVER);
}

/* ---- barrier ---- */

void kc_barrier_init(struct kc_barrier *b, unsigned int n)
{
	*b = (struct kc_barrier)KC_BARRIER_INIT(n);
}

int kc_barrier_wait_until(struct kc_barrier *b, kc_time_t deadline)
{
	if (!b || !b->need_)
		return -EINVAL;
	/* some may have left since they were counted */
	if (b->most_ + 1 >= b->need_)
		b->most_ = (unsigned int)kc_waitq_length(&b->queue_);
	if (b->most_ + 1 < b->need_) {
		b->most_++;
		return kc_waitq_sleep(&b->queue_, deadline, "barrier", b, NULL, NULL);
	}
	b->most_ = 0;
	while (kc_waitq_wake(&b->queue_, 0))
		;
	return 1;
}

int kc_barrier_wait(struct kc_barrier *b)
{
	return kc_barrier_wait_until(b, KC_FOREVER);
}

int kc_barrier_destroy(struct kc_barrier *b)
{
	if (!b)
		return -EINVAL;
	return b->queue_.first ? -EBUSY : 0;
}

/* ---- event ---- */

void kc_event_init(struct kc_event *e)
{
	*e = (struct kc_event)KC_EVENT_INIT;
}

int kc_event_set(struct kc_event *e)
{
	if (!e)
		return -EINVAL;
	e->set_ = 1;
	while (kc_waitq_wake(&e->queue_, 0))
		;
	return 0;
}

int kc_event_clear(struct kc_event *e)
{
	if (!e)
		return -EINVAL;
	e->set_ = 0;
	return 0;
}

int kc_event_is_set(const struct kc_event *e)
{
	return e && e->set_;
}

int kc_event_wait_until(struct kc_event *e, kc_time_t deadline)
{
	int err = kc_try_event_wait(e);

	if (err != -EAGAIN)
		return err;
	return kc_waitq_sleep(&e->queue_, deadline, "event", e, NULL, NULL);
}

int kc_event_wait(struct kc_event *e)
{
	return kc_event_wait_until(e, KC_FOREVER);
}

int kc_try_event_wait(struct kc_event *e)
{
	if (!e)
		return -EINVAL;
	return e->set_ ? 0 : -EAGAIN;
}

int kc_event_destroy(struct kc_event *e)
{
	if (!e)
		return -EINVAL;
	return e->queue_.first ? -EBUSY : 0;
}
