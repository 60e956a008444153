// SPDX-License-Identifier: MIT
/*
 * The retire queue. Any thread pushes (SMP), the owner exchanges the whole list for an empty
 * one: an element is never popped while others can see it, so there is no ABA problem.
 *
 * Order: the push is a seq_cst compare-exchange, so what its thread wrote to the coroutine before
 * it gave up its reference is visible to the owner, whose exchange reads from it.
 */
#include <internal/reclaim.h>
#include <internal/runtime.h>

/* returns how many wait, roughly */
static uint32_t push(struct kc_retire *q, struct kcoro *co)
{
	struct kcoro *head;

	do {
		head = kc_read(&q->head);
		co->next = head;
	} while (!kc_cas_ptr((void **)&q->head, head, co));
	return kc_add_return(&q->count, 1);
}

void kc_retire(struct kcoro *co)
{
	struct kc_thread *t = co->head.thread;

	if (t != kc_this_thread()) {
		kc_thread_lock(t);
		push(&t->retire, co);
		kc_thread_unlock(t);
	} else if (push(&t->retire, co) >= CONFIG_RETIRE_BATCH) {
		kc_reclaim(t);
	}
}

int kc_reclaim(struct kc_thread *t)
{
	struct kcoro *co = kc_xchg(&t->retire.head, NULL);
	int freed = 0;

	kc_write(&t->retire.count, 0);
	while (co) {
		struct kcoro *next = co->next;

		/* one that has ended may still stand on its stack, on its way to the next one */
		if (kc_is_active(co) || kc_is_waiting(co) || co == kc_me()) {
			push(&t->retire, co);
		} else {
			kc_free(co);
			freed++;
		}
		co = next;
	}
	return freed;
}
