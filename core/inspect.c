// SPDX-License-Identifier: MIT
/* The coroutines of a runtime as seen from outside: lists, hooks, safepoints. */
#include <errno.h>
#include <stdio.h>

#include <internal/runtime.h>
#include <internal/sched.h>

int kc_set_user(kcoro_t *co, void *user)
{
	if (!co || co->head.thread != kc_this_thread() || !co->head.thread->rt)
		return -EINVAL;
	co->rt.user = user;
	return 0;
}

void *kc_user(const kcoro_t *co)
{
	return co && co->head.thread->rt ? co->rt.user : NULL;
}

/* A coroutine may have ended and still be what an object takes for its holder. */
static bool lives(const struct kcoro *co, const struct kcoro **known)
{
	const struct kc_thread *t = kc_this_thread();
	const struct kcoro *c = t->rt->first;

	if (co == *known || co == &t->main)
		return true;
	while (c && c != co)
		c = c->rt.next;
	if (c)
		*known = c;	/* many wait for the same one */
	return c != NULL;
}

static void describe(struct kcoro *co, kc_time_t now, struct kc_info *info,
		     const struct kcoro **known)
{
	const struct kc_wait *w = co->head.waits;

	*info = (struct kc_info){ .co = co, .age = now - co->rt.born };
	kcoro_stack_bounds(co, &info->low, &info->high);
	if (co != kc_me()) {
		info->sp = kc_arch_sp(&co->head.ctx);
		if (!info->sp)
			info->sp = info->low;
		info->regs = &co->head.ctx;
		info->regs_size = sizeof(co->head.ctx);
	}
	if (w) {
		info->waits_on = w->what;
		info->object = w->object;
		if (w->holder && *w->holder && lives(*w->holder, known))
			info->holder = (*w->holder)->id;
	} else if (kc_state_get(&co->head) == KCORO_PARKED) {
		info->waits_on = "unpark";
	}
}

int kc_each(int (*fn)(const struct kc_info *info, void *arg), void *arg)
{
	struct kc_runtime *rt = kc_this_runtime();
	const struct kcoro *known = NULL;
	kc_time_t now;
	struct kc_info info;
	int err;

	if (!rt)
		return -EPERM;
	if (!fn)
		return -EINVAL;
	now = kc_now();
	describe(&kc_this_thread()->main, now, &info, &known);
	err = fn(&info, arg);
	for (struct kcoro *co = rt->first; co && !err; co = co->rt.next) {
		describe(co, now, &info, &known);
		err = fn(&info, arg);
	}
	return err;
}

struct dump {
	void (*write)(void *arg, const char *line);
	void *arg;
	int count;
};

static int dump_one(const struct kc_info *info, void *arg)
{
	struct dump *d = arg;
	char line[256];
	int n;

	n = snprintf(line, sizeof(line), "  %llu '%s' %s, %lld.%03lld s old",
		     (unsigned long long)kcoro_id(info->co), kcoro_name(info->co),
		     kcoro_state_name(kcoro_state(info->co)), (long long)(info->age / KC_SEC),
		     (long long)(info->age / KC_MSEC % 1000));
	if (info->waits_on)
		n += snprintf(line + n, sizeof(line) - (size_t)n, ", waits for %s",
			      info->waits_on);
	if (info->object)
		n += snprintf(line + n, sizeof(line) - (size_t)n, " %p", info->object);
	if (info->holder)
		snprintf(line + n, sizeof(line) - (size_t)n, " held by %llu",
			 (unsigned long long)info->holder);
	d->write(d->arg, line);
	d->count++;
	return 0;
}

int kc_dump(void (*write)(void *arg, const char *line), void *arg)
{
	struct dump d = { .write = write, .arg = arg };
	int err = write ? kc_each(dump_one, &d) : -EINVAL;

	return err ? err : d.count;
}

int kc_set_hooks(const struct kc_hooks *hooks)
{
	struct kc_thread *t = kc_this_thread();

	if (!t || !t->rt)
		return -EPERM;
	t->rt->hooks = hooks ? *hooks : (struct kc_hooks){ .in = NULL };
	t->hooked = hooks != NULL;
	kcoro_runq.budget = hooks || t->rt->safepoint ? 0 : CONFIG_POLL_INTERVAL;
	return 0;
}

void kc_hooks_call(struct kcoro *from, struct kcoro *to)
{
	const struct kc_hooks *h = &from->head.thread->rt->hooks;

	kc_callbacks_begin();
	if (h->out)
		h->out(from, h->arg);
	if (h->in)
		h->in(to, h->arg);
	kc_callbacks_end();
}

int kc_safepoint(void (*fn)(void *arg), void *arg)
{
	struct kc_thread *t = kc_this_thread();

	if (!fn)
		return -EINVAL;
	if (!t || !t->rt)
		return -EPERM;
	if (t->rt->safepoint)
		return -EBUSY;
	t->rt->safepoint = fn;
	t->rt->safepoint_arg = arg;
	kcoro_runq.budget = 0;
	return 0;
}
