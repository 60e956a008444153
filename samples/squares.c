/* SPDX-License-Identifier: MIT */
/* squares - the program on the first page of the README. */
#include <stdio.h>
#include <kcoro/kcoro.h>

static void squares(void *arg)
{
	for (int i = 1; i <= 5; i++) {
		*(int *)arg = i * i;
		kcoro_yield();		/* back to whoever resumed us */
	}
}

int main(void)
{
	int value;
	kcoro_t *co;

	if (!kcoro_create_main() || !(co = kcoro_create(squares, &value, 0)))
		return 1;
	while (kcoro_resume(co) == 0 && kcoro_state(co) != KCORO_FINISHED)
		printf("%d\n", value);
	return kcoro_destroy(co);
}
