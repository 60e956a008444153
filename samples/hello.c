/* SPDX-License-Identifier: MIT */
/* hello - create, resume, yield. A coroutine keeps its place, and its variables, between turns. */
#include "sample.h"

static void count(void *arg)
{
	for (int i = 1; i <= 3; i++) {
		printf("  %s: %d\n", (const char *)arg, i);
		kcoro_yield();
	}
	printf("  %s: done\n", (const char *)arg);
}

int main(void)
{
	char one[] = "one", two[] = "two";
	kcoro_t *a, *b;

	sample_start();
	a = sample_create(count, one, SAMPLE_STACK);
	b = sample_create(count, two, SAMPLE_STACK);

	printf("Two coroutines take turns:\n");
	while (kcoro_state(a) != KCORO_FINISHED || kcoro_state(b) != KCORO_FINISHED) {
		kcoro_resume(a);
		kcoro_resume(b);
	}
	printf("Both are %s; resuming one again is an error: %s.\n",
	       kcoro_state_name(kcoro_state(a)), strerror(-kcoro_resume(a)));

	kcoro_destroy(a);
	kcoro_destroy(b);
	return 0;
}
