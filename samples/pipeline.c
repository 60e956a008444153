/* SPDX-License-Identifier: MIT */
/*
 * pipeline - stages that hand over to each other with kcoro_yield_to().
 *
 * Control goes straight from stage to stage; nobody in the middle dispatches. Each
 * yield_to hands the return target along, so when the last stage ends control is back
 * in main(), which resumed only the first.
 */
#define KCORO_INLINE
#include "sample.h"

#define ITEMS 1000000UL

static kcoro_t *source, *odd, *square, *sum;
static unsigned long item, total;
static int end;

/* numbers 1 to ITEMS, then the end */
static void run_source(void *arg)
{
	for (unsigned long i = 1; i <= *(unsigned long *)arg; i++) {
		item = i;
		kcoro_yield_to(odd);
	}
	end = 1;
	kcoro_yield_to(sum);
}

/* lets odd ones pass, asks for another otherwise */
static void run_odd(void *arg)
{
	(void)arg;
	for (;;)
		kcoro_yield_to(item % 2 ? square : source);
}

static void run_square(void *arg)
{
	(void)arg;
	for (;;) {
		item *= item;
		kcoro_yield_to(sum);
	}
}

/* returns at the end: then control is back where the first stage was resumed */
static void run_sum(void *arg)
{
	(void)arg;
	while (!end) {
		total += item;
		kcoro_yield_to(source);
	}
}

int main(void)
{
	unsigned long n = ITEMS, k = ITEMS / 2;
	double t;

	sample_start();
	source = sample_create(run_source, &n, 0);
	odd = sample_create(run_odd, NULL, 0);
	square = sample_create(run_square, NULL, 0);
	sum = sample_create(run_sum, NULL, 0);

	t = sample_ns();
	kcoro_resume(source);
	t = sample_ns() - t;
	printf("Sum of the squares of the odd numbers up to %lu: %lu (%s)\n", n, total,
	       total == k * (4 * k * k - 1) / 3 ? "right" : "WRONG");
	printf("%lu numbers through four stages, 3 switches each on average: %.1f ns per number\n",
	       n, t / (double)n);

	kcoro_destroy(source);
	kcoro_destroy(odd);
	kcoro_destroy(square);
	kcoro_destroy(sum);
	return 0;
}
