/* SPDX-License-Identifier: MIT */
/* st.c - State Threads. Its threads switch through its scheduler: st_usleep(0) yields. */
#include "st_peer.h"

static unsigned long counter[SITES], left;
static st_cond_t never;

#define BODY(n)				\
static void *body##n(void *arg)		\
{					\
	while (left-- > 1)		\
		st_usleep(0);		\
	counter[n]++;			\
	left = 1;			\
	return arg;			\
}
BODY(0)
BODY(1)
BODY(2)
BODY(3)

static void *waits(void *arg)
{
	st_cond_wait(never);
	return arg;
}

static void *ends(void *arg)
{
	return arg;
}

static void *(*const bodies[SITES])(void *) = { body0, body1, body2, body3 };

static double switches(unsigned long count, int n)
{
	static st_thread_t co[MANY];
	double t;

	/* each goes through its timer heap and reads the clock: fewer will do */
	count = count / 20 + 1;
	left = count + 1;
	for (int i = 0; i < n; i++) {
		co[i] = st_thread_create(bodies[i % SITES], NULL, 1, ST_STACK);
		if (!co[i])
			exit(1);
	}
	t = now_ns();
	for (int i = 0; i < n; i++)
		st_thread_join(co[i], NULL);
	return (now_ns() - t) / (double)count;
}

/* a new thread runs once its maker lets it */
static int create(unsigned long count)
{
	for (unsigned long i = 0; i < count; i++) {
		if (!st_thread_create(waits, NULL, 0, ST_STACK))
			return 1;
		if (i % 1000 == 999)
			st_usleep(0);
	}
	st_usleep(0);
	return 0;
}

static int create_warm(void)
{
	st_thread_t t = st_thread_create(ends, NULL, 1, ST_STACK);

	return !t || st_thread_join(t, NULL);
}

int main(int argc, char **argv)
{
	struct peer peer = { "State Threads 1.9", switches, create, create_warm, st_workloads };

	if (st_init())
		return 1;
	never = st_cond_new();
	return peer_main(&peer, argc, argv);
}
