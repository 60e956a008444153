// SPDX-License-Identifier: MIT
/* Channels: very many waiters. */
#include "chan_test.h"

KTEST_SUITE(chan, .init = rt_init, .exit = rt_exit, .timeout = 60);

static struct kc_chan *ch;
static unsigned long woken, wrong;

/* n, or as many as the stacks of this build allow for */
static unsigned long crowd(unsigned long n)
{
	if (IS_ENABLED(CONFIG_STACK_STATIC))
		return CREW;
	if (HAVE_DEBUG)
		n /= 10;
	/* each guard takes two of the kernel's 65530 mappings */
	if (!strcmp(kcoro_stack_guard(), "mprotect"))
		n = at_most(n, 10000);
	if (!IS_ENABLED(CONFIG_STACK_MAPPED) || !native())
		n /= 100;
	return ktest_iterations(n);
}

static void *waiter(void *arg)
{
	int elem = -1, err = arg ? kc_chan_send(ch, &elem) : kc_chan_recv(ch, &elem);

	woken++;
	wrong += err != -EPIPE || elem != -1;
	return NULL;
}

static void close_crowd(unsigned long n, void *sends)
{
	long before = resident();

	ch = new_chan(0);
	for (unsigned long i = 0; i < n; i++)
		go(waiter, sends);
	settle();
	expect_chan(ch, 0, sends ? n : 0, sends ? 0 : n);
	EXPECT_EQ(live_coroutines(), n);
	EXPECT_EQ(kc_chan_close(ch), 0);
	EXPECT_EQ(woken, 0);
	expect_chan(ch, 0, 0, 0);
	kc_chan_put(ch);
	settle();
	EXPECT_EQ(woken, n);
	EXPECT_EQ(wrong, 0);
	/* some wait for the next to release them; at the end of the case all have gone */
	EXPECT_LE(live_coroutines(), 64);
	ktest_log("%lu waiters, %ld bytes each", n, (resident() - before) / (long)n);
}

KTEST_SLOW(chan, million_receivers_closed_at_once)
{
	close_crowd(crowd(1000000), NULL);
}

KTEST_SLOW(chan, many_senders_closed_at_once)
{
	close_crowd(crowd(100000), &ch);
}

/* ---- the one in the middle ---- */

static void *patient(void *arg)
{
	(void)arg;
	woken += kc_chan_recv(ch, NULL) == -EPIPE;
	return NULL;
}

static void *impatient(void *arg)
{
	(void)arg;
	return ret(kc_chan_recv_until(ch, kc_after(KC_SEC), NULL));
}

static kc_time_t real_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * KC_SEC + ts.tv_nsec;
}

/* To leave the middle of a queue takes the same time however long it is. */
KTEST_SLOW(chan, timeout_in_the_middle_of_a_million)
{
	enum { LEAVE = 3 };
	const unsigned long n = crowd(1000000), stay = n - LEAVE;
	struct kc_task *task[LEAVE];
	kc_time_t took;

	ch = new_chan(0);
	for (unsigned long i = 0; i < stay; i++) {
		if (i == stay / 2)
			for (int k = 0; k < LEAVE; k++)
				task[k] = spawn(impatient, NULL);
		go(patient, NULL);
	}
	settle();
	expect_chan(ch, 0, 0, n);
	took = real_now();
	for (int k = 0; k < LEAVE; k++)
		EXPECT_EQ(join(task[k]), -ETIMEDOUT);
	took = real_now() - took;
	EXPECT_EQ(kc_now(), T0 + KC_SEC);
	ktest_log("%lu ns for %d of %lu", (unsigned long)took, LEAVE, n);
	/* to walk along half a million stacks misses the cache half a million times */
	if (n == 1000000)
		EXPECT_LT(took, 2 * KC_MSEC);
	EXPECT_EQ(kc_chan_close(ch), 0);
	kc_chan_put(ch);
	settle();
	EXPECT_EQ(woken, stay);
}
