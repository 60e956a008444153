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

static inline double sample_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

#endif
