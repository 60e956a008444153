// SPDX-License-Identifier: MIT
/*
 * The OS thread: its main coroutine, ids, and what happens when it ends.
 *
 * Without SMP struct kc_thread is thread-local storage (or, without THREADS, a plain
 * variable): nothing is allocated. Under SMP others may hold references beyond the
 * thread's end, so it lives on the heap until the last coroutine is released. The lock is
 * taken by those who retire from abroad and by the ending thread, never at creation or switch.
 */
#include <errno.h>
#include <stdlib.h>

#include <internal/coro.h>
#include <internal/reclaim.h>
#include <internal/runtime.h>

/* ids: a thread takes them from blocks of 2^32, so that no 64-bit atomic is needed */
static uint32_t next_block;

uint64_t kc_id_block(void)
{
	uint32_t block = IS_ENABLED(CONFIG_THREADS) ?
		__atomic_fetch_add(&next_block, 1, __ATOMIC_RELAXED) : next_block++;

	return (uint64_t)block << 32;
}

static void release_pool(struct kc_thread *t)
{
	kc_stack_trim(&t->pool, 0);
	kc_stackmem_fini(&t->pool);
}

#ifdef CONFIG_SMP

static struct kc_thread *thread_new(void)
{
	struct kc_thread *t = calloc(1, sizeof(*t));

	if (t) {
		pthread_mutex_init(&t->lock, NULL);
		t->next_id = UINT32_MAX;
	}
	return t;
}

/* t->lock is held; releases it, and t with the last coroutine and reference to the main one */
static void thread_drop(struct kc_thread *t)
{
	bool last;

	kc_reclaim(t);
	if (!t->live)
		release_pool(t);
	last = !t->live && kc_read(&t->main.refs) <= 1;
	pthread_mutex_unlock(&t->lock);
	if (last) {
		pthread_mutex_destroy(&t->lock);
		free(t);
	}
}

/*
 * A coroutine keeps t as long as it is not queued. Once it is, anybody may drain it and then
 * free t, so it is queued under the lock, which the last user of t needs as well.
 */
void kc_thread_lock(struct kc_thread *t)
{
	pthread_mutex_lock(&t->lock);
}

void kc_thread_unlock(struct kc_thread *t)
{
	if (t->gone)
		thread_drop(t);
	else
		pthread_mutex_unlock(&t->lock);
}

static void thread_end(struct kc_thread *t)
{
	kc_thread_lock(t);
	t->gone = true;
	kc_thread_unlock(t);
}

#else

static KC_TLS struct kc_thread this_thread = { .next_id = UINT32_MAX };

static struct kc_thread *thread_new(void)
{
	return &this_thread;
}

/* coroutines left alive keep their memory: nobody can say that it is not in use */
static void thread_end(struct kc_thread *t)
{
	kc_reclaim(t);
	if (!t->live)
		release_pool(t);
}

#endif

#ifdef CONFIG_THREADS
#include <pthread.h>

static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static int key_err;

static void leave(struct kc_thread *t);

static void at_thread_exit(void *t)
{
	leave(t);
}

static void make_key(void)
{
	key_err = pthread_key_create(&key, at_thread_exit);
}

static int exit_hook_set(struct kc_thread *t)
{
	pthread_once(&key_once, make_key);
	return key_err ? key_err : pthread_setspecific(key, t);
}
#else
static int exit_hook_set(struct kc_thread *t)
{
	(void)t;
	return 0;
}
#endif

static void leave(struct kc_thread *t)
{
	kc_runtime_end(t);
	kcoro_current_head = NULL;
	kc_report_detach(&t->altstack);
	thread_end(t);
}

kcoro_t *kcoro_create_main_abi(const char *abi_tag)
{
	struct kc_thread *t = kc_this_thread();
	struct kcoro *co;
	int err;

	if (kc_abi_check(abi_tag)) {
		errno = ELIBBAD;
		return NULL;
	}
	if (t)
		return &t->main;
	t = thread_new();
	if (!t) {
		errno = ENOMEM;
		return NULL;
	}
	err = kc_report_attach(&t->altstack);
	if (!err) {
		err = exit_hook_set(t);
		if (err)
			kc_report_detach(&t->altstack);
	}
	if (err) {
		thread_end(t);
		errno = err;
		return NULL;
	}
	co = &t->main;
	kc_init(co, t, NULL, NULL);
	co->flags = KC_CO_MAIN;
	co->head.back = &co->head;
	kc_name_set(co, "main");
	kc_san_main(&co->san);
	kc_cxx_attach();
	kc_state_set(&co->head, KCORO_RUNNING);
	kcoro_current_head = &co->head;
	return co;
}

int kcoro_detach(void)
{
	struct kc_thread *t = kc_this_thread();

	if (!t)
		return -ESRCH;
	if (kc_me() != &t->main)
		return -EPERM;
	kc_reclaim(t);
	if (t->live || kc_is_scheduled(&t->main))
		return -EBUSY;
	exit_hook_set(NULL);
	leave(t);
	return 0;
}
