/* SPDX-License-Identifier: MIT */
/*
 * stages - a pipeline of channels: source, odd numbers, squares, sum.
 *
 * Nobody knows more than the channel he reads and the one he writes, and the end travels
 * along them: each stage closes its output when its input is at an end. The sample `pipeline`
 * does the same by hand with kcoro_yield_to().
 */
#define KCORO_INLINE
#include "sample.h"

#define ITEMS 1000000UL

struct stage {
	struct kc_chan *in, *out;
};

static void *source(void *arg)
{
	struct stage *s = arg;

	for (unsigned long i = 1; i <= ITEMS; i++)
		kc_chan_send(s->out, &i);
	kc_chan_close(s->out);
	return NULL;
}

static void *odd(void *arg)
{
	struct stage *s = arg;
	unsigned long i;

	while (kc_chan_recv(s->in, &i) == 0)
		if (i % 2)
			kc_chan_send(s->out, &i);
	kc_chan_close(s->out);
	return NULL;
}

static void *square(void *arg)
{
	struct stage *s = arg;
	unsigned long i;

	while (kc_chan_recv(s->in, &i) == 0) {
		i *= i;
		kc_chan_send(s->out, &i);
	}
	kc_chan_close(s->out);
	return NULL;
}

static void *app(void *arg)
{
	struct kc_chan *ch[3];
	unsigned long i, total = 0, k = ITEMS / 2;
	double t = sample_ns();

	(void)arg;
	for (int n = 0; n < 3; n++)
		ch[n] = sample_chan(sizeof(unsigned long), 64);
	sample_go(source, &(struct stage){ NULL, ch[0] });
	sample_go(odd, &(struct stage){ ch[0], ch[1] });
	sample_go(square, &(struct stage){ ch[1], ch[2] });
	while (kc_chan_recv(ch[2], &i) == 0)
		total += i;
	t = sample_ns() - t;
	printf("Sum of the squares of the odd numbers up to %lu: %lu (%s)\n", ITEMS, total,
	       total == k * (4 * k * k - 1) / 3 ? "right" : "WRONG");
	printf("%lu numbers through three channels: %.1f ns per number\n", ITEMS,
	       t / (double)ITEMS);
	for (int n = 0; n < 3; n++)
		kc_chan_put(ch[n]);
	return NULL;
}

int main(void)
{
	return sample_run(app, NULL);
}
