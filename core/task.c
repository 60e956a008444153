// SPDX-License-Identifier: MIT
/* Coroutines of the runtime: how they start, end and are waited for. */
#include <errno.h>
#include <stdlib.h>

#include <internal/reclaim.h>
#include <internal/runtime.h>
#include <internal/sched.h>

#if CONFIG_KEYS > 0
static struct {
	void (*destroy)(void *value);
} keys[CONFIG_KEYS];
static unsigned int nkeys;	/* atomic: threads may take keys at the same time */

int kc_key_new(kc_key_t *key, void (*destroy)(void *value))
{
	unsigned int n = kc_read(&nkeys);

	if (!key)
		return -EINVAL;
	do {
		if (n >= CONFIG_KEYS)
			return -EAGAIN;
	} while (!__atomic_compare_exchange_n(&nkeys, &n, n + 1, false, __ATOMIC_RELAXED,
					      __ATOMIC_RELAXED));
	keys[n].destroy = destroy;
	*key = n;
	return 0;
}

int kc_key_set(kc_key_t key, void *value)
{
	struct kcoro *me = kc_me();

	if (!me || !kc_is_scheduled(me))
		return -EPERM;
	if (key >= kc_read(&nkeys))
		return -EINVAL;
	while (me->rt.nkey <= key)
		me->rare.key[me->rt.nkey++] = NULL;
	me->rare.key[key] = value;
	return 0;
}

void *kc_key_get(kc_key_t key)
{
	struct kcoro *me = kc_me();

	return me && kc_is_scheduled(me) && key < me->rt.nkey ? me->rare.key[key] : NULL;
}

static void keys_destroy(struct kcoro *co)
{
	for (unsigned int i = 0; i < co->rt.nkey; i++) {
		void *value = co->rare.key[i];

		co->rare.key[i] = NULL;
		if (value && keys[i].destroy)
			keys[i].destroy(value);
	}
}
#else
static void keys_destroy(struct kcoro *co)
{
	(void)co;
}
#endif

int kc_defer_push(struct kc_defer *d, void (*fn)(void *arg), void *arg)
{
	struct kcoro *me = kc_me();

	if (!d || !fn)
		return -EINVAL;
	if (!me || !kc_is_scheduled(me))
		return -EPERM;
	*d = (struct kc_defer){ .next_ = me->rt.defers, .fn_ = fn, .arg_ = arg };
	me->rt.defers = d;
	return 0;
}

static bool defer_pop(struct kcoro *co, bool run)
{
	struct kc_defer *d = co->rt.defers;

	if (!d)
		return false;
	co->rt.defers = d->next_;
	if (run)
		d->fn_(d->arg_);
	return true;
}

int kc_defer_pop(int run)
{
	struct kcoro *me = kc_me();

	if (!me || !kc_is_scheduled(me))
		return -EPERM;
	return defer_pop(me, run) ? 0 : -ENOENT;
}

/* ---- the end ---- */

void kc_task_cleanup(struct kcoro *co)
{
	do {
		while (defer_pop(co, true))
			;
		keys_destroy(co);
	} while (co->rt.defers);	/* a destructor may want to hear of the end as well */
}

/* handlers, keys, joiners: what others may see of an end */
static void conclude(struct kcoro *co, void *value)
{
	struct kc_runtime *rt = co->head.thread->rt;
	struct kc_task *task;

	if (kc_unlikely(co->rt.defers || co->rt.nkey))
		kc_task_cleanup(co);
	task = co->rt.task;	/* handlers may have asked for it, or given it up */
	if (task) {
		task->co = NULL;
		task->value = value;
		if (kc_waitq_wake(&task->joiner, 0))
			task->joinable = false;		/* the record is the joiner's now */
	}
	*(co->rt.prev ? &co->rt.prev->rt.next : &rt->first) = co->rt.next;
	*(co->rt.next ? &co->rt.next->rt.prev : &rt->last) = co->rt.prev;
	if (!IS_ENABLED(CONFIG_OPTIMIZE_SIZE) && rt->recent[co->id % KC_RECENT] == co)
		rt->recent[co->id % KC_RECENT] = NULL;
	if (!--rt->tasks)
		kc_waitq_wake(&rt->idle, 0);
}

/* May the next coroutine have @co's stack? Nobody else knows of it, and it is of the usual kind. */
static bool recyclable(const struct kcoro *co)
{
	return IS_ENABLED(CONFIG_STACK_CACHED) && !(co->flags & KC_CO_FOREIGN) &&
	       co->rt.usual_size && kc_read(&co->refs) == 1;
}

static void finish(struct kcoro *co, void *value)
{
	struct kc_runtime *rt = co->head.thread->rt;

	if (co->rt.later)
		kc_prefetch(co->rt.later, 3);
	conclude(co, value);
	/* we stand on it, but whoever comes next does so after we have left */
	if (kc_likely(!rt->ended && recyclable(co)))
		rt->ended = co;
	else
		kcoro_put(co);	/* the drain passes over us while we are RUNNING */
	kc_state_set(&co->head, KCORO_FINISHED);
	kc_sched_away(co);
	kc_panic("finished coroutine resumed", co);
}

void kc_exit(void *value)
{
	struct kcoro *me = kc_me();

	if (me && kc_may_switch(me) && !(me->flags & KC_CO_MAIN))
		finish(me, value);
}

/* It waits for nothing any more, and nobody can wake it; its handlers find it running. */
static void still(struct kcoro *co)
{
	if (co->head.waits)
		kc_wait_unlink(co->head.waits);
	co->head.waits = NULL;
	if (kc_state_get(&co->head) == KC_ST_QUEUED)
		kc_sched_remove(co);
	co->head.wake = 0;
	kc_state_set(&co->head, KCORO_RUNNING);
}

void kc_tasks_kill(struct kc_runtime *rt)
{
	struct kcoro *co, *dead = NULL;

	/* all of them at first: a record goes to no joiner that is to end as well */
	for (co = rt->first; co; co = co->rt.next)
		still(co);
	while ((co = rt->first)) {
		if (kc_state_get(&co->head) != KCORO_RUNNING)
			still(co);	/* a handler has started it */
		conclude(co, NULL);
		co->rt.next = dead;
		dead = co;
	}
	/* handlers may look at others' frames, and one may stand on an older one's stack */
	while ((co = dead)) {
		dead = co->rt.next;
		kc_state_set(&co->head, KCORO_FINISHED);
		kcoro_put(co);
	}
}

/* ---- the start ---- */

static void body(void *arg)
{
	struct kcoro *me = kc_me();

	finish(me, me->rt.start(arg));
}

void kc_task_init(struct kcoro *co, kc_fn fn, struct kc_task *task)
{
	struct kc_share *s = &co->rt;

	co->head.waits = NULL;
	co->head.interrupted = 0;
	s->start = fn;
	s->task = task;
	if (task)
		*task = (struct kc_task){ .co = co, .joinable = true };
	s->defers = NULL;
	s->nkey = 0;
	s->later = NULL;
	co->head.back = &co->head;
	co->flags |= KC_CO_SCHEDULED;
}

static struct kcoro *make(struct kc_runtime *rt, void *arg, const struct kc_spawn_opts *o)
{
	struct kcoro *co;

	if (kc_unlikely(o && o->mem))
		return kcoro_create_on(body, arg, o->mem, o->mem_size);
	/* called back on the way out of one that has ended we stand on it, and may hold it */
	if (kc_likely(rt->ended && rt->ended != kc_me() && (!o || !o->stack_size) &&
		      kc_read(&rt->ended->refs) == 1)) {
		co = rt->ended;
		rt->ended = NULL;
		return kc_recycle(co, body, arg);
	}
	co = kcoro_create(body, arg, o ? o->stack_size : 0);
	if (co)
		co->rt.usual_size = !o || !o->stack_size;
	return co;
}

/* Those that start one after the other end one after the other: each will fetch one of the next. */
static void announce(struct kc_runtime *rt, struct kcoro *co)
{
	struct kcoro **recent = &rt->recent[co->id % KC_RECENT];

	if (IS_ENABLED(CONFIG_OPTIMIZE_SIZE))
		return;
	if (*recent)
		(*recent)->rt.later = co;
	*recent = co;
}

static int start(kc_fn fn, void *arg, const struct kc_spawn_opts *o, struct kc_task *task)
{
	struct kc_runtime *rt = kc_this_runtime();
	struct kcoro *co;

	if (!rt)
		return -EPERM;
	if (!fn)
		return -EINVAL;
	co = make(rt, arg, o);
	if (!co)
		return -errno;
	if (o && o->name)
		kc_name_set(co, o->name);
	kc_task_init(co, fn, task);
	co->rt.born = rt->now;
	co->rt.next = NULL;
	co->rt.prev = rt->last;
	*(rt->last ? &rt->last->rt.next : &rt->first) = co;
	rt->last = co;
	rt->tasks++;
	announce(rt, co);
	kc_sched_ready(co);
	return 0;
}

int kc_go(kc_fn fn, void *arg)
{
	return start(fn, arg, NULL, NULL);
}

struct kc_task *kc_spawn(kc_fn fn, void *arg, const struct kc_spawn_opts *opts)
{
	struct kc_task *task = malloc(sizeof(*task));
	int err = task ? start(fn, arg, opts, task) : -ENOMEM;

	if (!err)
		return task;
	free(task);
	errno = -err;
	return NULL;
}

/* ---- the others ---- */

int kc_join_until(struct kc_task *task, kc_time_t deadline, void **value)
{
	struct kc_thread *t;

	if (!task || !task->joinable)
		return -EINVAL;
	if (task->co) {
		int err;

		if (task->co == kc_me())
			return -EDEADLK;
		if (task->joiner.first)
			return -EINVAL;
		err = kc_waitq_sleep(&task->joiner, deadline, "join", task, &task->co, NULL);
		if (err)
			return err;
	}
	/* memory of the caller is the caller's again */
	t = kc_this_thread();
	if (t && kc_reclaim_pending(t))
		kc_reclaim(t);
	if (value)
		*value = task->value;
	free(task);
	return 0;
}

int kc_join(struct kc_task *task, void **value)
{
	return kc_join_until(task, KC_FOREVER, value);
}

int kc_try_join(struct kc_task *task, void **value)
{
	if (task && task->joinable && task->co && task->co != kc_me() && !task->joiner.first)
		return -EAGAIN;
	return kc_join_until(task, KC_FOREVER, value);
}

int kc_task_detach(struct kc_task *task)
{
	struct kcoro *co;

	if (!task || !task->joinable)
		return -EINVAL;
	if (task->joiner.first)
		return -EBUSY;
	co = task->co;
	if (co)
		co->rt.task = NULL;
	free(task);
	return 0;
}

struct kc_task *kc_self(void)
{
	struct kcoro *me = kc_me();

	if (!me || !kc_is_scheduled(me))
		return NULL;
	if (!me->rt.task) {
		me->rare.own = (struct kc_task){ .co = me };
		me->rt.task = &me->rare.own;
	}
	return me->rt.task;
}

kcoro_t *kc_task_coro(const struct kc_task *task)
{
	return task ? task->co : NULL;
}

int kc_interrupt(struct kc_task *task)
{
	struct kcoro *co = task ? task->co : NULL;

	if (!co)
		return task ? -ESRCH : -EINVAL;
	if (co->head.waits)
		kc_wait_end(co->head.waits, NULL, -EINTR);
	else
		co->head.interrupted = 1;
	return 0;
}

int kc_sleep_until(kc_time_t deadline)
{
	struct kc_wait w;
	int err = kc_wait_begin(&w, deadline, "sleep", NULL);

	if (err == -ETIMEDOUT)
		return kc_yield();
	if (err)
		return err;
	err = kc_wait_sleep(&w, deadline);
	return err == -ETIMEDOUT ? 0 : err;
}

int kc_sleep(kc_time_t span)
{
	return kc_sleep_until(kc_after(span));
}
