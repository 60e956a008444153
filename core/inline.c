// SPDX-License-Identifier: MIT
/*
 * One copy of the switch and of each inline function, for builds in which the compiler does not
 * inline them all.
 */
#include <internal/coro.h>

#ifndef CONFIG_SWITCH_HOOKS
void kcoro_switch_call(struct kcoro_head *from, struct kcoro_head *to)
{
	kc_arch_switch(&from->ctx, &to->ctx);
}
#endif

#ifdef CONFIG_CXX_EXCEPTIONS
extern void kc_cxx_switch(struct kcoro_head *from, const struct kcoro_head *to);
#endif
extern void kc_step(struct kcoro_head *from, struct kcoro_head *to);
extern int kc_may_run(const struct kcoro_head *me, const struct kcoro_head *to);
extern int kcoro_resume_inline(kcoro_t *co);
extern int kcoro_yield_inline(void);
extern int kcoro_yield_to_inline(kcoro_t *co);
extern kcoro_t *kcoro_current_inline(void);
#ifdef CONFIG_RUNTIME
extern void kc_ready_inline(struct kcoro_head *co);
extern void kc_away_inline(struct kcoro_head *me);
extern int kc_yield_inline(void);
#endif

#ifdef CONFIG_RUNTIME
#include <kcoro/inline-wait.h>

extern void kc_waitq_append(struct kc_waitq *q, struct kc_node *n);
extern void kc_waitq_remove(struct kc_node *n);
extern int kc_wait_begin(struct kc_wait *w, kc_time_t deadline, const char *what,
	const void *object);
extern void kc_wait_on(struct kc_wait *w, struct kc_node *n, struct kc_waitq *q, void *data);
extern int kc_wait_sleep(struct kc_wait *w, kc_time_t deadline);
extern void kc_wait_end(struct kc_wait *w, struct kc_node *fired, int result);
extern int kc_waitq_wake(struct kc_waitq *q, int result);
extern int kc_waitq_sleep(struct kc_waitq *q, kc_time_t deadline, const char *what,
	const void *object, kcoro_t *const *holder, void *data);
#endif

#ifdef CONFIG_CHAN
#include <kcoro/inline-chan.h>

extern void kc_chan_copy(void *to, const void *from, size_t size);
extern void kc_chan_give(const struct kc_chan *ch, void *to, const void *from);
extern void kc_chan_store(struct kc_chan *ch, const void *elem);
extern int kc_chan_try_send_inline(struct kc_chan *ch, const void *elem);
extern int kc_chan_try_recv_inline(struct kc_chan *ch, void *elem);
extern int kc_chan_send_until_inline(struct kc_chan *ch, const void *elem, kc_time_t deadline);
extern int kc_chan_recv_until_inline(struct kc_chan *ch, kc_time_t deadline, void *elem);
#endif

#ifdef CONFIG_SYNC
#include <kcoro/inline-sync.h>

extern int kc_mutex_lock_until_inline(struct kc_mutex *m, kc_time_t deadline);
extern int kc_mutex_unlock_inline(struct kc_mutex *m);
extern int kc_cond_wait_until_inline(struct kc_cond *c, struct kc_mutex *m, kc_time_t deadline);
extern int kc_cond_signal_inline(struct kc_cond *c);
#endif
