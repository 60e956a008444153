/* SPDX-License-Identifier: MIT */
/* chan.h - a channel as send, receive and select see it. */
#ifndef KC_INTERNAL_CHAN_H
#define KC_INTERNAL_CHAN_H

#include <internal/wait.h>
#include <kcoro/chan.h>

/**
 * struct kc_chan - a channel. Owner: the thread of its runtime.
 * @refs: references
 * @closed: nothing more comes in
 * @ptr: elements are pointers that own something
 * @drop: for pointers nobody receives
 * @size: bytes of an element
 * @cap: as given at creation
 * @slots: elements @ring has room for
 * @count: elements in it
 * @head: index of the oldest
 * @sent: elements accepted so far
 * @high_water: largest @count so far
 * @senders: wait with a pointer to their element
 * @receivers: wait with a pointer to their room, or NULL
 * @ring: elements; @inplace, or memory of its own
 */
struct kc_chan {
	unsigned int refs;
	bool closed, ptr;
	void (*drop)(void *ptr);
	size_t size, cap, slots, count, head;
	uint64_t sent;
	size_t high_water;
	struct kc_waitq senders, receivers;
	char *ring;
	_Alignas(max_align_t) char inplace[];
};

#endif /* KC_INTERNAL_CHAN_H */
