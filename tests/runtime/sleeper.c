// SPDX-License-Identifier: MIT
/*
 * Not a ktest: sleeps for as many milliseconds as it is told, in several coroutines, and marks
 * begin and end with writes of no bytes. Another program counts what happens in between.
 */
#include <stdlib.h>
#include <unistd.h>

#include <kcoro/kcoro.h>

static void *sleeps(void *arg)
{
	return (void *)(intptr_t)kc_sleep_until(*(kc_time_t *)arg);
}

static void *parks(void *arg)
{
	kcoro_park();
	return arg;
}

static void *app(void *arg)
{
	kc_time_t deadline = kc_after(atoll(arg) * KC_MSEC);
	struct kc_task *sleeper = kc_spawn(sleeps, &deadline, NULL);
	struct kc_task *parked = kc_spawn(parks, NULL, NULL);
	long failed;

	if (!sleeper || !parked || kc_yield())
		return (void *)2;
	failed = write(STDOUT_FILENO, "", 0);
	failed |= kc_join(sleeper, NULL);
	failed |= write(STDOUT_FILENO, "", 0);
	kcoro_unpark(kc_task_coro(parked));
	failed |= kc_join(parked, NULL);
	return (void *)(intptr_t)(failed || kc_now() < deadline);
}

int main(int argc, char **argv)
{
	return argc > 1 ? kc_run(app, argv[1]) : 2;
}
