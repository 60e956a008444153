/* SPDX-License-Identifier: MIT */
/*
 * coro.h - the coroutine object and the thread it belongs to, as the library sees them.
 *
 * The object sits at the top of the coroutine's own stack memory, so that a parked
 * coroutine touches one page:
 *
 *   base [ guard | ... stack grows down <- | struct kcoro | colour ] base + size
 */
#ifndef KC_INTERNAL_CORO_H
#define KC_INTERNAL_CORO_H

#ifdef CONFIG_SMP
#include <pthread.h>
#endif

#include <kcoro/kcoro.h>
#include <kcoro/inline.h>
#include <internal/atomic.h>
#include <internal/compiler.h>
#include <internal/panic.h>
#include <internal/sanitize.h>
#include <internal/stack.h>

/* control blocks do not share a cache line with the first frames */
#define KC_CO_ALIGN	64

/* the state of a control block at rest */
#define KC_ST_FREED	(KC_ST_QUEUED + 1)

/* flags */
#define KC_CO_MAIN	1u	/* a thread's own; no stack of ours */
#define KC_CO_FOREIGN	2u	/* memory of the caller, see kcoro_create_on() */
#define KC_CO_SCHEDULED	4u	/* a scheduler runs it, rather than whoever resumes it */

#ifdef CONFIG_RUNTIME
/**
 * struct kc_task - what is known of a coroutine of the runtime, also after its end
 * @co: the coroutine, NULL once it has ended
 * @value: what it returned
 * @joiner: who waits for the end
 * @joinable: the record was allocated, and goes with kc_join() or kc_task_detach()
 */
struct kc_task {
	struct kcoro *co;
	void *value;
	struct kc_waitq joiner;
	bool joinable;
};

/**
 * struct kc_share - the runtime's part of a coroutine. Owner: its thread.
 * @usual_size: its stack is of the default size
 * @nkey: of its values, those below this one are set
 * @start: body
 * @task: its record: one that outlives it, or its rare.own, or NULL
 * @prev: all coroutines of the runtime, oldest first
 * @next: the same, the other way
 * @later: one that was started a little later and may be gone: to be prefetched, no more
 * @born: when it was started, by the clock of the last poll
 * @defers: handlers for its end, last one first
 * @user: kc_set_user()
 */
struct kc_share {
	bool usual_size;
	unsigned int nkey;
	kc_fn start;
	struct kc_task *task;
	struct kcoro *prev, *next, *later;
	kc_time_t born;
	struct kc_defer *defers;
	void *user;
};

/**
 * struct kc_rare - what most coroutines never touch. Owner: the thread.
 * @own: record of one that nobody can join, filled in when it is asked for
 * @key: values
 */
struct kc_rare {
	struct kc_task own;
#if CONFIG_KEYS > 0
	void *key[CONFIG_KEYS];
#endif
};
#endif

/**
 * struct kcoro - a coroutine
 * @head: what the inline switch knows
 * @fn: body
 * @arg: its argument
 * @id: never 0, never reused
 * @refs: references; atomic under SMP. A coroutine that runs or waits in a resume is held
 *	by its state as well: the drain passes over it.
 * @flags: KC_CO_*; constant from the start of a coroutine to its end; of a thread's own
 *	coroutine, SCHEDULED as long as the thread has a runtime
 * @next: link of the retire queue. Owner: the queue.
 * @stack: its memory
 * @san: sanitizers' share
 * @rt: the runtime's share
 * @name: zero-terminated; its first byte is all that most write
 * @rare: the runtime's share, the cold part
 */
struct kcoro {
	struct kcoro_head head;
	kcoro_fn fn;
	void *arg;
	uint64_t id;
	uint32_t refs;
	uint32_t flags;
	struct kcoro *next;
	struct kc_stack stack;
	struct kc_san san;
#ifdef CONFIG_RUNTIME
	struct kc_share rt;
#endif
#if CONFIG_NAME_LEN > 0
	char name[CONFIG_NAME_LEN];
#endif
#ifdef CONFIG_RUNTIME
	struct kc_rare rare;
#endif
};

_Static_assert(offsetof(struct kcoro, head) == 0, "the inline switch casts");

/* retire queue: any thread pushes under SMP, the owner takes all */
struct kc_retire {
	struct kcoro *head;	/* atomic under SMP */
	uint32_t count;		/* atomic under SMP; a hint for batching */
};

/**
 * struct kc_thread - what the library keeps per OS thread
 * @urgent: the last that this look at the clock has put before the others
 * @rt: its runtime, NULL if it has none
 * @hooked: switches are to be announced
 * @main: the thread's own stack as a coroutine
 * @pool: stacks. Owner: the thread; after its end whoever holds @lock.
 * @retire: coroutines nobody refers to
 * @live: coroutines not yet released. Owner as @pool.
 * @next_id: last id given out. Owner: the thread.
 * @altstack: of the fault reporter
 * @gone: the thread has ended; under @lock
 * @lock: SMP only, see core/thread.c
 */
struct kc_thread {
#ifdef CONFIG_RUNTIME
	struct kcoro_head *urgent;
	struct kc_runtime *rt;
	bool hooked;
#endif
	struct kcoro main;
	struct kc_stack_pool pool;
	struct kc_retire retire;
	unsigned long live;
	uint64_t next_id;
	void *altstack;
#ifdef CONFIG_SMP
	bool gone;
	pthread_mutex_t lock;
#endif
};

static inline struct kcoro *kc_me(void)
{
	return (struct kcoro *)kcoro_current_head;
}

static inline struct kc_thread *kc_this_thread(void)
{
	return kcoro_current_head ? kcoro_current_head->thread : NULL;
}

/* On the CPU, about to be, or waiting in a resume for one that is? */
static inline bool kc_is_active(const struct kcoro *co)
{
	uint32_t s = kc_state_get(&co->head);

	return s == KCORO_RUNNING || s == KC_ST_RESUMING || s == KC_ST_QUEUED;
}

#if CONFIG_NAME_LEN > 0
static inline const char *kc_name(const struct kcoro *co)
{
	return co->name;
}

static inline void kc_name_set(struct kcoro *co, const char *name)
{
	size_t n = 0;

	for (; name && name[n] && n < CONFIG_NAME_LEN - 1; n++)
		co->name[n] = name[n];
	co->name[n] = '\0';
}
#else
static inline const char *kc_name(const struct kcoro *co)
{
	(void)co;
	return "";
}

static inline void kc_name_set(struct kcoro *co, const char *name)
{
	(void)co, (void)name;
}
#endif

/* kcoro.c */
void kc_free(struct kcoro *co);
struct kcoro *kc_recycle(struct kcoro *co, kcoro_fn fn, void *arg);
void kc_trampoline(void);
void kc_init(struct kcoro *co, struct kc_thread *t, kcoro_fn fn, void *arg);
/* stack/layout.c: where the control block goes, and who is there */
struct kcoro *kc_stack_place(const struct kc_stack *stack, size_t colour);
const struct kcoro *kc_stack_tenant(const struct kc_stack *stack);
/* thread.c */
uint64_t kc_id_block(void);
/* cxx.c: a new coroutine has no exceptions; the thread's are those of the C++ runtime */
#ifdef CONFIG_CXX_EXCEPTIONS
void kc_cxx_attach(void);

static inline void kc_cxx_init(struct kcoro_head *head)
{
	head->cxx = (struct kc_cxx){ .caught = NULL };
}
#else
static inline void kc_cxx_attach(void)
{
}

static inline void kc_cxx_init(struct kcoro_head *head)
{
	(void)head;
}
#endif
/* Nobody schedules a generator, but what it is called by may: it can wait as well. */
#ifdef CONFIG_RUNTIME
static inline void kc_share_init(struct kcoro *co)
{
	co->head.waits = NULL;
	co->head.interrupted = false;
	co->rt.user = NULL;
}
#else
static inline void kc_share_init(struct kcoro *co)
{
	(void)co;
}
#endif
/* around what a thread does to another one's queue; @t may be gone after the unlock */
#ifdef CONFIG_SMP
void kc_thread_lock(struct kc_thread *t);
void kc_thread_unlock(struct kc_thread *t);
#else
static inline void kc_thread_lock(struct kc_thread *t)
{
	(void)t;
}

static inline void kc_thread_unlock(struct kc_thread *t)
{
	(void)t;
}
#endif

#endif /* KC_INTERNAL_CORO_H */
