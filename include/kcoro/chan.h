/* SPDX-License-Identifier: MIT */
/*
 * chan.h - channels: typed queues between coroutines, as in Go.
 *
 * Elements leave in the order in which they were sent; those who wait are served in the order
 * in which they came. The element goes straight into the memory of a receiver that waits.
 */
#ifndef KCORO_CHAN_H
#define KCORO_CHAN_H

#include <stddef.h>
#include <stdint.h>

#include <kcoro/time.h>

#ifdef KC_CONFIG_CHAN
#define KC_CHAN_API KC_API
#else
#define KC_CHAN_API __attribute__((error("needs a build with CONFIG_CHAN")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** struct kc_chan - a channel; opaque and counted */
struct kc_chan;

/* Capacities with a meaning. 0 is a rendezvous: send waits for its receiver. */
#define KC_CHAN_UNLIMITED	SIZE_MAX	/* send never waits; -ENOMEM when it cannot grow */
#define KC_CHAN_CONFLATED	(SIZE_MAX - 1)	/* holds the latest element; send never waits */

/**
 * kc_chan_new - make a channel
 * @elem_size: bytes of an element; 0 for pure signals
 * @capacity: elements it holds, or one of the KC_CHAN_* values
 * Return: the channel with one reference, or NULL with errno EINVAL (sizes too large) or ENOMEM.
 */
KC_CHAN_API struct kc_chan *kc_chan_new(size_t elem_size, size_t capacity);

/**
 * kc_chan_new_ptr - make a channel of pointers that own what they point to
 * @capacity: as for kc_chan_new()
 * @drop: called for pointers nobody received: those in the channel when the last
 *	reference goes, those a conflated channel replaces, and those received into NULL;
 *	may be NULL. It is the last thing that a call does and may use the channel, save for
 *	the pointers that are left with the last reference.
 *
 * A successful send gives the pointee to the channel, a successful receive to the
 * receiver; after an error it stays where it was.
 *
 * Return: as kc_chan_new().
 */
KC_CHAN_API struct kc_chan *kc_chan_new_ptr(size_t capacity, void (*drop)(void *ptr));

/** kc_chan_get - take a reference; returns @ch, which may be NULL */
KC_CHAN_API struct kc_chan *kc_chan_get(struct kc_chan *ch);

/**
 * kc_chan_put - drop a reference
 * @ch: channel or NULL
 *
 * With the last one the channel is closed, those who still wait on it get -EPIPE, and
 * its memory goes when the last of them has left.
 */
KC_CHAN_API void kc_chan_put(struct kc_chan *ch);

/**
 * kc_chan_close - end a channel
 * @ch: channel
 *
 * Those who wait wake: receivers first, then senders, all with -EPIPE. Elements in the
 * channel can still be received.
 *
 * Does not switch. Return: 0; -EINVAL (NULL); -EALREADY (closed before).
 */
KC_CHAN_API int kc_chan_close(struct kc_chan *ch);

/**
 * kc_chan_send_until - send an element
 * @ch: channel
 * @elem: copied; may be NULL if the element size is 0
 * @deadline: when to give up
 *
 * Waits while the channel is full, or for a receiver if its capacity is 0.
 *
 * Return: 0; -EPIPE (closed); -EINVAL (NULL); -ENOMEM (unlimited channels); -ETIMEDOUT;
 * -EINTR; -EPERM when it would have to wait outside a runtime. After an error nobody
 * receives the element.
 */
KC_CHAN_API int kc_chan_send_until(struct kc_chan *ch, const void *elem, kc_time_t deadline);

/** kc_chan_send - kc_chan_send_until() without a deadline */
KC_CHAN_API int kc_chan_send(struct kc_chan *ch, const void *elem);

/** kc_try_chan_send - as kc_chan_send(), but -EAGAIN where that would wait */
KC_CHAN_API int kc_try_chan_send(struct kc_chan *ch, const void *elem);

/**
 * kc_chan_recv_until - receive an element
 * @ch: channel
 * @deadline: when to give up
 * @elem: gets the element; unchanged after an error; NULL drops it (pointers go to @drop)
 *
 * Waits while the channel is empty.
 *
 * Return: 0; -EPIPE (closed and empty); -EINVAL (NULL); -ETIMEDOUT; -EINTR; -EPERM.
 */
KC_CHAN_API int kc_chan_recv_until(struct kc_chan *ch, kc_time_t deadline, void *elem);

/** kc_chan_recv - kc_chan_recv_until() without a deadline */
KC_CHAN_API int kc_chan_recv(struct kc_chan *ch, void *elem);

/** kc_try_chan_recv - as kc_chan_recv(), but -EAGAIN where that would wait */
KC_CHAN_API int kc_try_chan_recv(struct kc_chan *ch, void *elem);

/** kc_chan_send_ptr - send a pointer; errors as kc_chan_send(), -EINVAL on other channels */
KC_CHAN_API int kc_chan_send_ptr(struct kc_chan *ch, void *ptr);

/** kc_chan_recv_ptr - receive a pointer; errors as kc_chan_recv(), -EINVAL on other channels */
KC_CHAN_API int kc_chan_recv_ptr(struct kc_chan *ch, void **ptr);

/** kc_chan_len - elements in the channel */
KC_CHAN_API size_t kc_chan_len(const struct kc_chan *ch);

/** kc_chan_cap - capacity as given to kc_chan_new() */
KC_CHAN_API size_t kc_chan_cap(const struct kc_chan *ch);

/** kc_chan_closed - has it been closed? */
KC_CHAN_API int kc_chan_closed(const struct kc_chan *ch);

/**
 * struct kc_chan_stats - what went through a channel
 * @sent: elements accepted
 * @completed: elements received, dropped or replaced
 * @in_flight: accepted and not completed: @sent - @completed
 * @high_water: most that were ever in flight
 * @senders: coroutines that wait to send
 * @receivers: coroutines that wait to receive
 */
struct kc_chan_stats {
	uint64_t sent, completed;
	size_t in_flight, high_water;
	size_t senders, receivers;
};

/** kc_chan_get_stats - fill @st; all zero if @ch is NULL */
KC_CHAN_API void kc_chan_get_stats(const struct kc_chan *ch, struct kc_chan_stats *st);

#ifdef __cplusplus
}
#endif

#endif /* KCORO_CHAN_H */
