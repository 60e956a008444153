/* SPDX-License-Identifier: MIT */
/*
 * channels.h - messages through channels. The file that includes this defines NAME(what),
 * the name of the function that measures it.
 */
#include "rt.h"

#define SITES 4
#define PAIRS 8

static struct kc_chan *there, *back;
static long total[SITES];

/* ---- ping-pong: two channels, one element on its way ---- */

static void *ping(void *arg)
{
	long v = 0;

	for (unsigned long i = *(unsigned long *)arg; i; i--) {
		kc_chan_send(there, &v);
		kc_chan_recv(back, &v);
		v++;
		kc_chan_send(there, &v);
		kc_chan_recv(back, &v);
	}
	kc_chan_close(there);
	rt_done();
	return NULL;
}

static void *pong(void *arg)
{
	long v;

	for (;;) {
		if (kc_chan_recv(there, &v))
			return arg;
		kc_chan_send(back, &v);
		if (kc_chan_recv(there, &v))
			return arg;
		v++;
		kc_chan_send(back, &v);
	}
}

static void *ping_pong(void *arg)
{
	int err;

	there = kc_chan_new(sizeof(long), 0);
	back = kc_chan_new(sizeof(long), 0);
	err = there && back ? rt_go(pong, NULL) : -ENOMEM;
	if (!err)
		err = rt_go(ping, arg);
	rt_begin(1);
	return rt_result(err);
}

double NAME(chan0)(unsigned long count)
{
	unsigned long rounds = count / 4 + 1;

	return rt_measure(ping_pong, &rounds, (double)rounds * 4);
}

/* ---- streams: senders and receivers on one channel ---- */

#define ENDS(n)								\
static void *send##n(void *arg)						\
{									\
	for (unsigned long i = *(unsigned long *)arg; i; i--) {		\
		long v = (long)i;					\
									\
		kc_chan_send(there, &v);				\
		kc_chan_send(there, &v);				\
	}								\
	rt_done();							\
	return NULL;							\
}									\
									\
static void *recv##n(void *arg)						\
{									\
	long v = 0;							\
									\
	for (unsigned long i = *(unsigned long *)arg; i; i--) {		\
		kc_chan_recv(there, &v);				\
		total[n] += v;						\
		kc_chan_recv(there, &v);				\
	}								\
	rt_done();							\
	return NULL;							\
}
ENDS(0)
ENDS(1)
ENDS(2)
ENDS(3)

static kc_fn const senders[SITES] = { send0, send1, send2, send3 };
static kc_fn const receivers[SITES] = { recv0, recv1, recv2, recv3 };

struct stream {
	size_t capacity;
	int pairs;
	unsigned long rounds;
};

static void *stream(void *arg)
{
	struct stream *s = arg;
	int err;

	there = kc_chan_new(sizeof(long), s->capacity);
	err = there ? 0 : -ENOMEM;
	for (int i = 0; i < s->pairs && !err; i++) {
		err = rt_go(senders[i % SITES], &s->rounds);
		if (!err)
			err = rt_go(receivers[i % SITES], &s->rounds);
	}
	rt_begin(2 * (unsigned long)s->pairs);
	return rt_result(err);
}

static double streams(unsigned long count, size_t capacity, int pairs)
{
	struct stream s = { capacity, pairs, count / (2 * (unsigned long)pairs) + 1 };

	return rt_measure(stream, &s, (double)s.rounds * 2 * pairs);
}

double NAME(chan0s)(unsigned long count)
{
	return streams(count, 0, 1);
}

double NAME(chan128)(unsigned long count)
{
	return streams(count, 128, 1);
}

double NAME(mpmc)(unsigned long count)
{
	return streams(count, 128, PAIRS);
}

double NAME(mpmc0)(unsigned long count)
{
	return streams(count, 0, PAIRS);
}

/* ---- the sieve: a coroutine and a channel for each prime ---- */

struct stage {
	struct kc_chan *in, *out;
	long prime;
};

static void *numbers(void *arg)
{
	struct kc_chan *out = arg;

	for (long v = 2; kc_chan_send(out, &v) == 0; v++)
		;
	return NULL;
}

static void *filter(void *arg)
{
	struct stage s = *(struct stage *)arg;
	long v;

	free(arg);
	while (kc_chan_recv(s.in, &v) == 0)
		if (v % s.prime && kc_chan_send(s.out, &v))
			break;
	kc_chan_close(s.in);
	return NULL;
}

static void *sieve(void *arg)
{
	unsigned long n = *(unsigned long *)arg;
	struct kc_chan *in = kc_chan_new(sizeof(long), 0);
	int err = in ? rt_go(numbers, in) : -ENOMEM;
	long prime;

	rt_begin(1);
	while (n-- && !err) {
		struct stage *s = malloc(sizeof(*s));

		err = kc_chan_recv(in, &prime);
		if (!s || err)
			break;
		*s = (struct stage){ in, kc_chan_new(sizeof(long), 0), prime };
		in = s->out;
		err = rt_go(filter, s);
	}
	rt_done();
	kc_chan_close(in);
	return rt_result(err);
}

double NAME(sieve)(unsigned long count)
{
	return rt_measure(sieve, &count, 1e6);
}
