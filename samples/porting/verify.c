/* SPDX-License-Identifier: MIT */
/* verify - does this port work? One line for each thing that must; exit status 1 if one fails. */
#include <stdint.h>

#include "sample.h"

static int failed;

static void check(const char *what, int ok)
{
	printf("%-4s  %s\n", ok ? "ok" : "FAIL", what);
	failed |= !ok;
}

/* ---- values that live in registers across a switch ---- */

static unsigned long integers(unsigned long seed)
{
	unsigned long a = seed, b = seed * 3, c = seed * 5, d = seed * 7, e = seed * 11,
		      f = seed * 13, g = seed * 17, h = seed * 19, i = seed * 23, j = seed * 29;

	for (int n = 0; n < 100; n++) {
		kcoro_yield();
		a += b ^ n, b += c, c += d, d += e, e += f, f += g, g += h, h += i, i += j, j += a;
	}
	return a ^ b ^ c ^ d ^ e ^ f ^ g ^ h ^ i ^ j;
}

static double floats(double seed)
{
	double a = seed, b = seed / 3, c = seed / 5, d = seed / 7, e = seed / 11, f = seed / 13,
	       g = seed / 17, h = seed / 19;

	for (int n = 0; n < 100; n++) {
		kcoro_yield();
		a = (a + b) / 2, b = (b + c) / 2, c = (c + d) / 2, d = (d + e) / 2;
		e = (e + f) / 2, f = (f + g) / 2, g = (g + h) / 2, h = (h + a) / 2;
	}
	return a + b + c + d + e + f + g + h;
}

struct job {
	kcoro_t *co;
	unsigned long seed, integer;
	double real;
};

static void compute(void *arg)
{
	struct job *j = arg;

	j->integer = integers(j->seed);
	j->real = floats((double)j->seed);
}

/* Alone and mixed with another, the results must be the same. */
static void registers(void)
{
	struct job alone = { .seed = 42 }, one = alone, two = { .seed = 4711 };

	alone.co = sample_create(compute, &alone, 0);
	while (!kcoro_resume(alone.co))
		;
	one.co = sample_create(compute, &one, 0);
	two.co = sample_create(compute, &two, 0);
	while (!kcoro_resume(one.co) && !kcoro_resume(two.co))
		;
	check("integer registers survive a switch", alone.integer == one.integer);
	check("floating-point registers survive a switch",
	      !memcmp(&alone.real, &one.real, sizeof(one.real)));
	kcoro_destroy(alone.co);
	kcoro_destroy(one.co);
	kcoro_destroy(two.co);
}

/* ---- the life of one ---- */

static int trace;

static void life(void *arg)
{
	trace = trace * 10 + (kcoro_state(kcoro_current()) == KCORO_RUNNING);
	kcoro_yield();
	trace = trace * 10 + 2;
	kcoro_park();
	trace = trace * 10 + (arg == &trace ? 3 : 9);
}

static void lifecycle(void)
{
	kcoro_t *co = sample_create(life, &trace, 0);

	check("a new coroutine is CREATED and has not run",
	      kcoro_state(co) == KCORO_CREATED && !trace);
	check("resume runs it, yield comes back",
	      !kcoro_resume(co) && kcoro_state(co) == KCORO_SUSPENDED && trace == 1);
	check("park", !kcoro_resume(co) && kcoro_state(co) == KCORO_PARKED && trace == 12);
	check("a parked one cannot be resumed", kcoro_resume(co) == -EAGAIN);
	check("unpark makes it READY", kcoro_unpark(co) == 1 && kcoro_state(co) == KCORO_READY);
	check("it ends", !kcoro_resume(co) && kcoro_state(co) == KCORO_FINISHED && trace == 123);
	check("a finished one cannot be resumed", kcoro_resume(co) == -ESRCH);
	check("destroy", !kcoro_destroy(co));
}

/* ---- yield_to ---- */

#define RING 4
#define ROUNDS 1000

static kcoro_t *ring[RING];
static unsigned long hops;

static void hop(void *arg)
{
	size_t me = (size_t)(uintptr_t)arg;

	while (hops < (unsigned long)RING * ROUNDS) {
		hops++;
		kcoro_yield_to(ring[(me + 1) % RING]);
	}
}

static void rings(void)
{
	int bad = 0;

	for (size_t i = 0; i < RING; i++)
		ring[i] = sample_create(hop, (void *)(uintptr_t)i, 0);
	check("yield_to goes round a ring and ends where it began",
	      !kcoro_resume(ring[0]) && hops == (unsigned long)RING * ROUNDS);
	for (int i = 0; i < RING; i++)
		bad |= kcoro_destroy(ring[i]);
	check("the ring is destroyed, suspended or not", !bad);
}

/* ---- stacks ---- */

static uintptr_t misaligned = 1;

static void align(void *arg)
{
	_Alignas(16) char v[16];

	(void)arg;
	__asm__ volatile("" : : "r"(v) : "memory");
	misaligned = (uintptr_t)v % 16;
}

#define NEST 4

static int nested;

static void nest(void *arg)
{
	kcoro_t *co;

	if (++nested == NEST)
		return;
	co = kcoro_create(nest, arg, 0);
	kcoro_resume(co);
	kcoro_destroy(co);
}

static void stacks(void)
{
	kcoro_t *co = sample_create(align, NULL, 0);

	kcoro_resume(co);
	check("the stack is aligned to 16 bytes", !misaligned);
	kcoro_destroy(co);
	co = sample_create(nest, NULL, 0);
	kcoro_resume(co);
	check("coroutines resume coroutines",
	      nested == NEST && kcoro_state(co) == KCORO_FINISHED);
	kcoro_destroy(co);
}

int main(void)
{
	sample_start();
	printf("%s\n", kc_abi_tag());
	lifecycle();
	registers();
	rings();
	stacks();
	check("nothing is left behind", !kcoro_detach());
	printf("%s\n", failed ? "this port does not work yet" : "this port works");
	return failed;
}
