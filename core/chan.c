// SPDX-License-Identifier: MIT
/* Channels: what kcoro/inline-chan.h leaves out. */
#include <errno.h>
#include <stdlib.h>

#include <internal/chan.h>

/* behind the channel in the same allocation */
static char *inplace(struct kc_chan *ch)
{
	return (char *)(ch + 1);
}

/* an unlimited channel's buffer is full */
static int grow(struct kc_chan *ch)
{
	size_t slots = ch->slots ? ch->slots * 2 : 16, tail = ch->slots - ch->head;
	char *ring;

	if (slots > SIZE_MAX / 2 / (ch->size ? ch->size : 1))
		return -ENOMEM;
	ring = malloc(slots * ch->size + 1);
	if (!ring)
		return -ENOMEM;
	memcpy(ring, ch->ring + ch->head * ch->size, tail * ch->size);
	memcpy(ring + tail * ch->size, ch->ring, ch->head * ch->size);
	if (ch->ring != inplace(ch))
		free(ch->ring);
	ch->ring = ring;
	ch->head = 0;
	ch->slots = slots;
	return 0;
}

int kc_chan_send_full(struct kc_chan *ch, const void *elem)
{
	void (*drop)(void *ptr) = ch->drop;
	void *old = NULL;

	if (ch->cap == KC_CHAN_UNLIMITED) {
		int err = grow(ch);

		if (!err)
			kc_chan_store(ch, elem);
		return err;
	}
	if (drop)
		old = *(void **)ch->ring;
	ch->count = 0;
	kc_chan_store(ch, elem);
	if (drop)
		drop(old);
	return 0;
}

void kc_chan_send_dropped(struct kc_chan *ch, struct kc_node *n, const void *elem)
{
	void (*drop)(void *ptr) = ch->drop;
	void *ptr = *(void *const *)elem;

	ch->sent++;
	kc_wait_end(n->wait, n, 0);
	drop(ptr);
}

int kc_chan_recv_dropped(struct kc_chan *ch)
{
	void (*drop)(void *ptr) = ch->drop;
	void *ptr;
	int err = kc_try_chan_recv(ch, &ptr);

	if (!err)
		drop(ptr);
	return err;
}

int kc_chan_send(struct kc_chan *ch, const void *elem)
{
	if (IS_ENABLED(CONFIG_OPTIMIZE_SIZE))
		return kc_chan_send_until(ch, elem, KC_FOREVER);
	return kc_chan_send_until_inline(ch, elem, KC_FOREVER);
}

int kc_chan_send_until(struct kc_chan *ch, const void *elem, kc_time_t deadline)
{
	return kc_chan_send_until_inline(ch, elem, deadline);
}

int kc_try_chan_send(struct kc_chan *ch, const void *elem)
{
	return kc_chan_try_send_inline(ch, elem);
}

int kc_chan_recv(struct kc_chan *ch, void *elem)
{
	if (IS_ENABLED(CONFIG_OPTIMIZE_SIZE))
		return kc_chan_recv_until(ch, KC_FOREVER, elem);
	return kc_chan_recv_until_inline(ch, KC_FOREVER, elem);
}

int kc_chan_recv_until(struct kc_chan *ch, kc_time_t deadline, void *elem)
{
	return kc_chan_recv_until_inline(ch, deadline, elem);
}

int kc_try_chan_recv(struct kc_chan *ch, void *elem)
{
	return kc_chan_try_recv_inline(ch, elem);
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
	ch->ring = inplace(ch);
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
	if (ch)
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
	if (ch->ring != inplace(ch))
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
	if (!st)
		return;
	if (!ch) {
		*st = (struct kc_chan_stats){ .sent = 0 };
		return;
	}
	*st = (struct kc_chan_stats){
		.sent = ch->sent,
		.completed = ch->sent - ch->count,
		.in_flight = ch->count,
		.high_water = ch->high_water,
		.senders = kc_waitq_length(&ch->senders),
		.receivers = kc_waitq_length(&ch->receivers),
	};
}
