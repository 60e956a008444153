/* SPDX-License-Identifier: MIT */
/* stackdir - which way the stack grows, and how it is aligned at a call. */
#include <stdint.h>

#include "sample.h"

static uintptr_t __attribute__((noinline)) frame(void)
{
	return (uintptr_t)__builtin_frame_address(0);
}

static uintptr_t __attribute__((noinline)) deeper(uintptr_t *outer)
{
	uintptr_t inner;

	*outer = (uintptr_t)__builtin_frame_address(0);
	inner = frame();
	__asm__ volatile("" : "+r"(inner));	/* no tail call */
	return inner;
}

static uintptr_t found[3];

static void body(void *arg)
{
	_Alignas(16) char aligned[16];

	(void)arg;
	__asm__ volatile("" : : "r"(aligned) : "memory");
	found[0] = (uintptr_t)__builtin_frame_address(0);
	found[1] = deeper(&found[2]);
	found[2] = (uintptr_t)aligned % 16;
}

int main(void)
{
	void *low, *high;
	uintptr_t outer, inner;
	int ok;
	kcoro_t *co;

	inner = deeper(&outer);
	printf("on the thread's stack:  grows %s\n", inner < outer ? "down" : "up");

	sample_start();
	co = sample_create(body, NULL, 0);
	kcoro_stack_bounds(co, &low, &high);
	kcoro_resume(co);
	printf("in a coroutine:         grows %s\n", found[1] < found[0] ? "down" : "up");
	ok = found[0] > (uintptr_t)low && found[0] <= (uintptr_t)high;
	printf("its first frame is      %s, %zu bytes below the top\n",
	       ok ? "inside its stack" : "OUTSIDE ITS STACK",
	       (size_t)((uintptr_t)high - found[0]));
	printf("16-byte variables       %s\n", found[2] ? "NOT ALIGNED" : "aligned");
	printf("stack top               aligned to %zu\n",
	       (size_t)((uintptr_t)high & -(uintptr_t)high));
	kcoro_destroy(co);
	if (inner >= outer)
		printf("kcoro's stack/ assumes stacks that grow down\n");
	return !(ok && !found[2] && inner < outer);
}
