/* SPDX-License-Identifier: MIT */
/* show.c - the results, for people or for programs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kcbench.h"

#define BAR 32

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(struct subject *s)
{
	qsort(s->value, (size_t)s->runs, sizeof(s->value[0]), by_value);
	return (s->value[(s->runs - 1) / 2] + s->value[s->runs / 2]) / 2;
}

void show_table(const struct workload *w, struct subject *s, int n)
{
	double top = 0, own = median(&s[0]);

	for (int i = 0; i < n; i++)
		if (s[i].runs && median(&s[i]) > top)
			top = median(&s[i]);
	printf("\n%s: %s [%s]\n", w->name, w->about, w->unit);
	for (int i = 0; i < n; i++) {
		const char *note = peer_note(s[i].name, w->peer);
		double m = median(&s[i]);
		int bar = top > 0 ? (int)(m / top * BAR + 0.5) : 0;

		if (!s[i].runs)
			continue;
		printf("  %-24s %10.2f  (%.2f .. %.2f)  ", s[i].who, m, s[i].value[0],
		       s[i].value[s[i].runs - 1]);
		for (int k = 0; k < (bar ? bar : 1); k++)
			putchar('#');
		if (i && m > 0)
			printf("  kcoro is %.2f x this", own / m);
		if (note)
			printf(" (%s)", note);
		putchar('\n');
	}
	fflush(stdout);
}

void show_json(const struct workload *w, struct subject *s, int n)
{
	for (int i = 0; i < n; i++) {
		double m = median(&s[i]);

		if (!s[i].runs)
			continue;
		printf("{\"workload\": \"%s\", \"who\": \"%s\", \"unit\": \"%s\", "
		       "\"median\": %.3f, \"min\": %.3f, \"max\": %.3f, \"runs\": %d}\n",
		       w->name, s[i].who, w->unit, m, s[i].value[0], s[i].value[s[i].runs - 1],
		       s[i].runs);
	}
	fflush(stdout);
}
