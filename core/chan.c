// SPDX-License-Identifier: MIT
/*
 * Channels.
 *
 * Who arrives second finishes the operation for both: a sender copies into the memory of a
 * receiver that waits, a receiver takes from a sender that waits, and each wakes the other with
 * its result fixed. So these always hold:
 *
 *   somebody waits to receive  =>  the buffer is empty and nobody else waits to send
 *   somebody waits to send     =>  the buffer is full
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <internal/chan.h>

static size_t advance(const struct kc_chan *ch, size_t at, size_t by)
{
	at += by;
	return at >= ch->slots ? at - ch->slots : at;
}

static char *slot(struct kc_chan *ch, size_t i)
{
	return ch->ring + i * ch->size;
}

static void copy(void *to, const void *from, size_t size)
{
	/* the usual sizes without a call */
	if (size == sizeof(uint64_t))
		memcpy(to, from, sizeof(uint64_t));
	else if (size == sizeof(uint32_t))
		memcpy(to, from, sizeof(uint32_t));
	else if (size)
		memcpy(to, from, size);
}

/* an element leaves the channel for @to, or for nobody */
static void deliver(const struct kc_chan *ch, void *to, const void *from)
{
	if (to)
		copy(to, from, ch->size);
	else if (ch->drop)
		ch->drop(*(void *const *)from);
}

static void store(struct kc_chan *ch, const void *elem)
{
	copy(slot(ch, advance(ch, ch->head, ch->count)), elem, ch->size);
	ch->count++;
	ch->sent++;
	if (ch->count > ch->high_water)
		ch->high_water = ch->count;
}

/* an unlimited channel's buffer is full */
static int grow(struct kc_chan *ch)
{
	size_t slots = ch->slots ? ch->slots * 2 : 16, tail;
	char *ring;

	if (slots > SIZE_MAX / 2 / (ch->size ? ch->size : 1))
		return -ENOMEM;
	ring = malloc(slots * ch->size + 1);
	if (!ring)
		return -ENOMEM;
	tail = ch->slots - ch->head;
	if (ch->slots) {
		memcpy(ring, slot(ch, ch->head), tail * ch->size);
		memcpy(ring + tail * ch->size, ch->ring, ch->head * ch->size);
	}
	if (ch->ring != ch->inplace)
		free(ch->ring);
	ch->ring = ring;
	ch->head = 0;
	ch->slots = slots;
	return 0;
}

/*
 * What follows is flat: one frame between a switch and the program. What is rare is not.
 */
#define FLAT	static inline __attribute__((always_inline))
#define RARE	__attribute__((noinline, cold))

/* the buffer of a channel that never makes senders wait is full */
RARE static int make_room(struct kc_chan *ch)
{
	if (ch->cap == KC_CHAN_UNLIMITED)
		return grow(ch);
	deliver(ch, NULL, slot(ch, ch->head));
	ch->count = 0;
	return 0;
}

FLAT int try_send(struct kc_chan *ch, const void *elem)
{
	struct kc_node *n = ch->receivers.first;

	if (kc_unlikely(ch->closed))
		return -EPIPE;
	if (n) {
		deliver(ch, n->data, elem);
		ch->sent++;
		kc_wait_end(n->wait, n, 0);
		return 0;
	}
	if (ch->count == ch->slots) {
		int err = ch->cap >= KC_CHAN_CONFLATED ? make_room(ch) : -EAGAIN;

		if (err)
			return err;
	}
	store(ch, elem);
	return 0;
}

FLAT int try_recv(struct kc_chan *ch, void *elem)
{
	struct kc_node *n = ch->senders.first;

	if (ch->count) {
		deliver(ch, elem, slot(ch, ch->head));
		ch->head = advance(ch, ch->head, 1);
		ch->count--;
		if (n)
			store(ch, n->data);
	} else if (n) {
		deliver(ch, elem, n->data);
		ch->sent++;
	} else {
		return ch->closed ? -EPIPE : -EAGAIN;
	}
	if (n)
		kc_wait_end(n->wait, n, 0);
	return 0;
}

FLAT int send(struct kc_chan *ch, const void *elem, kc_time_t deadline)
{
	int err;

	if (kc_unlikely(!ch || (!elem && ch->size)))
		return -EINVAL;
	err = try_send(ch, elem);
	if (kc_likely(err != -EAGAIN))
		return err;
	return kc_waitq_sleep(&ch->senders, deadline, "chan send", ch, NULL, (void *)elem);
}

FLAT int recv(struct kc_chan *ch, void *elem, kc_time_t deadline)
{
	int err;

	if (kc_unlikely(!ch))
		return -EINVAL;
	err = try_recv(ch, elem);
	if (kc_likely(err != -EAGAIN))
		return err;
	return kc_waitq_sleep(&ch->receivers, deadline, "chan recv", ch, NULL, elem);
}

int kc_chan_send(struct kc_chan *ch, const void *elem)
{
	return send(ch, elem, KC_FOREVER);
}

int kc_chan_send_until(struct kc_chan *ch, const void *elem, kc_time_t deadline)
{
	return send(ch, elem, deadline);
}

int kc_try_chan_send(struct kc_chan *ch, const void *elem)
{
	if (!ch || (!elem && ch->size))
		return -EINVAL;
	return try_send(ch, elem);
}

int kc_chan_recv(struct kc_chan *ch, void *elem)
{
	return recv(ch, elem, KC_FOREVER);
}

int kc_chan_recv_until(struct kc_chan *ch, kc_time_t deadline, void *elem)
{
	return recv(ch, elem, deadline);
}

int kc_try_chan_recv(struct kc_chan *ch, void *elem)
{
	return ch ? try_recv(ch, elem) : -EINVAL;
}

int kc_chan_send_ptr(struct kc_chan *ch, void *ptr)
{
	return ch && ch->ptr ? kc_chan_send(ch, &ptr) : -EINVAL;
}

int kc_chan_recv_ptr(struct kc_chan *ch, void **ptr)
{
	return ch && ch->ptr ? kc_chan_recv(ch, ptr) : -EINVAL;
}

/* ---- life ---- */

static struct kc_chan *make(size_t size, size_t cap)
{
	size_t slots = cap == KC_CHAN_UNLIMITED ? 0 : cap == KC_CHAN_CONFLATED ? 1 : cap;
	struct kc_chan *ch;

	if (slots > (SIZE_MAX / 2 - sizeof(*ch)) / (size ? size : 1)) {
		errno = EINVAL;
		return NULL;
	}
	ch = malloc(sizeof(*ch) + slots * size);
	if (!ch) {
		errno = ENOMEM;
		return NULL;
	}
	*ch = (struct kc_chan){ .refs = 1, .size = size, .cap = cap, .slots = slots };
	ch->ring = ch->inplace;
	return ch;
}

struct kc_chan *kc_chan_new(size_t elem_size, size_t capacity)
{
	return make(elem_size, capacity);
}

struct kc_chan *kc_chan_new_ptr(size_t capacity, void (*drop)(void *ptr))
{
	struct kc_chan *ch = make(sizeof(void *), capacity);

	if (ch) {
		ch->ptr = true;
		ch->drop = drop;
	}
	return ch;
}

struct kc_chan *kc_chan_get(struct kc_chan *ch)
{
	ch->refs++;
	return ch;
}

int kc_chan_close(struct kc_chan *ch)
{
	if (!ch)
		return -EINVAL;
	if (ch->closed)
		return -EALREADY;
	ch->closed = true;
	while (kc_waitq_wake(&ch->receivers, -EPIPE))
		;
	while (kc_waitq_wake(&ch->senders, -EPIPE))
		;
	return 0;
}

/* Those that are woken have nothing to do with the channel any more: it can go at once. */
void kc_chan_put(struct kc_chan *ch)
{
	if (!ch || --ch->refs)
		return;
	kc_chan_close(ch);
	while (ch->drop && !kc_try_chan_recv(ch, NULL))
		;
	if (ch->ring != ch->inplace)
		free(ch->ring);
	free(ch);
}

/* ---- looking at it ---- */

size_t kc_chan_len(const struct kc_chan *ch)
{
	return ch ? ch->count : 0;
}

size_t kc_chan_cap(const struct kc_chan *ch)
{
	return ch ? ch->cap : 0;
}

int kc_chan_closed(const struct kc_chan *ch)
{
	return ch && ch->closed;
}

void kc_chan_get_stats(const struct kc_chan *ch, struct kc_chan_stats *st)
{
	*st = (struct kc_chan_stats){
		.sent = ch->sent,
		.completed = ch->sent - ch->count,
		.in_flight = ch->count,
		.high_water = ch->high_water,
		.senders = kc_waitq_length(&ch->senders),
		.receivers = kc_waitq_length(&ch->receivers),
	};
}
