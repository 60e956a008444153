/* SPDX-License-Identifier: MIT */
/* wait.h - the one way to wait; kcoro/inline-wait.h tells how it works. */
#ifndef KC_INTERNAL_WAIT_H
#define KC_INTERNAL_WAIT_H

#include <internal/coro.h>
#include <kcoro/inline-wait.h>

/** kc_wait_expire - as kc_wait_end() without a source, before all others that are ready */
void kc_wait_expire(struct kc_wait *w, int result);

static inline unsigned long kc_waitq_length(const struct kc_waitq *q)
{
	unsigned long count = 0;

	for (const struct kc_node *n = q->first; n; n = n->next)
		count++;
	return count;
}

#endif /* KC_INTERNAL_WAIT_H */
