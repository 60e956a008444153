// SPDX-License-Identifier: MIT
/* Calls that wait: channels and select. Channel a is the one that matters, b never fires. */
#include "calls.h"

static struct kc_chan *a, *b;
static int sent, got;

static void prepare(size_t cap, int elements)
{
	a = kc_chan_new(sizeof(int), cap);
	b = kc_chan_new(sizeof(int), cap);
	ASSERT_TRUE(a && b);
	for (sent = 0; sent < elements; sent++)
		ASSERT_EQ(kc_try_chan_send(a, &sent), 0);
}

static void *peer_recv(void *arg)
{
	(void)arg;
	return ret(kc_chan_recv(a, NULL));
}

static void *peer_send(void *arg)
{
	int elem = 1;

	(void)arg;
	return ret(kc_chan_send(a, &elem));
}

static void send0_setup(enum mode mode)
{
	prepare(0, 0);
	if (mode == NEED_NOT)
		help(peer_recv);
}

static void send2_setup(enum mode mode)
{
	prepare(2, mode == NEED_NOT ? 1 : 2);
}

static void recv0_setup(enum mode mode)
{
	prepare(0, 0);
	if (mode == NEED_NOT)
		help(peer_send);
}

static void recv2_setup(enum mode mode)
{
	prepare(2, mode == NEED_NOT);
}

static void recv_unlimited_setup(enum mode mode)
{
	prepare(KC_CHAN_UNLIMITED, mode == NEED_NOT);
}

static void recv_conflated_setup(enum mode mode)
{
	prepare(KC_CHAN_CONFLATED, mode == NEED_NOT);
}

static int send_call(kc_time_t deadline)
{
	int elem = sent++;

	return deadline == KC_FOREVER ? kc_chan_send(a, &elem) :
					kc_chan_send_until(a, &elem, deadline);
}

CALL(int, send_try, return kc_try_chan_send(a, &sent))
CALL(void, send_wake, EXPECT_EQ(kc_try_chan_recv(a, NULL), 0))

static int recv_call(kc_time_t deadline)
{
	int err;

	got = -1;
	err = deadline == KC_FOREVER ? kc_chan_recv(a, &got) :
				       kc_chan_recv_until(a, deadline, &got);
	EXPECT_EQ(got == -1, err != 0);
	return err;
}

unsigned long queued_chan(void)
{
	struct kc_chan_stats sa, sb;

	if (!a)
		return 0;
	kc_chan_get_stats(a, &sa);
	kc_chan_get_stats(b, &sb);
	return sa.senders + sa.receivers + sb.senders + sb.receivers;
}

CALL(int, recv_try, return kc_try_chan_recv(a, NULL))
CALL(void, recv_wake, EXPECT_EQ(kc_try_chan_send(a, &sent), 0))
CALL(int, chan_stop, return kc_chan_close(a))

static void chan_finish(void)
{
	kc_chan_put(a);
	kc_chan_put(b);
	a = b = NULL;
	helper_ends();
}

#define CHAN_CALL(_name, _op, _helper)							\
	const struct call call_##_name = {						\
		_name##_setup, _op##_call, _op##_try, _op##_wake, chan_stop, chan_finish,	\
		.busy = -EAGAIN, .stopped = -EPIPE, .helper = _helper			\
	}

CHAN_CALL(send0, send, true);
CHAN_CALL(send2, send, false);
CHAN_CALL(recv0, recv, true);
CHAN_CALL(recv2, recv, false);
CHAN_CALL(recv_unlimited, recv, false);
CHAN_CALL(recv_conflated, recv, false);

#ifdef CONFIG_SELECT
static int select_call(kc_time_t deadline)
{
	int elem = 5, i;
	struct kc_case cases[] = { KC_RECV(b, NULL), KC_RECV(NULL, NULL), KC_RECV(a, &got),
				   KC_SEND(b, &elem) };

	i = deadline == KC_FOREVER ? kc_select(cases, 4) : kc_select_until(cases, 4, deadline);
	if (i < 0)
		return i;
	EXPECT_EQ(i, 2);
	return cases[i].err;
}

static int select_try(void)
{
	struct kc_case c = KC_RECV(a, NULL);

	return kc_try_select(&c, 1);
}

const struct call call_select = {
	recv0_setup, select_call, select_try, recv_wake, chan_stop, chan_finish,
	.busy = -EAGAIN, .stopped = -EPIPE, .helper = true
};
#endif
