// SPDX-License-Identifier: MIT
/*
 * Deepest use: the stack is zero when it starts, so the lowest word that is not zero marks it.
 * A fresh mapping is zero already; on a recycled one only the part above the first used word
 * is cleared, so that untouched pages stay untouched.
 */
#include <string.h>

#include <internal/coro.h>

KC_SAN_PEEK static char *first_used(char *low, char *high)
{
	uintptr_t *p = (uintptr_t *)kc_align_up((uintptr_t)low, sizeof(uintptr_t));

	kc_san_peek(1);
	while ((char *)p < high && !*p)
		p++;
	kc_san_peek(0);
	return (char *)p < high ? (char *)p : high;
}

void kc_stack_paint(char *low, char *high, bool dirty)
{
	char *from = dirty ? low : first_used(low, high);

	memset(from, 0, (size_t)(high - from));
}

size_t kcoro_stack_used(const kcoro_t *co)
{
	void *low, *high;

	if (!co || kcoro_stack_bounds(co, &low, &high))
		return 0;
	return (size_t)((char *)high - first_used(low, high));
}
