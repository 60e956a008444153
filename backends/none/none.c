// SPDX-License-Identifier: MIT
/* No events but the passing of time. */
#include <time.h>

#include <internal/backend.h>

int kc_backend_init(struct kc_thread *t)
{
	(void)t;
	return 0;
}

void kc_backend_fini(struct kc_thread *t)
{
	(void)t;
}

bool kc_backend_expects(const struct kc_thread *t)
{
	(void)t;
	return false;
}

void kc_backend_wait(struct kc_thread *t, kc_time_t span)
{
	struct timespec ts = { .tv_sec = span / KC_SEC, .tv_nsec = span % KC_SEC };

	(void)t;
	if (span > 0)
		nanosleep(&ts, NULL);
}
