/* SPDX-License-Identifier: MIT */
/* select.c - one receiver that takes from whichever of eight channels has something. */
#define KCORO_INLINE
#include "rt.h"

#define CHANS 8
#define SITES 4

static struct kc_chan *chan[CHANS];

#define SENDER(n)						\
static void *send##n(void *arg)					\
{								\
	long v = n;						\
								\
	while (kc_chan_send(arg, &v) == 0)			\
		v += n;						\
	return NULL;						\
}
SENDER(0)
SENDER(1)
SENDER(2)
SENDER(3)

static kc_fn const senders[SITES] = { send0, send1, send2, send3 };

static void *receiver(void *arg)
{
	unsigned long left = *(unsigned long *)arg;
	struct kc_case cases[CHANS];
	long v, total = 0;

	for (int i = 0; i < CHANS; i++)
		cases[i] = (struct kc_case)KC_RECV(chan[i], &v);
	while (left--) {
		if (kc_select(cases, CHANS) < 0)
			break;
		total += v;
	}
	rt_done();
	for (int i = 0; i < CHANS; i++)
		kc_chan_close(chan[i]);
	return rt_result(total < 0);
}

static void *driver(void *arg)
{
	int err = rt_go(receiver, arg);

	for (int i = 0; i < CHANS && !err; i++) {
		chan[i] = kc_chan_new(sizeof(long), 0);
		err = chan[i] ? rt_go(senders[i % SITES], chan[i]) : -ENOMEM;
	}
	rt_begin(1);
	return rt_result(err);
}

double select_run(unsigned long count)
{
	return rt_measure(driver, &count, (double)count);
}
