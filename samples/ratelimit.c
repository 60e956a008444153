/* SPDX-License-Identifier: MIT */
/*
 * ratelimit - a token bucket made of a channel.
 *
 * The bucket holds BURST tokens and gets a new one every 100 ms. Who wants something done takes a
 * token or, if none comes in time, gives up. The clock is virtual: ten seconds take no time and
 * give the same result in every run.
 */
#include "sample.h"

#define BURST 3
#define PERIOD (100 * KC_MSEC)
#define PATIENCE (250 * KC_MSEC)
#define REQUESTS 24

static struct kc_chan *tokens;
static kc_time_t start;
static int served, refused, active = REQUESTS;

static void *refill(void *arg)
{
	for (kc_time_t next = start + PERIOD; active; next += PERIOD) {
		kc_try_chan_send(tokens, NULL);	/* a full bucket runs over */
		kc_sleep_until(next);
	}
	return arg;
}

/* requests come in bursts of eight, every two seconds */
static void *request(void *arg)
{
	int number = *(int *)arg;
	long long ms;
	int err;

	kc_sleep_until(start + number / 8 * 2 * KC_SEC);
	err = kc_chan_recv_until(tokens, kc_after(PATIENCE), NULL);
	ms = (long long)((kc_now() - start) / KC_MSEC);
	printf("  %4lld ms: request %d %s\n", ms, number, err ? strerror(-err) : "served");
	err ? refused++ : served++;
	active--;
	return NULL;
}

static void *app(void *arg)
{
	int number[REQUESTS];

	start = kc_now();
	tokens = sample_chan(0, BURST);
	while (kc_try_chan_send(tokens, NULL) == 0)
		;
	sample_go(refill, NULL);
	for (int i = 0; i < REQUESTS; i++) {
		number[i] = i;
		sample_go(request, &number[i]);
	}
	while (active)
		kc_sleep(PERIOD);
	printf("%d requests: %d served, %d refused\n", REQUESTS, served, refused);
	kc_sleep(PERIOD);
	kc_chan_put(tokens);
	return arg;
}

int main(void)
{
	kc_clock_virtual(1);
	return sample_run(app, NULL);
}
