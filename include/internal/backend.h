/* SPDX-License-Identifier: MIT */
/*
 * backend.h - the contract of an event backend: how a thread sleeps and what wakes it.
 */
#ifndef KC_INTERNAL_BACKEND_H
#define KC_INTERNAL_BACKEND_H

#include <stdbool.h>

#include <kcoro/time.h>

struct kc_thread;

/** kc_backend_init - a runtime starts on this thread; 0 or a negative errno, nothing kept */
int kc_backend_init(struct kc_thread *t);

/** kc_backend_fini - it ends */
void kc_backend_fini(struct kc_thread *t);

/** kc_backend_expects - can an event come that wakes somebody? If not, only timers can. */
bool kc_backend_expects(const struct kc_thread *t);

/**
 * kc_backend_wait - make ready whom events wake
 * @t: the calling thread
 * @span: how long to sleep for the first event, in nanoseconds of real time; 0 just
 *	looks, KC_FOREVER is without end
 *
 * Sleeps in the kernel, once; may come back early. Never rounds @span down to 0.
 */
void kc_backend_wait(struct kc_thread *t, kc_time_t span);

#endif /* KC_INTERNAL_BACKEND_H */
