/* SPDX-License-Identifier: MIT */
/* sample.h - what all samples do the same way: start, and give up politely. */
#ifndef SAMPLE_H
#define SAMPLE_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <kcoro/kcoro.h>

/* enough for printf(), which may take 4 KiB by itself */
#define SAMPLE_STACK 32768

/* The library was configured without what a sample is about: that is no error. */
static inline void sample_needs(const char *option)
{
	printf("This sample needs %s.\n", option);
	exit(0);
}

static inline void sample_start(void)
{
	char why[256];

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (kcoro_create_main())
		return;
	kc_abi_explain(KC_ABI_TAG, why, sizeof(why));
	fprintf(stderr, "kcoro_create_main: %s: %s\n", strerror(errno), why);
	exit(1);
}

static inline kcoro_t *sample_create(kcoro_fn fn, void *arg, size_t size)
{
	kcoro_t *co = kcoro_create(fn, arg, size);

	if (co)
		return co;
	if (errno == EINVAL)
		sample_needs("larger stacks (CONFIG_STACK_DEFAULT_SIZE)");
#ifdef KC_CONFIG_STACK_STATIC
	if (errno == ENOMEM)
		sample_needs("more stacks (CONFIG_STACK_STATIC_COUNT)");
#endif
	perror("kcoro_create");
	exit(1);
}

#ifdef KC_CONFIG_RUNTIME
/* Start a coroutine of the runtime; there is no going on without it. */
static inline void sample_go(kc_fn fn, void *arg)
{
	int err = kc_go(fn, arg);

	if (!err)
		return;
#ifdef KC_CONFIG_STACK_STATIC
	if (err == -ENOMEM)
		sample_needs("more stacks (CONFIG_STACK_STATIC_COUNT)");
#endif
	fprintf(stderr, "kc_go: %s\n", strerror(-err));
	exit(1);
}

/* What all samples of the runtime do in main(). */
static inline int sample_run(kc_fn fn, void *arg)
{
	int err;

	setvbuf(stdout, NULL, _IOLBF, 0);
	err = kc_run(fn, arg);
	if (err < 0)
		fprintf(stderr, "kc_run: %s\n", strerror(-err));
	return err != 0;
}
#endif

#ifdef KC_CONFIG_CHAN
static inline struct kc_chan *sample_chan(size_t elem_size, size_t capacity)
{
	struct kc_chan *ch = kc_chan_new(elem_size, capacity);

	if (ch)
		return ch;
	perror("kc_chan_new");
	exit(1);
}
#endif

static inline double sample_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

#endif
