/* SPDX-License-Identifier: MIT */
/*
 * philosophers - they sit round a table, think, and eat with the two forks beside them.
 *
 * The polite ones take the fork with the lower number first. The naive ones take the left
 * one first: once each has one nobody gets a second, and the runtime says who waits for whom.
 */
#include "sample.h"

#define SEATS 5
#define MEALS 3

static struct kc_mutex fork_at[SEATS];
static int meals[SEATS];
static int naive;

static void *philosopher(void *arg)
{
	int seat = (int)((int *)arg - meals);
	int first = seat, second = (seat + 1) % SEATS;

	if (!naive && second < first) {
		first = second;
		second = seat;
	}
	while (meals[seat] < MEALS) {
		kc_mutex_lock(&fork_at[first]);
		kc_sleep(KC_MSEC);	/* how easily one is distracted */
		kc_mutex_lock(&fork_at[second]);
		meals[seat]++;
		kc_mutex_unlock(&fork_at[second]);
		kc_mutex_unlock(&fork_at[first]);
	}
	return NULL;
}

static void *table(void *arg)
{
	static const char *const names[SEATS] = {
		"Socrates", "Plato", "Aristotle", "Epicurus", "Zeno",
	};

	for (int i = 0; i < SEATS; i++) {
		struct kc_spawn_opts opts = { .name = names[i] };
		struct kc_task *task;

		kc_mutex_init(&fork_at[i]);
		meals[i] = 0;
		task = kc_spawn(philosopher, &meals[i], &opts);
		if (!task)
			sample_needs("more stacks");
		kc_task_detach(task);
	}
	return arg;
}

#ifdef KC_CONFIG_INSPECT
static void print(void *arg, const char *line)
{
	(void)arg;
	printf("%s\n", line);
}

static void report(void)
{
	kc_dump(print, NULL);
}
#endif

int main(void)
{
	int err, total = 0;

	kc_clock_virtual(1);
	if (sample_run(table, NULL))
		return 1;
	for (int i = 0; i < SEATS; i++)
		total += meals[i];
	printf("The polite ones had %d meals.\n", total);

#ifdef KC_CONFIG_DEADLOCK_PANIC
	sample_needs("CONFIG_DEADLOCK_PANIC=n for the naive ones");
#endif
#ifdef KC_CONFIG_INSPECT
	kc_set_deadlock_hook(report);
#endif
	naive = 1;
	err = kc_run(table, NULL);
	printf("The naive ones: %s.\n", strerror(-err));
	return err != -EDEADLK;
}
