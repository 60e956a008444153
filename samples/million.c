/* SPDX-License-Identifier: MIT */
/*
 * million - a million coroutines at once, each parked, each with a guard below its stack.
 *
 * usage: million [COUNT]
 */
#include "sample.h"

static void parks(void *arg)
{
	kcoro_park();
	++*(unsigned long *)arg;
}

/* of a line such as "VmRSS:  123 kB" in a file of /proc, the bytes */
static double proc_bytes(const char *file, const char *key)
{
	FILE *f = fopen(file, "r");
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

static unsigned long how_many(unsigned long want)
{
	double room = proc_bytes("/proc/meminfo", "MemAvailable") / 6000;

#ifdef KC_CONFIG_STACK_STATIC
	if (want > KC_CONFIG_STACK_STATIC_COUNT)
		want = KC_CONFIG_STACK_STATIC_COUNT;
#endif
	if (room > 0 && (double)want > room)
		want = (unsigned long)room;
	/* each of these guards splits a mapping, and the kernel allows 65530 of them */
	if (!strcmp(kcoro_stack_guard(), "mprotect") && want > 30000)
		want = 30000;
	return want;
}

int main(int argc, char **argv)
{
	unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 0) : 1000000, woken = 0, made;
	double rss, pte, t;
	kcoro_t **co;

	sample_start();
	n = how_many(n);
	co = calloc(n, sizeof(*co));
	if (!co || !n)
		sample_needs("more memory");
	memset(co, 1, n * sizeof(*co));
	rss = proc_bytes("/proc/self/status", "VmRSS");
	pte = proc_bytes("/proc/self/status", "VmPTE");

	t = sample_ns();
	for (made = 0; made < n; made++) {
		co[made] = kcoro_create(parks, &woken, 0);
		if (!co[made])
			break;
		kcoro_resume(co[made]);
	}
	t = sample_ns() - t;
	if (made < n) {
		printf("No more after %lu: %s\n", made, strerror(errno));
		return 1;
	}
	rss = proc_bytes("/proc/self/status", "VmRSS") - rss;
	pte = proc_bytes("/proc/self/status", "VmPTE") - pte;
	printf("%lu coroutines created and parked, guard: %s\n", made, kcoro_stack_guard());
	printf("  %8.0f ns each\n", t / (double)made);
	printf("  %8.0f bytes resident each, and %.0f of page tables\n", rss / (double)made,
	       pte / (double)made);

	t = sample_ns();
	for (unsigned long i = 0; i < made; i++) {
		kcoro_unpark(co[i]);
		kcoro_resume(co[i]);
		kcoro_destroy(co[i]);
	}
	t = sample_ns() - t;
	printf("%lu woken, run to their end and destroyed\n  %8.0f ns each\n", woken,
	       t / (double)made);
	free(co);
	return woken != made;
}
