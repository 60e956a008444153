/* SPDX-License-Identifier: MIT */
/*
 * embed - coroutines in memory of one's own: a device with two blinking lights.
 *
 * kcoro_create_on() takes stack and control block from the given array. Nothing is
 * allocated for them, and the linker knows how much they need.
 */
#include <stdint.h>

#include "sample.h"

/* as on a small board; a sanitizer or the ucontext port wants more */
#if defined(KC_CONFIG_SWITCH_UCONTEXT) || defined(KC_CONFIG_SWITCH_HOOKS) || \
	defined(KC_CONFIG_DEBUG) || defined(KC_CONFIG_COVERAGE)
#define STACK 16384
#else
#define STACK 1536
#endif

struct light {
	int on_for, off_for;
	int on;
	size_t room;
	_Alignas(64) char memory[STACK];
};

static struct light red = { .on_for = 3, .off_for = 1 };
static struct light green = { .on_for = 1, .off_for = 2 };

static void blink(void *arg)
{
	struct light *l = arg;

	for (;;) {
		l->on = 1;
		for (int i = 0; i < l->on_for; i++)
			kcoro_yield();
		l->on = 0;
		for (int i = 0; i < l->off_for; i++) {
			l->room = kcoro_stack_room();
			kcoro_yield();
		}
	}
}

int main(void)
{
	char line[2][25] = { "", "" };
	kcoro_t *a, *b;

	sample_start();
	a = kcoro_create_on(blink, &red, red.memory, STACK);
	b = kcoro_create_on(blink, &green, green.memory, STACK);
	if (!a || !b) {
		printf("%d bytes are too few here, at least %zu are needed: %s\n", STACK,
		       kcoro_stack_min(), strerror(errno));
		return 1;
	}
	for (int tick = 0; tick < 24; tick++) {
		kcoro_resume(a);
		kcoro_resume(b);
		line[0][tick] = red.on ? '#' : '.';
		line[1][tick] = green.on ? '#' : '.';
	}
	printf("  red    %s\n  green  %s\n", line[0], line[1]);
	printf("%d bytes for each, stack and control block; %zu of them were never needed.\n",
	       STACK, red.room);
	kcoro_destroy(a);
	kcoro_destroy(b);
	return 0;
}
