/* SPDX-License-Identifier: MIT */
/*
 * st_runtime.c - what goes through the scheduler of State Threads, as kcbench does it with
 * kcoro's. It has no channels; here they are rings of at least one slot and two conditions.
 */
#include "st_peer.h"

#define PAIRS 8
#define SPREAD 2000	/* ns */

typedef void *(*st_fn)(void *arg);

static unsigned long counter[SITES];

static st_thread_t start(st_fn fn, void *arg)
{
	st_thread_t t = st_thread_create(fn, arg, 1, ST_STACK);

	if (!t)
		exit(1);
	return t;
}

static void start_alone(st_fn fn, void *arg)
{
	if (!st_thread_create(fn, arg, 0, ST_STACK))
		exit(1);
}

/* ---- yield ---- */

#define BODY(n)							\
static void *body##n(void *arg)					\
{								\
	for (unsigned long i = *(unsigned long *)arg; i; i--) {	\
		st_usleep(0);					\
		counter[n]++;					\
		st_usleep(0);					\
	}							\
	return NULL;						\
}
BODY(0)
BODY(1)
BODY(2)
BODY(3)

static st_fn const bodies[SITES] = { body0, body1, body2, body3 };

static double yields(unsigned long count, int n)
{
	static st_thread_t co[MANY];
	/* each goes through its timer heap and reads the clock: fewer will do */
	unsigned long rounds = count / 20 / (2 * (unsigned long)n) + 1;
	double t;

	for (int i = 0; i < n; i++)
		co[i] = start(bodies[i % SITES], &rounds);
	t = now_ns();
	for (int i = 0; i < n; i++)
		st_thread_join(co[i], NULL);
	return (now_ns() - t) / ((double)rounds * 2 * n);
}

static double yield2(unsigned long count)
{
	return yields(count, 2);
}

static double yield1000(unsigned long count)
{
	return yields(count, MANY);
}

/* ---- start and end ---- */

static unsigned long ended;

static void *ends(void *arg)
{
	ended++;
	return arg;
}

static double spawn_join(unsigned long count)
{
	double t = now_ns();

	for (unsigned long i = 0; i < count; i++)
		st_thread_join(start(ends, NULL), NULL);
	return (now_ns() - t) / (double)count;
}

static double spawn_cold(unsigned long count)
{
	double t = now_ns();

	ended = 0;
	for (unsigned long i = 0; i < count; i++)
		start_alone(ends, NULL);
	while (ended < count)
		st_usleep(0);
	return (now_ns() - t) / (double)count;
}

static double spawn(unsigned long count)
{
	spawn_cold(count);
	return spawn_cold(count);
}

/* ---- channels ---- */

struct chan {
	st_cond_t full, empty;
	unsigned long size, head, count;
	long *ring;
};

static struct chan *chan_new(unsigned long size)
{
	struct chan *ch = calloc(1, sizeof(*ch) + size * sizeof(long));

	if (!ch)
		exit(1);
	ch->ring = (long *)(ch + 1);
	ch->size = size;
	ch->full = st_cond_new();
	ch->empty = st_cond_new();
	return ch;
}

static void chan_send(struct chan *ch, long v)
{
	unsigned long at;

	while (ch->count == ch->size)
		st_cond_wait(ch->full);
	at = ch->head + ch->count++;
	ch->ring[at >= ch->size ? at - ch->size : at] = v;
	st_cond_signal(ch->empty);
}

static long chan_recv(struct chan *ch)
{
	long v;

	while (!ch->count)
		st_cond_wait(ch->empty);
	v = ch->ring[ch->head];
	ch->head = ch->head + 1 == ch->size ? 0 : ch->head + 1;
	ch->count--;
	st_cond_signal(ch->full);
	return v;
}

static struct chan *there, *back;

static void *pong(void *arg)
{
	for (unsigned long i = *(unsigned long *)arg; i; i--) {
		chan_send(back, chan_recv(there));
		chan_send(back, chan_recv(there) + 1);
	}
	return NULL;
}

static double chan0(unsigned long count)
{
	unsigned long rounds = count / 4 + 1;
	st_thread_t other;
	double t;
	long v = 0;

	there = chan_new(1);
	back = chan_new(1);
	other = start(pong, &rounds);
	t = now_ns();
	for (unsigned long i = 0; i < rounds; i++) {
		chan_send(there, v);
		v = chan_recv(back) + 1;
		chan_send(there, v);
		v = chan_recv(back);
	}
	st_thread_join(other, NULL);
	return (now_ns() - t) / ((double)rounds * 4);
}

#define ENDS(n)								\
static void *send##n(void *arg)						\
{									\
	for (unsigned long i = *(unsigned long *)arg; i; i--) {		\
		chan_send(there, (long)i);				\
		chan_send(there, (long)i);				\
	}								\
	return NULL;							\
}									\
									\
static void *recv##n(void *arg)						\
{									\
	for (unsigned long i = *(unsigned long *)arg; i; i--) {		\
		counter[n] += (unsigned long)chan_recv(there);		\
		chan_recv(there);					\
	}								\
	return NULL;							\
}
ENDS(0)
ENDS(1)
ENDS(2)
ENDS(3)

static st_fn const senders[SITES] = { send0, send1, send2, send3 };
static st_fn const receivers[SITES] = { recv0, recv1, recv2, recv3 };

static double streams(unsigned long count, unsigned long capacity, int pairs)
{
	unsigned long rounds = count / (2 * (unsigned long)pairs) + 1;
	st_thread_t co[2 * PAIRS];
	double t;

	there = chan_new(capacity);
	for (int i = 0; i < pairs; i++) {
		co[2 * i] = start(senders[i % SITES], &rounds);
		co[2 * i + 1] = start(receivers[i % SITES], &rounds);
	}
	t = now_ns();
	for (int i = 0; i < 2 * pairs; i++)
		st_thread_join(co[i], NULL);
	return (now_ns() - t) / ((double)rounds * 2 * pairs);
}

static double chan0s(unsigned long count)
{
	return streams(count, 1, 1);
}

static double chan128(unsigned long count)
{
	return streams(count, 128, 1);
}

static double mpmc(unsigned long count)
{
	return streams(count, 128, PAIRS);
}

static double mpmc0(unsigned long count)
{
	return streams(count, 1, PAIRS);
}

struct stage {
	struct chan *in, *out;
	long prime;
};

static void *numbers(void *arg)
{
	for (long v = 2;; v++)
		chan_send(arg, v);
	return NULL;
}

static void *filter(void *arg)
{
	struct stage *s = arg;

	for (;;) {
		long v = chan_recv(s->in);

		if (v % s->prime)
			chan_send(s->out, v);
	}
	return NULL;
}

static double sieve(unsigned long count)
{
	struct chan *in = chan_new(1);
	double t = now_ns();

	start_alone(numbers, in);
	while (count--) {
		struct stage *s = malloc(sizeof(*s));

		if (!s)
			exit(1);
		*s = (struct stage){ in, chan_new(1), chan_recv(in) };
		in = s->out;
		start_alone(filter, s);
	}
	return (now_ns() - t) / 1e6;
}

/* ---- locks ---- */

static double mutex(unsigned long count)
{
	st_mutex_t m[2] = { st_mutex_new(), st_mutex_new() };
	unsigned long rounds = count / 2 + 1;
	double t = now_ns();

	for (unsigned long i = 0; i < rounds; i++) {
		st_mutex_lock(m[0]);
		st_mutex_unlock(m[0]);
		st_mutex_lock(m[1]);
		st_mutex_unlock(m[1]);
	}
	return (now_ns() - t) / ((double)rounds * 2);
}

static st_cond_t cond[2];
static int turn;

#define PLAYER(me)							\
static void *player##me(void *arg)					\
{									\
	for (unsigned long i = *(unsigned long *)arg; i; i--) {		\
		while (turn != me)					\
			st_cond_wait(cond[me]);				\
		turn = !me;						\
		st_cond_signal(cond[!me]);				\
	}								\
	return NULL;							\
}
PLAYER(0)
PLAYER(1)

static double conditions(unsigned long count)
{
	unsigned long rounds = count / 2 + 1;
	st_thread_t a, b;
	double t;

	cond[0] = st_cond_new();
	cond[1] = st_cond_new();
	a = start(player0, &rounds);
	b = start(player1, &rounds);
	t = now_ns();
	st_thread_join(a, NULL);
	st_thread_join(b, NULL);
	return (now_ns() - t) / ((double)rounds * 2);
}

/* ---- time ---- */

static unsigned long left;

static void *sleeper(void *arg)
{
	st_usleep((st_utime_t)random() % (SPREAD / 1000 * *(unsigned long *)arg));
	left--;
	return NULL;
}

static double sleepers_once(unsigned long count)
{
	double t = cpu_ns();

	left = count;
	for (unsigned long i = 0; i < count; i++)
		start_alone(sleeper, &count);
	while (left)
		st_usleep(1000);
	return (cpu_ns() - t) / (double)count;
}

static double sleepers(unsigned long count)
{
	sleepers_once(count);
	return sleepers_once(count);
}

const struct peer_workload st_workloads[] = {
	{ "yield2", yield2 },
	{ "yield1000", yield1000 },
	{ "spawn1", spawn_join },
	{ "spawn-join", spawn_join },
	{ "spawn100k", spawn },
	{ "spawn100k-cold", spawn_cold },
	{ "chan0", chan0 },
	{ "chan0s", chan0s },
	{ "chan128", chan128 },
	{ "mpmc", mpmc },
	{ "mpmc0", mpmc0 },
	{ "sieve", sieve },
	{ "mutex", mutex },
	{ "cond", conditions },
	{ "sleep1m", sleepers },
	{ NULL, NULL },
};
