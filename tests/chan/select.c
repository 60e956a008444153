// SPDX-License-Identifier: MIT
/* Select: what can be done now, and the choice among it. */
#include "chan_test.h"

KTEST_SUITE(select, .init = rt_init, .exit = rt_exit);

enum { MANY = 64 };

static struct kc_chan *chans[MANY];

static void open_all(int n, size_t cap)
{
	for (int i = 0; i < n; i++)
		chans[i] = new_chan(cap);
}

static void put_all(int n)
{
	for (int i = 0; i < n; i++) {
		expect_chan(chans[i], kc_chan_len(chans[i]), 0, 0);
		kc_chan_put(chans[i]);
	}
}

/* ---- one ---- */

KTEST(select, takes_the_only_one_that_can_be_done)
{
	int got[4] = { -1, -1, -1, -1 }, elem = 5;
	struct kc_case cases[4];

	open_all(4, 2);
	for (int i = 0; i < 4; i++) {
		for (int k = 0; k < 4; k++)
			cases[k] = (struct kc_case)KC_RECV(chans[k], &got[k]);
		EXPECT_EQ(kc_chan_send(chans[i], &elem), 0);
		EXPECT_EQ(kc_select(cases, 4), i);
		EXPECT_EQ(cases[i].err, 0);
		EXPECT_EQ(got[i], 5);
		EXPECT_EQ(kc_chan_len(chans[i]), 0);
		got[i] = -1;
		for (int k = 0; k < 4; k++)
			EXPECT_EQ(got[k], -1);
	}
	put_all(4);
}

/* Of several that can be done one is, the others have no effect. */
KTEST(select, exactly_one_fires)
{
	int got[8], total = 0, elem = 9;
	struct kc_case cases[8];

	open_all(8, 3);
	for (int i = 0; i < 4; i++)
		for (int k = 0; k < 3; k++)
			EXPECT_EQ(kc_chan_send(chans[i], &k), 0);
	for (int round = 1; round <= 24; round++) {
		int fired;
		size_t len = 0;

		for (int i = 0; i < 8; i++)
			cases[i] = i < 4 ? (struct kc_case)KC_RECV(chans[i], &got[i]) :
					   (struct kc_case)KC_SEND(chans[i], &elem);
		fired = kc_select(cases, 8);
		ASSERT_TRUE(fired >= 0 && fired < 8);
		EXPECT_EQ(cases[fired].err, 0);
		for (int i = 0; i < 4; i++)
			len += 3 - kc_chan_len(chans[i]) + kc_chan_len(chans[i + 4]);
		EXPECT_EQ(len, round);
		total += fired < 4;
	}
	EXPECT_EQ(total, 12);
	EXPECT_ERR(kc_try_select(cases, 8), EAGAIN);
	put_all(8);
}

KTEST(select, default)
{
	struct kc_case cases[2];
	int elem = 1;

	open_all(2, 1);
	cases[0] = (struct kc_case)KC_RECV(chans[0], &elem);
	cases[1] = (struct kc_case)KC_SEND(chans[1], &elem);
	EXPECT_EQ(kc_try_select(cases, 2), 1);
	EXPECT_ERR(kc_try_select(cases, 2), EAGAIN);
	EXPECT_ERR(kc_try_select(cases, 0), EAGAIN);
	EXPECT_ERR(kc_try_select(NULL, 0), EAGAIN);
	put_all(2);
}

KTEST(select, null_channels_never_fire)
{
	struct kc_case cases[3] = { KC_RECV(NULL, NULL), KC_SEND(NULL, NULL), KC_RECV(NULL, NULL) };
	int elem = 1;

	EXPECT_ERR(kc_try_select(cases, 2), EAGAIN);
	EXPECT_ERR(kc_select_until(cases, 2, kc_after(KC_SEC)), ETIMEDOUT);
	EXPECT_EQ(kc_now(), T0 + KC_SEC);
	open_all(1, 1);
	for (int i = 0; i < 20; i++) {
		EXPECT_EQ(kc_chan_send(chans[0], &elem), 0);
		cases[2].chan = chans[0];
		EXPECT_EQ(kc_select(cases, 3), 2);
	}
	put_all(1);
}

KTEST(select, nothing_to_wait_for)
{
	KTEST_REQUIRES(!IS_ENABLED(CONFIG_DEADLOCK_PANIC), "a deadlock is a panic");
	EXPECT_ERR(kc_select_until(NULL, 0, kc_after(KC_MSEC)), ETIMEDOUT);
	EXPECT_ERR(kc_select(NULL, 0), EDEADLK);
}

KTEST(select, bad_arguments)
{
	struct kc_case cases[2];
	int elem = 1;

	open_all(1, 1);
	cases[0] = (struct kc_case)KC_SEND(chans[0], &elem);
	cases[1] = cases[0];
	EXPECT_ERR(kc_try_select(NULL, 1), EINVAL);
	EXPECT_ERR(kc_select(cases, -1), EINVAL);
	cases[1].op = (enum kc_case_op)7;
	EXPECT_ERR(kc_select(cases, 2), EINVAL);
	cases[1] = (struct kc_case)KC_SEND(chans[0], NULL);
	EXPECT_ERR(kc_select_until(cases, 2, T0), EINVAL);
	/* none of them did anything */
	EXPECT_EQ(kc_chan_len(chans[0]), 0);
	put_all(1);
}

KTEST(select, closed_channels_can_be_done)
{
	struct kc_case c;
	int elem = 3, got = -1;

	open_all(3, 2);
	EXPECT_EQ(kc_chan_send(chans[0], &elem), 0);
	for (int i = 0; i < 2; i++)
		EXPECT_EQ(kc_chan_close(chans[i]), 0);
	/* first what is in it, then the end, as often as one asks */
	c = (struct kc_case)KC_RECV(chans[0], &got);
	EXPECT_EQ(kc_select(&c, 1), 0);
	EXPECT_EQ(c.err, 0);
	EXPECT_EQ(got, 3);
	got = -1;
	for (int i = 0; i < 3; i++) {
		EXPECT_EQ(kc_select(&c, 1), 0);
		EXPECT_ERR(c.err, EPIPE);
	}
	EXPECT_EQ(got, -1);
	c = (struct kc_case)KC_SEND(chans[1], &elem);
	EXPECT_EQ(kc_try_select(&c, 1), 0);
	EXPECT_ERR(c.err, EPIPE);
	EXPECT_EQ(kc_chan_len(chans[1]), 0);
	put_all(3);
}

KTEST(select, works_outside_a_runtime)
{
	struct kc_case cases[2];
	int elem = 4;

	open_all(2, 1);
	ASSERT_EQ(kc_detach(), 0);
	cases[0] = (struct kc_case)KC_SEND(chans[0], &elem);
	cases[1] = (struct kc_case)KC_SEND(chans[1], &elem);
	EXPECT_GE(kc_select(cases, 2), 0);
	EXPECT_GE(kc_select(cases, 2), 0);
	EXPECT_EQ(kc_chan_len(chans[0]) + kc_chan_len(chans[1]), 2);
	EXPECT_ERR(kc_try_select(cases, 2), EAGAIN);
	EXPECT_ERR(kc_select(cases, 2), EPERM);
	ASSERT_EQ(kc_attach(), 0);
	put_all(2);
}

static void *choose(void *arg)
{
	struct kc_chan *ch[2] = { new_chan(1), new_chan(1) };
	int elem = 0, *hits = arg;
	struct kc_case cases[2] = { KC_RECV(ch[0], NULL), KC_RECV(ch[1], NULL) };

	for (int i = 0; i < 200; i++) {
		EXPECT_NE(kc_try_chan_send(ch[0], &elem), -EPIPE);
		EXPECT_NE(kc_try_chan_send(ch[1], &elem), -EPIPE);
		hits[kc_try_select(cases, 2)]++;
	}
	kc_chan_put(ch[0]);
	kc_chan_put(ch[1]);
	return NULL;
}

/* Threads without a runtime do not share the dice either. */
KTEST(select, dice_of_threads)
{
	int hits[2][2] = { { 0, 0 }, { 0, 0 } };
	pthread_t thread[2];

	NEED_THREADS();
	for (int i = 0; i < 2; i++)
		ASSERT_EQ(pthread_create(&thread[i], NULL, choose, hits[i]), 0);
	for (int i = 0; i < 2; i++) {
		ASSERT_EQ(pthread_join(thread[i], NULL), 0);
		EXPECT_GT(hits[i][0], 60);
		EXPECT_GT(hits[i][1], 60);
	}
}

/* ---- fair ---- */

static double chi_square(const unsigned long *hits, int cells, unsigned long draws)
{
	double want = (double)draws / cells, sum = 0;

	for (int i = 0; i < cells; i++)
		sum += ((double)hits[i] - want) * ((double)hits[i] - want) / want;
	return sum;
}

/* bounds that a fair choice exceeds once in a million */
static const struct {
	const char *desc;
	int ready, of;
	double bound;
} fairness[] = {
	{ "2 of 2", 2, 2, 24 }, { "3 of 8", 3, 8, 28 }, { "4 of 4", 4, 4, 31 },
	{ "8 of 8", 8, 8, 40 }, { "64 of 64", 64, 64, 131 },
};

KTEST_PARAM(select, fair_choice, fairness)
{
	const unsigned long draws = ktest_iterations(100000) + 2000;
	unsigned long hits[MANY] = { 0 }, pairs[16] = { 0 };
	struct kc_case cases[MANY];
	int stride = param->of / param->ready, elem = 0, last = 0;

	open_all(param->of, 1);
	for (int i = 0; i < param->ready; i++)
		EXPECT_EQ(kc_chan_send(chans[i * stride], &elem), 0);
	for (int i = 0; i < param->of; i++)
		cases[i] = (struct kc_case)KC_RECV(chans[i], &elem);
	for (unsigned long i = 0; i < draws; i++) {
		int fired = kc_select(cases, param->of);

		ASSERT_GE(fired, 0);
		ASSERT_EQ(fired % stride, 0);
		hits[fired / stride]++;
		if (param->ready == 4)
			pairs[last * 4 + fired]++;
		last = fired;
		EXPECT_EQ(kc_chan_send(chans[fired], &elem), 0);
	}
	EXPECT_LT(chi_square(hits, param->ready, draws), param->bound);
	/* nor does one choice tell of the next */
	if (param->ready == 4)
		EXPECT_LT(chi_square(pairs, 16, draws), 56);
	put_all(param->of);
}

/* sends and receives, on the same channel too, have the same chance */
KTEST(select, fair_between_send_and_receive)
{
	const unsigned long draws = ktest_iterations(40000) + 2000;
	unsigned long hits[3] = { 0 };
	int elem = 0;

	open_all(1, 2);
	EXPECT_EQ(kc_chan_send(chans[0], &elem), 0);
	for (unsigned long i = 0; i < draws; i++) {
		struct kc_case cases[] = { KC_SEND(chans[0], &elem), KC_RECV(chans[0], &elem),
					   KC_RECV(chans[0], &elem) };
		int fired = kc_select(cases, 3);

		ASSERT_GE(fired, 0);
		hits[fired]++;
		/* back to one element in two slots */
		if (fired == 0)
			EXPECT_EQ(kc_chan_recv(chans[0], NULL), 0);
		else
			EXPECT_EQ(kc_chan_send(chans[0], &elem), 0);
	}
	EXPECT_LT(chi_square(hits, 3, draws), 28);
	put_all(1);
}
