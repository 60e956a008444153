// SPDX-License-Identifier: MIT
/* The time base: CLOCK_MONOTONIC, a function of the program, or a clock that waits for nobody. */
#include <errno.h>
#include <time.h>

#include <internal/backend.h>
#include <internal/runtime.h>

/* Set while no runtime exists, read by all. */
static kc_time_t (*clock_fn)(void);
static kc_time_t virtual_now;	/* 0: time is real. Owner: the one runtime of a virtual clock. */
static int users;		/* runtimes; atomic */

kc_time_t kc_now(void)
{
	struct timespec ts;

	if (kc_unlikely(clock_fn != NULL))
		return clock_fn();
	if (kc_unlikely(virtual_now != 0))
		return virtual_now;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (kc_time_t)ts.tv_sec * KC_SEC + ts.tv_nsec;
}

kc_time_t kc_after(kc_time_t span)
{
	kc_time_t now = kc_now();

	return span > KC_FOREVER - now ? KC_FOREVER : now + span;
}

void kc_clock_hold(int n)
{
	__atomic_add_fetch(&users, n, __ATOMIC_RELAXED);
}

int kc_clock_set(kc_time_t (*clock)(void))
{
	if (kc_read(&users))
		return -EBUSY;
	clock_fn = clock;
	virtual_now = 0;
	return 0;
}

int kc_clock_virtual(kc_time_t start)
{
	if (start < 0 || start == KC_FOREVER)
		return -EINVAL;
	if (kc_read(&users))
		return -EBUSY;
	clock_fn = NULL;
	virtual_now = start;
	return 0;
}

void kc_clock_sleep(struct kc_thread *t, kc_time_t until)
{
	kc_time_t now;

	if (virtual_now && until != KC_FOREVER) {
		if (until > virtual_now)
			virtual_now = until;
		kc_backend_wait(t, 0);
		return;
	}
	now = kc_now();
	kc_backend_wait(t, until == KC_FOREVER ? KC_FOREVER : until > now ? until - now : 0);
}
