/* SPDX-License-Identifier: MIT */
/*
 * fan - fan out, fan in: one channel feeds several workers, one channel collects what they
 * find. The results are at an end when all workers are.
 *
 * The question: which number below 100000 takes longest to reach 1 if one halves even
 * numbers and takes three times odd ones, plus one?
 */
#include "sample.h"

#define WORKERS 8
#define BATCHES 100
#define BATCH 1000

struct best {
	int worker;
	unsigned long number, steps;
};

static struct kc_chan *work, *found;
static struct kc_waitgroup busy = KC_WAITGROUP_INIT;

static unsigned long steps(unsigned long n)
{
	unsigned long count = 0;

	for (; n != 1; count++)
		n = n % 2 ? 3 * n + 1 : n / 2;
	return count;
}

static void *worker(void *arg)
{
	struct best best = { .worker = *(int *)arg };
	unsigned long first;

	while (kc_chan_recv(work, &first) == 0) {
		best.steps = 0;
		for (unsigned long n = first; n < first + BATCH; n++)
			if (steps(n) > best.steps) {
				best.number = n;
				best.steps = steps(n);
			}
		kc_chan_send(found, &best);
	}
	kc_waitgroup_done(&busy);
	return NULL;
}

static void *feed(void *arg)
{
	for (unsigned long i = 0; i < BATCHES; i++)
		kc_chan_send(work, &(unsigned long){ i * BATCH + 1 });
	kc_chan_close(work);
	return arg;
}

/* who sends must not close while others send: one waits for all of them */
static void *close_found(void *arg)
{
	kc_waitgroup_wait(&busy);
	kc_chan_close(found);
	return arg;
}

static void *app(void *arg)
{
	int id[WORKERS], batches[WORKERS] = { 0 };
	struct best best = { .steps = 0 }, one;

	work = sample_chan(sizeof(unsigned long), 0);
	found = sample_chan(sizeof(struct best), 0);
	sample_go(feed, NULL);
	for (int i = 0; i < WORKERS; i++) {
		id[i] = i;
		kc_waitgroup_add(&busy, 1);
		sample_go(worker, &id[i]);
	}
	sample_go(close_found, NULL);
	while (kc_chan_recv(found, &one) == 0) {
		batches[one.worker]++;
		if (one.steps > best.steps)
			best = one;
	}
	for (int i = 0; i < WORKERS; i++)
		printf("  worker %d: %d batches\n", i, batches[i]);
	printf("Below %d, %lu takes longest: %lu steps\n", BATCHES * BATCH, best.number,
	       best.steps);
	kc_chan_put(work);
	kc_chan_put(found);
	return arg;
}

int main(void)
{
	return sample_run(app, NULL);
}
