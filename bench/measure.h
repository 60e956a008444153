/* SPDX-License-Identifier: MIT */
/* measure.h - the clock and the memory counters, for kcbench and for its peers. */
#ifndef MEASURE_H
#define MEASURE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static inline double clock_ns(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

static inline double now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

/* of this process */
static inline double cpu_ns(void)
{
	return clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

/* bytes of a line such as "VmRSS" of /proc/self/status, 0 if it is not there */
static inline double status_bytes(const char *key)
{
	FILE *f = fopen("/proc/self/status", "r");
	size_t len = strlen(key);
	double kib = 0;
	char line[256];

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, key, len) && line[len] == ':')
			kib = strtod(line + len + 1, NULL);
	if (f)
		fclose(f);
	return kib * 1024;
}

#endif
