// SPDX-License-Identifier: MIT
/*
 * The coroutine object: its making, its references and its end.
 */
#include <errno.h>
#include <string.h>

#include <internal/arch.h>
#include <internal/coro.h>
#include <internal/reclaim.h>
#include <internal/runtime.h>

size_t kcoro_stack_min(void)
{
	return kc_align_up(sizeof(struct kcoro), KC_CO_ALIGN) + KC_CO_ALIGN + KC_ARCH_STACK_MIN +
	       kc_guard_size();
}

static void *stack_low(const struct kcoro *co)
{
	return co->stack.base + (co->flags & KC_CO_FOREIGN ? 0 : kc_guard_size());
}

static uint64_t next_id(struct kc_thread *t)
{
	if (kc_unlikely(!(uint32_t)++t->next_id))
		t->next_id = kc_id_block() | 1;
	return t->next_id;
}

/*
 * Everything that changes from one coroutine to the next on the same stack; the rest of the
 * control block (retire link, san) is written before it is read.
 */
void kc_init(struct kcoro *co, struct kc_thread *t, kcoro_fn fn, void *arg)
{
	co->head.back = NULL;
	co->head.thread = t;
	co->head.wake = 0;
	co->fn = fn;
	co->arg = arg;
	co->id = next_id(t);
	co->refs = 1;
	kc_name_set(co, NULL);
	kc_cxx_init(&co->head);
	kc_share_init(co);
	kc_state_set(&co->head, KCORO_CREATED);
}

static struct kcoro *start(struct kcoro *co, struct kc_thread *t, kcoro_fn fn, void *arg)
{
	kc_init(co, t, fn, arg);
	kc_stack_paint(stack_low(co), (char *)co, co->flags & KC_CO_FOREIGN);
	kc_san_create(&co->san, stack_low(co), (size_t)((char *)co - (char *)stack_low(co)));
	kc_arch_init(&co->head.ctx, co, kc_trampoline);
	t->live++;
	return co;
}

/* a new coroutine on the stack of one that has ended, whose memory is as it was */
struct kcoro *kc_recycle(struct kcoro *co, kcoro_fn fn, void *arg)
{
	struct kc_thread *t = co->head.thread;

	kc_san_destroy(&co->san);
	t->live--;
	return start(co, t, fn, arg);
}

static struct kcoro *fail(int err)
{
	errno = err;
	return NULL;
}

kcoro_t *kcoro_create(kcoro_fn fn, void *arg, size_t size)
{
	struct kc_thread *t = kc_this_thread();
	struct kc_stack stack;
	struct kcoro *co;
	int err;

	if (!t)
		return fail(EPERM);
	if (!size)
		size = CONFIG_STACK_DEFAULT_SIZE;
	if (!fn || size < kcoro_stack_min())
		return fail(EINVAL);
	size = kc_stackmem_round(size);
	if (!size)
		return fail(EINVAL);
	if (kc_reclaim_pending(t))
		kc_reclaim(t);
	err = kc_stack_get(&t->pool, size, &stack);
	if (err)
		return fail(-err);
	co = kc_stack_place(&stack, kc_stack_colour(&stack));
	co->stack = stack;
	co->flags = 0;
	return start(co, t, fn, arg);
}

kcoro_t *kcoro_create_on(kcoro_fn fn, void *arg, void *mem, size_t size)
{
	struct kc_stack stack = { .base = mem, .size = size };
	struct kc_thread *t = kc_this_thread();
	struct kcoro *co;

	if (!t)
		return fail(EPERM);
	if (!fn || !mem || size < kcoro_stack_min() - kc_guard_size() ||
	    size > UINTPTR_MAX - (uintptr_t)mem)
		return fail(EINVAL);
	if (kc_reclaim_pending(t))
		kc_reclaim(t);
	co = kc_stack_place(&stack, 0);
	co->stack = stack;
	co->flags = KC_CO_FOREIGN;
	return start(co, t, fn, arg);
}

/* Nobody refers to @co and nobody stands on it. */
void kc_free(struct kcoro *co)
{
	struct kc_thread *t = co->head.thread;
	struct kc_stack stack = co->stack;

	KC_CHECK(co->refs == 0, "coroutine freed twice or while referenced", co);
	kc_san_destroy(&co->san);
	t->live--;
	kc_state_set(&co->head, KC_ST_FREED);
	if (!(co->flags & KC_CO_FOREIGN))
		kc_stack_put(&t->pool, &stack, co);
}

int kcoro_destroy(kcoro_t *co)
{
	if (!co)
		return -EINVAL;
	KC_CHECK(kc_state_get(&co->head) != KC_ST_FREED, "coroutine destroyed twice", co);
	if (co->flags & KC_CO_MAIN || co->head.thread != kc_this_thread())
		return -EPERM;
	if (kc_is_active(co) || kc_is_waiting(co) ||
	    (kc_is_scheduled(co) && kc_state_get(&co->head) != KCORO_FINISHED) ||
	    !kc_cas(&co->refs, 1, 0))
		return -EBUSY;
	kc_free(co);
	return 0;
}

kcoro_t *kcoro_get(kcoro_t *co)
{
	uint32_t refs;

	do {
		refs = kc_read(&co->refs);
		if (!refs)
			return NULL;
	} while (!kc_cas(&co->refs, refs, refs + 1));
	return co;
}

/* Drops a reference unless that would leave fewer than @least; tells how many there were. */
static uint32_t drop(struct kcoro *co, uint32_t least)
{
	uint32_t refs;

	do {
		refs = kc_read(&co->refs);
		if (refs <= least) {
			KC_CHECK(false, "reference count below zero", co);
			return 0;
		}
	} while (!kc_cas(&co->refs, refs, refs - 1));
	return refs;
}

/* A main coroutine is part of its thread's structure, which may go with this reference. */
static void put_main(struct kcoro *co)
{
	struct kc_thread *t = co->head.thread;

	kc_thread_lock(t);
	drop(co, 1);
	kc_thread_unlock(t);
}

void kcoro_put(kcoro_t *co)
{
	if (!co)
		return;
	if (co->flags & KC_CO_MAIN)
		put_main(co);
	else if (drop(co, 0) == 1)
		kc_retire(co);
}

int kcoro_reclaim(void)
{
	struct kc_thread *t = kc_this_thread();

	return t ? kc_reclaim(t) : -EPERM;
}

/* The C end of kc_arch_entry: runs on the new stack, never returns. */
void kc_trampoline(void)
{
	struct kcoro *co;

	/* a frame pointer here, whatever the options: profilers follow it to the entry's zero */
	__asm__ volatile("" : : "r"(__builtin_frame_address(0)));
	kc_san_enter();
	co = kc_me();
	co->fn(co->arg);
	KC_CHECK(co == kc_me(), "coroutine finished on a foreign stack", co);
	/* others' memory may go now; ours is passed over as long as we are RUNNING */
	if (kc_reclaim_pending(co->head.thread))
		kc_reclaim(co->head.thread);
	kc_state_set(&co->head, KCORO_FINISHED);
	kc_step(&co->head, co->head.back);
	kc_panic("finished coroutine resumed", co);
}

/* ---- looking at it ---- */

enum kcoro_state kcoro_state(const kcoro_t *co)
{
	uint32_t s = kc_read_acquire(&co->head.state);	/* pairs with kcoro_unpark() */

	if (s == KC_ST_QUEUED)
		return KCORO_READY;
	return s == KC_ST_RESUMING ? KCORO_SUSPENDED : (enum kcoro_state)s;
}

const char *kcoro_state_name(enum kcoro_state state)
{
	static const char names[][10] = {
		[KCORO_CREATED] = "CREATED",	 [KCORO_SUSPENDED] = "SUSPENDED",
		[KCORO_READY] = "READY",	 [KCORO_RUNNING] = "RUNNING",
		[KCORO_PARKED] = "PARKED",	 [KCORO_FINISHED] = "FINISHED",
	};

	return (unsigned int)state <= KCORO_FINISHED ? names[state] : "?";
}

const char *kcoro_name(const kcoro_t *co)
{
	return kc_name(co);
}

void kcoro_set_name(kcoro_t *co, const char *name)
{
	kc_name_set(co, name);
}

uint64_t kcoro_id(const kcoro_t *co)
{
	return co->id;
}

int kcoro_stack_bounds(const kcoro_t *co, void **low, void **high)
{
	if (!co)
		return -EINVAL;
	if (co->flags & KC_CO_MAIN)
		return -ENOENT;
	if (low)
		*low = stack_low(co);
	if (high)
		*high = (void *)co;
	return 0;
}

size_t kcoro_stack_room(void)
{
	struct kcoro *co = kc_me();
	char *here = __builtin_frame_address(0);

	if (!co || co->flags & KC_CO_MAIN || here < co->stack.base || here >= (char *)co)
		return SIZE_MAX;
	return (size_t)(here - (char *)stack_low(co));
}

int kcoro_stack_trim(unsigned int keep)
{
	struct kc_thread *t = kc_this_thread();

	return t ? kc_stack_trim(&t->pool, keep) : -EPERM;
}

void kcoro_get_stats(struct kcoro_stats *st)
{
	struct kc_thread *t = kc_this_thread();

	memset(st, 0, sizeof(*st));
	if (!t)
		return;
	st->live = t->live;
	st->cached = t->pool.ncached;
	st->retired = kc_read(&t->retire.count);
}

const char *kcoro_stack_guard(void)
{
	return kc_guard_name();
}
