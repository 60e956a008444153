/* SPDX-License-Identifier: MIT */
/*
 * sieve - the concurrent prime sieve: a coroutine for each prime lets pass what that prime
 * does not divide. The first number that arrives behind the last one is the next prime.
 *
 * usage: sieve [COUNT]
 */
#define KCORO_INLINE
#include "sample.h"

struct filter {
	struct kc_chan *in, *out;
	int prime;
};

static void *numbers(void *arg)
{
	for (int n = 2; kc_chan_send(arg, &n) == 0; n++)
		;
	kc_chan_put(arg);
	return NULL;
}

/* Ends when nobody wants more, and passes that on to the one before. */
static void *filter(void *arg)
{
	struct filter *f = arg;
	int n;

	while (kc_chan_recv(f->in, &n) == 0)
		if (n % f->prime && kc_chan_send(f->out, &n))
			break;
	kc_chan_close(f->in);
	kc_chan_put(f->in);
	kc_chan_put(f->out);
	free(f);
	return NULL;
}

static void *sieve(void *arg)
{
	unsigned long count = *(unsigned long *)arg;
	struct kc_chan *in = sample_chan(sizeof(int), 0);

	sample_go(numbers, kc_chan_get(in));
	for (unsigned long i = 1; i <= count; i++) {
		struct filter *f = malloc(sizeof(*f));

		if (!f)
			exit(1);
		*f = (struct filter){ .in = in, .out = sample_chan(sizeof(int), 0) };
		kc_chan_recv(in, &f->prime);
		printf("%d%c", f->prime, i % 15 && i < count ? ' ' : '\n');
		in = kc_chan_get(f->out);
		sample_go(filter, f);
	}
	kc_chan_close(in);
	kc_chan_put(in);
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned long count = argc > 1 ? strtoul(argv[1], NULL, 0) : 2000;

#ifdef KC_CONFIG_STACK_STATIC
	if (count + 2 > KC_CONFIG_STACK_STATIC_COUNT)
		count = KC_CONFIG_STACK_STATIC_COUNT - 2;
#endif
	return sample_run(sieve, &count);
}
