/* SPDX-License-Identifier: MIT */
/* goc - a worker pool as one writes it in Go, in C. */
#include "sample.h"

#define WORKERS 4
#define JOBS 20

static struct kc_waitgroup running = KC_WAITGROUP_INIT;
static int served;

static void serve(int job)
{
	kc_sleep((job % 3 + 1) * KC_MSEC);	/* as if it asked somebody else */
	served++;
}

static void *worker(void *arg)
{
	struct kc_chan *jobs = arg;
	int job, mine = 0;

	while (kc_chan_recv(jobs, &job) == 0) {
		serve(job);
		mine++;
	}
	printf("  %s served %d\n", kcoro_name(kcoro_current()), mine);
	kc_waitgroup_done(&running);
	return NULL;
}

static void *app(void *arg)
{
	struct kc_chan *jobs = sample_chan(sizeof(int), 16);
	int err = 0;

	(void)arg;
	for (int i = 1; i <= WORKERS; i++) {
		struct kc_spawn_opts opts = { .name = (char[]){ 'w', '0' + (char)i, 0 } };

		kc_waitgroup_add(&running, 1);
		kc_task_detach(kc_spawn(worker, jobs, &opts));
	}
	for (int i = 0; i < JOBS && !err; i++)
		err = kc_chan_send_until(jobs, &i, kc_after(500 * KC_MSEC));
	kc_chan_close(jobs);
	kc_waitgroup_wait(&running);
	kc_chan_put(jobs);
	printf("%d jobs served by %d workers: %s\n", served, WORKERS, strerror(-err));
	return NULL;
}

int main(void)
{
	return sample_run(app, NULL);
}
