/* SPDX-License-Identifier: MIT */
/* helloworld - the first thing that must work on a new port: in, out, in, end. */
#include <stdio.h>

#include <kcoro/kcoro.h>

static int step;

static void body(void *arg)
{
	(void)arg;
	step = 1;
	kcoro_yield();
	step = 2;
}

int main(void)
{
	kcoro_t *co;

	if (!kcoro_create_main())
		return 1;
	co = kcoro_create(body, NULL, 0);
	if (!co)
		return 2;
	if (kcoro_resume(co) || step != 1)
		return 3;
	if (kcoro_resume(co) || step != 2)
		return 4;
	puts("hello, world: in, out, in, end");
	return kcoro_destroy(co) || kcoro_detach();
}
