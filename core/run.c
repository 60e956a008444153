// SPDX-License-Identifier: MIT
/* The runtime of a thread: its begin, its end, and what happens when nobody can go on. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <internal/backend.h>
#include <internal/reclaim.h>
#include <internal/runtime.h>

/* The wheel of timers is too large for thread-local storage; without threads there is one. */
#ifdef CONFIG_THREADS
static struct kc_runtime *runtime_new(void)
{
	return calloc(1, sizeof(struct kc_runtime));
}

static void runtime_free(struct kc_runtime *rt)
{
	free(rt);
}
#else
static struct kc_runtime the_runtime;

static struct kc_runtime *runtime_new(void)
{
	memset(&the_runtime, 0, sizeof(the_runtime));
	return &the_runtime;
}

static void runtime_free(struct kc_runtime *rt)
{
	(void)rt;
}
#endif

int kc_attach_abi(const char *abi_tag)
{
	bool own_main = !kcoro_current();
	struct kcoro *me = kcoro_create_main_abi(abi_tag);
	struct kc_runtime *rt = NULL;
	struct kc_thread *t;
	int err;

	if (!me)
		return -errno;
	t = me->head.thread;
	if (t->rt)
		return -EBUSY;
	if (kc_me() != &t->main)
		return -EPERM;
	rt = runtime_new();
	err = rt ? kc_backend_init(t) : -ENOMEM;
	if (err) {
		if (rt)
			runtime_free(rt);
		if (own_main)
			kcoro_detach();
		return err;
	}
	rt->own_main = own_main;
	rt->random = 2463534242u;
	rt->now = kc_now();
	rt->timers.granule = (uint64_t)rt->now >> KC_WHEEL_GRANULE;
	t->rt = rt;
	kcoro_runq = (struct kc_runq){ .budget = CONFIG_POLL_INTERVAL, .attached = 1 };
	t->urgent = NULL;
	t->hooked = false;
	kc_task_init(me, NULL, NULL);
	me->rt.born = rt->now;
	me->rt.user = NULL;
	me->rt.prev = me->rt.next = NULL;
	kc_clock_hold(1);
	return 0;
}

void kc_runtime_end(struct kc_thread *t)
{
	struct kc_runtime *rt = t->rt;

	if (!rt)
		return;
	kc_timers_clear(&rt->timers);
	if (rt->ended)
		kcoro_put(rt->ended);
	kc_reclaim(t);
	kc_backend_fini(t);
	t->rt = NULL;
	t->main.flags &= ~KC_CO_SCHEDULED;
	kcoro_runq = (struct kc_runq){ .attached = 0 };
	kc_clock_hold(-1);
	runtime_free(rt);
}

int kc_detach(void)
{
	struct kc_thread *t = kc_this_thread();
	struct kc_runtime *rt = kc_this_runtime();
	bool own_main;

	if (!rt || kc_me() != &t->main)
		return -EPERM;
	/* a callback stands on our stack, but we are not running; a handler is */
	if (rt->tasks || rt->ending || !kcoro_runq.attached)
		return -EBUSY;
	rt->ending = true;
	kc_task_cleanup(&t->main);
	rt->ending = false;
	if (rt->tasks)
		return -EBUSY;	/* a handler has started somebody */
	own_main = rt->own_main;
	kc_runtime_end(t);
	if (own_main)
		kcoro_detach();
	return 0;
}

int kc_run_abi(kc_fn fn, void *arg, const char *abi_tag)
{
	struct kc_task first = { .co = NULL };	/* nobody can join it, but we want its value */
	struct kc_runtime *rt;
	int err;

	if (!fn)
		return -EINVAL;
	err = kc_attach_abi(abi_tag);
	if (err)
		return err;
	rt = kc_this_runtime();
	err = kc_go(fn, arg);
	if (!err) {
		first.co = rt->last;
		rt->last->rt.task = &first;
	}
	do {
		/* an interrupt of the thread's own coroutine does not end the others */
		while (rt->tasks && err != -EDEADLK)
			err = kc_waitq_sleep(&rt->idle, KC_FOREVER, "the others", NULL, NULL, NULL);
		kc_tasks_kill(rt);
	} while (kc_detach() == -EBUSY);	/* a destructor has started somebody */
	return err && err != -EINTR ? err : (int)(intptr_t)first.value;
}
