/* SPDX-License-Identifier: MIT */
/* rt.c - what the workloads of the runtime have in common. */
#include "rt.h"

static unsigned long alive;
static double begin, end;

int rt_go(kc_fn fn, void *arg)
{
	struct kc_spawn_opts opts = { .stack_size = bench_stack };
	struct kc_task *task;

	if (!bench_stack)
		return kc_go(fn, arg);
	task = kc_spawn(fn, arg, &opts);
	return task ? kc_task_detach(task) : -errno;
}

void rt_begin(unsigned long n)
{
	alive = n;
	begin = now_ns();
}

void rt_done(void)
{
	if (!--alive)
		end = now_ns();
}

double rt_measure(kc_fn driver, void *arg, double ops)
{
	int err = kc_run(driver, arg);

	return err ? err : (end - begin) / ops;
}

uint64_t rt_random(uint64_t n)
{
	static uint64_t x = 88172645463325252u;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return x % n;
}
