/* SPDX-License-Identifier: MIT */
/*
 * locks.h - a free mutex; conditions by which two coroutines hand over to each other. The
 * file that includes this defines NAME(what), the name of the function that measures it.
 */
#include "rt.h"

static struct kc_mutex mutex[2] = { KC_MUTEX_INIT, KC_MUTEX_INIT };
static struct kc_cond cond[2] = { KC_COND_INIT, KC_COND_INIT };
static int turn;

static void *locks(void *arg)
{
	unsigned long n = *(unsigned long *)arg;

	rt_begin(1);
	while (n--) {
		kc_mutex_lock(&mutex[0]);
		kc_mutex_unlock(&mutex[0]);
		kc_mutex_lock(&mutex[1]);
		kc_mutex_unlock(&mutex[1]);
	}
	rt_done();
	return NULL;
}

double NAME(mutex)(unsigned long count)
{
	unsigned long rounds = count / 2 + 1;

	return rt_measure(locks, &rounds, (double)rounds * 2);
}

/* one thread: nothing needs a lock */
#define PLAYER(me)							\
static void *player##me(void *arg)					\
{									\
	for (unsigned long i = *(unsigned long *)arg; i; i--) {		\
		while (turn != me)					\
			kc_cond_wait(&cond[me], NULL);			\
		turn = !me;						\
		kc_cond_signal(&cond[!me]);				\
	}								\
	rt_done();							\
	return NULL;							\
}
PLAYER(0)
PLAYER(1)

static void *play(void *arg)
{
	int err = rt_go(player0, arg);

	if (!err)
		err = rt_go(player1, arg);
	rt_begin(2);
	return rt_result(err);
}

double NAME(cond)(unsigned long count)
{
	unsigned long rounds = count / 2 + 1;

	return rt_measure(play, &rounds, (double)rounds * 2);
}
