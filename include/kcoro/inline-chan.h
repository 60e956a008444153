/* SPDX-License-Identifier: MIT */
/*
 * inline-chan.h - send and receive, as inline functions; for the library and for kcoro/inline.h.
 *
 * Who arrives second finishes the operation for both: a sender copies into the memory of a
 * receiver that waits, a receiver takes from a sender that waits, and each wakes the other with
 * its result fixed. So these always hold:
 *
 *   somebody waits to receive  =>  the buffer is empty and nobody else waits to send
 *   somebody waits to send     =>  the buffer is full
 */
#ifndef KCORO_INLINE_CHAN_H
#define KCORO_INLINE_CHAN_H

#include <string.h>

#include <kcoro/chan.h>
#include <kcoro/inline-wait.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct kc_chan - a channel. Owner: the thread of its runtime.
 * @size: bytes of an element
 * @slots: elements @ring has room for
 * @count: elements in it
 * @head: index of the oldest
 * @ring: elements
 * @senders: wait with a pointer to their element
 * @receivers: wait with a pointer to their room, or NULL
 * @closed: nothing more comes in
 * @ptr: elements are pointers that own something
 * @refs: references
 * @sent: elements accepted so far
 * @high_water: largest @count so far
 * @cap: as given at creation
 * @drop: for pointers nobody receives
 */
struct kc_chan {
	size_t size, slots, count, head;
	char *ring;
	struct kc_waitq senders, receivers;
	unsigned char closed, ptr;
	unsigned int refs;
	uint64_t sent;
	size_t high_water, cap;
	void (*drop)(void *ptr);
};

/*
 * The rare parts. Those in which a pointer is dropped do so at the very end: the program's function
 * may use the channel, and give up the last reference to it.
 */
/* send to a channel that never makes senders wait and whose buffer is full; 0 or -ENOMEM */
KC_API int kc_chan_send_full(struct kc_chan *ch, const void *elem);
/* send to @n, who waits for a pointer and does not want it */
KC_API void kc_chan_send_dropped(struct kc_chan *ch, struct kc_node *n, const void *elem);
/* receive a pointer that nobody wants; as kc_try_chan_recv() */
KC_API int kc_chan_recv_dropped(struct kc_chan *ch);

/* may both be of this size? The compiler warns of what it cannot rule out. */
#define KC_CHAN_FITS(to, from, type)				\
	(__builtin_object_size(to, 0) >= sizeof(type) &&	\
	 __builtin_object_size(from, 0) >= sizeof(type))

KC_INLINE void kc_chan_copy(void *to, const void *from, size_t size)
{
	/* a signal may be sent as NULL */
	if (__builtin_constant_p(from == NULL) && from == NULL)
		return;
	/* the usual sizes without a call */
	if (size == sizeof(uint64_t) && KC_CHAN_FITS(to, from, uint64_t))
		memcpy(to, from, sizeof(uint64_t));
	else if (size == sizeof(uint32_t) && KC_CHAN_FITS(to, from, uint32_t))
		memcpy(to, from, sizeof(uint32_t));
	else if (size)
		memcpy(to, from, size);
}

/* to a receiver, who may not want to have it */
KC_INLINE void kc_chan_give(const struct kc_chan *ch, void *to, const void *from)
{
	if (__builtin_expect(to != NULL, 1))
		kc_chan_copy(to, from, ch->size);
}

/* there is room */
KC_INLINE void kc_chan_store(struct kc_chan *ch, const void *elem)
{
	size_t at = ch->head + ch->count;

	if (at >= ch->slots)
		at -= ch->slots;
	kc_chan_copy(ch->ring + at * ch->size, elem, ch->size);
	ch->sent++;
	if (++ch->count > ch->high_water)
		ch->high_water = ch->count;
}

KC_INLINE int kc_chan_try_send_inline(struct kc_chan *ch, const void *elem)
{
	struct kc_node *n;

	if (__builtin_expect(!ch || (!elem && ch->size), 0))
		return -EINVAL;
	if (__builtin_expect(ch->closed, 0))
		return -EPIPE;
	n = ch->receivers.first;
	if (n) {
		if (__builtin_expect(!n->data && ch->drop, 0)) {
			kc_chan_send_dropped(ch, n, elem);
			return 0;
		}
		kc_chan_give(ch, n->data, elem);
		ch->sent++;
		kc_wait_end(n->wait, n, 0);
		return 0;
	}
	if (ch->count == ch->slots)
		return ch->cap >= KC_CHAN_CONFLATED ? kc_chan_send_full(ch, elem) : -EAGAIN;
	kc_chan_store(ch, elem);
	return 0;
}

KC_INLINE int kc_chan_try_recv_inline(struct kc_chan *ch, void *elem)
{
	struct kc_node *n;

	if (__builtin_expect(!ch, 0))
		return -EINVAL;
	if (__builtin_expect(!elem && ch->drop, 0))
		return kc_chan_recv_dropped(ch);
	n = ch->senders.first;
	if (ch->count) {
		kc_chan_give(ch, elem, ch->ring + ch->head * ch->size);
		if (++ch->head == ch->slots)
			ch->head = 0;
		ch->count--;
		if (!n)
			return 0;
		kc_chan_store(ch, n->data);
	} else if (n) {
		kc_chan_give(ch, elem, n->data);
		ch->sent++;
	} else {
		return ch->closed ? -EPIPE : -EAGAIN;
	}
	kc_wait_end(n->wait, n, 0);
	return 0;
}

KC_INLINE int kc_chan_send_until_inline(struct kc_chan *ch, const void *elem, kc_time_t deadline)
{
	int err = kc_chan_try_send_inline(ch, elem);

	if (err != -EAGAIN)
		return err;
	return kc_waitq_sleep(&ch->senders, deadline, "chan send", ch, NULL, (void *)elem);
}

KC_INLINE int kc_chan_recv_until_inline(struct kc_chan *ch, kc_time_t deadline, void *elem)
{
	int err = kc_chan_try_recv_inline(ch, elem);

	if (err != -EAGAIN)
		return err;
	return kc_waitq_sleep(&ch->receivers, deadline, "chan recv", ch, NULL, elem);
}

#ifdef KCORO_INLINE
#define kc_chan_send(ch, elem)	kc_chan_send_until_inline(ch, elem, KC_FOREVER)
#define kc_chan_recv(ch, elem)	kc_chan_recv_until_inline(ch, KC_FOREVER, elem)
#endif

#ifdef __cplusplus
}
#endif

#endif /* KCORO_INLINE_CHAN_H */
