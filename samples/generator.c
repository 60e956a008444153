/* SPDX-License-Identifier: MIT */
/*
 * generator - functions that deliver one value after the other.
 *
 * The second one is recursive: kept as a state machine it would need a stack of its
 * own making, as a coroutine it just has one.
 */
#define KCORO_INLINE
#include "sample.h"

struct generator {
	kcoro_t *co;
	unsigned long value;
	char *text;
};

static void deliver(struct generator *g, unsigned long value)
{
	g->value = value;
	kcoro_yield();
}

/* 0 when there are no more */
static int next(struct generator *g)
{
	kcoro_resume(g->co);
	return kcoro_state(g->co) != KCORO_FINISHED;
}

static void fibonacci(void *arg)
{
	unsigned long a = 0, b = 1;

	for (;;) {
		unsigned long sum = a + b;

		deliver(arg, a);
		a = b;
		b = sum;
	}
}

static void swap(char *a, char *b)
{
	char c = *a;

	*a = *b;
	*b = c;
}

static void permute(struct generator *g, size_t from)
{
	if (!g->text[from]) {
		deliver(g, 0);
		return;
	}
	for (char *p = g->text + from; *p; p++) {
		swap(g->text + from, p);
		permute(g, from + 1);
		swap(g->text + from, p);
	}
}

static void permutations(void *arg)
{
	permute(arg, 0);
}

int main(void)
{
	char word[] = "abc", longer[] = "abcdefghi";
	struct generator fib = { 0 }, perm = { .text = word }, many = { .text = longer };
	unsigned long n = 0;
	double t;

	sample_start();
	fib.co = sample_create(fibonacci, &fib, 0);
	printf("Fibonacci:   ");
	for (int i = 0; i < 15 && next(&fib); i++)
		printf(" %lu", fib.value);
	/* it would go on for ever: ended in the middle, nothing of it is left */
	kcoro_destroy(fib.co);

	perm.co = sample_create(permutations, &perm, 0);
	printf("\nPermutations:");
	while (next(&perm))
		printf(" %s", perm.text);
	kcoro_destroy(perm.co);

	many.co = sample_create(permutations, &many, 0);
	t = sample_ns();
	while (next(&many))
		n++;
	t = sample_ns() - t;
	printf("\n%lu permutations of \"%s\": %.1f ns each, two switches included\n", n, longer,
	       t / (double)n);
	kcoro_destroy(many.co);
	return 0;
}
