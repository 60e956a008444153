/* SPDX-License-Identifier: MIT */
/*
 * ticker - ticks at fixed times, and a select that hears them.
 *
 * The ticker's channel keeps one tick, the latest: who is busy misses some and never gets a
 * backlog. Deadlines are points in time, so the ticks do not drift.
 *
 * usage: ticker [virtual]	with a clock that waits for nobody
 */
#include "sample.h"

#define PERIOD (20 * KC_MSEC)

struct ticker {
	struct kc_chan *ticks;
	kc_time_t next;
	int number;
};

static void *tick(void *arg)
{
	struct ticker *t = arg;

	do {
		kc_sleep_until(t->next);
		t->number++;
		t->next += PERIOD;
	} while (kc_chan_send(t->ticks, &t->number) == 0);
	return NULL;
}

static void *stop_later(void *arg)
{
	kc_sleep(PERIOD * 19 / 2);
	kc_chan_close(arg);
	return NULL;
}

static void *app(void *arg)
{
	kc_time_t start = kc_now();
	struct ticker t = { sample_chan(sizeof(int), KC_CHAN_CONFLATED), start + PERIOD, 0 };
	struct kc_chan *stop = sample_chan(0, 0);
	int number, fired;
	struct kc_case cases[] = { KC_RECV(t.ticks, &number), KC_RECV(stop, NULL) };

	sample_go(tick, &t);
	sample_go(stop_later, stop);
	while ((fired = kc_select_until(cases, 2, kc_after(KC_SEC))) == 0) {
		printf("  tick %d at %lld ms\n", number, (long long)((kc_now() - start) / KC_MSEC));
		if (number == 4) {
			printf("  busy for three ticks\n");
			kc_sleep(PERIOD * 7 / 2);
		}
	}
	printf("%s\n", fired == 1 ? "stopped" : "no tick for a second");
	/* the ticker's next tick finds its channel closed */
	kc_chan_close(t.ticks);
	kc_sleep(2 * PERIOD);
	kc_chan_put(t.ticks);
	kc_chan_put(stop);
	return arg;
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "virtual"))
		kc_clock_virtual(1);
	return sample_run(app, NULL);
}
