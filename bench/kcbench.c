/* SPDX-License-Identifier: MIT */
/*
 * kcbench - measure kcoro, beside its peers if asked.
 *
 * Every repetition is a process of its own on one CPU, and the subjects take turns:
 * whatever disturbs the machine disturbs all of them. The figure is the median.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kcoro/kcoro.h>

#include "kcbench.h"

size_t bench_stack;

/* the first subject is this library */
static struct subject subjects[MAX_WHO] = {
	{ .name = "kcoro", .who = "kcoro" },
	{ .name = "boost", .package = "libboost-context-dev" },
	{ .name = "ucontext", .package = "libc6-dev" },
	{ .name = "fiber", .package = "libboost-fiber-dev" },
	{ .name = "st", .package = "libst-dev" },
	{ .name = "go", .package = "golang-go" },
};

#define SUBJECTS 6

static int json, runs = 5, peers;
static unsigned long count;

static void list(FILE *out)
{
	for (const struct workload *w = workloads; w->name; w++)
		fprintf(out, "%-18s %s [%s]\n", w->name, w->about, w->unit);
}

static void usage(FILE *out)
{
	fputs("usage: kcbench [--json] [--runs N] [--peers] [--count N] [--stack BYTES] [--list] "
	      "[WORKLOAD...]\n"
	      "  --json     one JSON object a line\n"
	      "  --runs     repetitions, 1 to 99 (5)\n"
	      "  --peers    also measure other libraries, taking turns\n"
	      "  --count    operations or coroutines of one repetition\n"
	      "  --stack    stack size of kcoro's coroutines (as configured)\n"
	      "  --list     name the workloads\n", out);
}

static const struct workload *find(const char *name)
{
	for (const struct workload *w = workloads; w->name; w++)
		if (!strcmp(w->name, name))
			return w;
	return NULL;
}

/* One workload, all subjects. Only kcoro's own failure is one of kcbench. */
static int measure(const struct workload *w, int n)
{
	unsigned long c = fit_count(w, count ? count : w->count);

	for (int i = 0; i < n; i++)
		subjects[i].runs = 0;
	for (int r = 0; r < runs; r++)
		for (int i = 0; i < n; i++) {
			struct subject *s = &subjects[i];
			double *v = &s->value[s->runs];
			int err = 0;

			if (s->runs < r || !*s->who)
				continue;
			if (i)
				err = run_peer(s->name, w->peer, c, v);
			else
				err = run_self(w, c, v);
			if (!err) {
				s->runs++;
				continue;
			}
			if (i && err == -ENOTSUP)
				continue;
			fprintf(stderr, "kcbench: %s: %s: %s\n", w->name, s->who,
				i ? "no figure from this peer" : strerror(-err));
			if (!i)
				return 1;
		}
	(json ? show_json : show_table)(w, subjects, n);
	return 0;
}

static void find_peers(void)
{
	for (int i = 1; i < SUBJECTS; i++) {
		struct subject *s = &subjects[i];

		if (!peer_version(s->name, s->who, sizeof(s->who)))
			continue;
		*s->who = 0;
		fprintf(stderr, "kcbench: peer %s: not built: %s was missing when this was\n",
			s->name, s->package);
	}
}

static unsigned long number(const char *arg, unsigned long max)
{
	char *end;
	unsigned long n = strtoul(arg, &end, 0);

	if (*end || !n || n > max || *arg == '-') {
		fprintf(stderr, "kcbench: not a number from 1 to %lu: %s\n", max, arg);
		exit(2);
	}
	return n;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "json", no_argument, &json, 1 },
		{ "peers", no_argument, &peers, 1 },
		{ "runs", required_argument, NULL, 'r' },
		{ "count", required_argument, NULL, 'c' },
		{ "stack", required_argument, NULL, 's' },
		{ "list", no_argument, NULL, 'l' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int opt, err = 0;

	while ((opt = getopt_long(argc, argv, "h", options, NULL)) >= 0)
		switch (opt) {
		case 0:
			break;
		case 'r':
			runs = (int)number(optarg, MAX_RUNS);
			break;
		case 'c':
			count = number(optarg, 1000000000);
			break;
		case 's':
			bench_stack = number(optarg, 1UL << 30);
			break;
		case 'l':
			list(stdout);
			return 0;
		case 'h':
			usage(stdout);
			return 0;
		default:
			usage(stderr);
			return 2;
		}
	for (int i = optind; i < argc; i++)
		if (!find(argv[i])) {
			fprintf(stderr, "kcbench: no workload \"%s\". There are:\n", argv[i]);
			list(stderr);
			return 2;
		}
	pin();
	if (peers)
		find_peers();
	if (!json)
		printf("kcoro %s, guard: %s, %d runs, median (lowest .. highest)\n", kc_version(),
		       kcoro_stack_guard(), runs);
	for (int i = optind; i < argc; i++)
		err |= measure(find(argv[i]), peers ? SUBJECTS : 1);
	for (const struct workload *w = workloads; optind == argc && w->name; w++)
		err |= measure(w, peers ? SUBJECTS : 1);
	return err;
}
