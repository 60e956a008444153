// SPDX-License-Identifier: MIT
/* Select: waits, and what is left of the cases that did not fire. */
#include "chan_test.h"

KTEST_SUITE(select, .init = rt_init, .exit = rt_exit, .timeout = 60);

enum { MANY = 64 };

static struct kc_chan *chans[MANY];
static struct kc_case cases[MANY];
static int ncases, got[MANY];
static int fired;

static void open_all(int n)
{
	for (int i = 0; i < n; i++)
		chans[i] = new_chan(0);
}

static void put_all(int n)
{
	for (int i = 0; i < n; i++) {
		expect_chan(chans[i], 0, 0, 0);
		kc_chan_put(chans[i]);
	}
}

static void *selector(void *arg)
{
	kc_time_t *deadline = arg;

	fired = deadline ? kc_select_until(cases, ncases, *deadline) : kc_select(cases, ncases);
	return ret(fired);
}

/* a coroutine that waits to receive from n channels */
static struct kc_task *receive_from(int n, kc_time_t *deadline)
{
	struct kc_task *task;

	open_all(n);
	ncases = n;
	for (int i = 0; i < n; i++) {
		got[i] = -1;
		cases[i] = (struct kc_case)KC_RECV(chans[i], &got[i]);
	}
	task = spawn(selector, deadline);
	settle();
	for (int i = 0; i < n; i++)
		expect_chan(chans[i], 0, 0, 1);
	return task;
}

KTEST(select, any_of_64_wakes)
{
	for (int i = 0; i < MANY; i++) {
		struct kc_task *task = receive_from(MANY, NULL);

		EXPECT_EQ(kc_try_chan_send(chans[i], &i), 0);
		/* the memory is written, the other nodes are gone before it runs */
		EXPECT_EQ(got[i], i);
		for (int k = 0; k < MANY; k++)
			expect_chan(chans[k], 0, 0, 0);
		EXPECT_EQ(join(task), i);
		EXPECT_EQ(cases[i].err, 0);
		for (int k = 0; k < MANY; k++)
			EXPECT_EQ(got[k], k == i ? i : -1);
		put_all(MANY);
	}
}

/* A case that lost takes no element, even if its select has not run yet. */
KTEST(select, losers_take_nothing)
{
	struct kc_task *task = receive_from(3, NULL);
	int elem = 7;

	EXPECT_EQ(kc_try_chan_send(chans[1], &elem), 0);
	EXPECT_ERR(kc_try_chan_send(chans[0], &elem), EAGAIN);
	EXPECT_ERR(kc_try_chan_send(chans[1], &elem), EAGAIN);
	EXPECT_ERR(kc_try_chan_send(chans[2], &elem), EAGAIN);
	EXPECT_EQ(kc_chan_close(chans[2]), 0);
	EXPECT_EQ(kc_interrupt(task), 0);
	EXPECT_EQ(join(task), 1);
	EXPECT_EQ(cases[1].err, 0);
	put_all(3);
}

KTEST(select, sends_that_lose_are_not_received)
{
	int a = 1, b = 2;
	struct kc_task *task;

	open_all(2);
	ncases = 2;
	cases[0] = (struct kc_case)KC_SEND(chans[0], &a);
	cases[1] = (struct kc_case)KC_SEND(chans[1], &b);
	task = spawn(selector, NULL);
	settle();
	expect_chan(chans[0], 0, 1, 0);
	EXPECT_EQ(kc_try_chan_recv(chans[1], &got[0]), 0);
	EXPECT_EQ(got[0], 2);
	EXPECT_ERR(kc_try_chan_recv(chans[0], &got[0]), EAGAIN);
	EXPECT_EQ(join(task), 1);
	put_all(2);
}

KTEST(select, deadline_leaves_no_node)
{
	kc_time_t due = T0 + 5 * KC_SEC;
	struct kc_task *task = receive_from(8, &due);
	int elem = 1;

	EXPECT_EQ(join(task), -ETIMEDOUT);
	EXPECT_EQ(kc_now(), due);
	for (int i = 0; i < 8; i++)
		EXPECT_ERR(kc_try_chan_send(chans[i], &elem), EAGAIN);
	put_all(8);
}

KTEST(select, interrupt_leaves_no_node)
{
	struct kc_task *task = receive_from(8, NULL);

	EXPECT_EQ(kc_interrupt(task), 0);
	for (int i = 0; i < 8; i++)
		expect_chan(chans[i], 0, 0, 0);
	EXPECT_EQ(join(task), -EINTR);
	put_all(8);
}

KTEST(select, close_fires)
{
	struct kc_task *task = receive_from(4, NULL);

	EXPECT_EQ(kc_chan_close(chans[2]), 0);
	EXPECT_EQ(kc_chan_close(chans[1]), 0);
	EXPECT_EQ(join(task), 2);
	EXPECT_ERR(cases[2].err, EPIPE);
	EXPECT_EQ(got[2], -1);
	put_all(4);
}

KTEST(select, last_reference_goes_while_it_waits)
{
	struct kc_task *task = receive_from(4, NULL);

	kc_chan_put(chans[3]);
	EXPECT_EQ(join(task), 3);
	EXPECT_ERR(cases[3].err, EPIPE);
	put_all(3);
}

/* ---- a channel more than once ---- */

KTEST(select, same_channel_in_several_cases)
{
	struct kc_task *task;
	int elem = 9;

	open_all(1);
	ncases = 3;
	for (int i = 0; i < 3; i++) {
		got[i] = -1;
		cases[i] = (struct kc_case)KC_RECV(chans[0], &got[i]);
	}
	task = spawn(selector, NULL);
	settle();
	EXPECT_EQ(kc_try_chan_send(chans[0], &elem), 0);
	EXPECT_ERR(kc_try_chan_send(chans[0], &elem), EAGAIN);
	fired = (int)join(task);
	ASSERT_TRUE(fired >= 0 && fired < 3);
	for (int i = 0; i < 3; i++)
		EXPECT_EQ(got[i], i == fired ? 9 : -1);
	put_all(1);
}

static const struct {
	const char *desc;
	int how;
} ways[] = { { "a sender comes", 0 }, { "a receiver comes", 1 }, { "close", 2 } };

/* It cannot meet itself, but either side of it can meet others. */
KTEST_PARAM(select, send_and_recv_of_one_channel, ways)
{
	struct kc_task *task;
	int out = 5, in = -1, elem = 6;

	open_all(1);
	ncases = 2;
	cases[0] = (struct kc_case)KC_SEND(chans[0], &out);
	cases[1] = (struct kc_case)KC_RECV(chans[0], &in);
	task = spawn(selector, NULL);
	settle();
	EXPECT_STREQ(STATE(kc_task_coro(task)), "PARKED");
	if (param->how == 0) {
		EXPECT_EQ(kc_try_chan_send(chans[0], &elem), 0);
		EXPECT_EQ(join(task), 1);
		EXPECT_EQ(in, 6);
	} else if (param->how == 1) {
		EXPECT_EQ(kc_try_chan_recv(chans[0], &elem), 0);
		EXPECT_EQ(join(task), 0);
		EXPECT_EQ(elem, 5);
		EXPECT_EQ(in, -1);
	} else {
		EXPECT_EQ(kc_chan_close(chans[0]), 0);
		fired = (int)join(task);
		ASSERT_GE(fired, 0);
		EXPECT_ERR(cases[fired].err, EPIPE);
	}
	put_all(1);
}

/* ---- select against select ---- */

struct side {
	struct kc_chan *a, *b;
	unsigned long rounds;
	long sent, got, nsent, ngot;
};

static void *trader(void *arg)
{
	struct side *s = arg;

	for (unsigned long i = 0; i < s->rounds; i++) {
		int out[2] = { (int)i, (int)i + 1 }, in[2] = { 0, 0 }, n;
		struct kc_case c[4] = { KC_SEND(s->a, &out[0]), KC_RECV(s->a, &in[0]),
					KC_SEND(s->b, &out[1]), KC_RECV(s->b, &in[1]) };

		n = kc_select_until(c, 4, kc_after(KC_SEC));
		if (n < 0) {
			/* the last one finds no partner */
			EXPECT_ERR(n, ETIMEDOUT);
			break;
		}
		EXPECT_EQ(c[n].err, 0);
		if (n % 2) {
			s->got += in[n / 2];
			s->ngot++;
		} else {
			s->sent += out[n / 2];
			s->nsent++;
		}
	}
	return NULL;
}

KTEST(select, against_select)
{
	struct side sides[CREW];
	long sent = 0, received = 0, nsent = 0, ngot = 0;

	open_all(2);
	for (int i = 0; i < CREW; i++) {
		sides[i] = (struct side){ .a = chans[0], .b = chans[1],
					  .rounds = ktest_iterations(5000) };
		go(trader, &sides[i]);
	}
	ASSERT_EQ(kc_sleep(10 * KC_SEC), 0);
	for (int i = 0; i < CREW; i++) {
		sent += sides[i].sent;
		received += sides[i].got;
		nsent += sides[i].nsent;
		ngot += sides[i].ngot;
	}
	EXPECT_EQ(nsent, ngot);
	EXPECT_EQ(sent, received);
	EXPECT_GT(nsent, CREW);
	put_all(2);
}

/* ---- at random: what is sent arrives once, whatever else the selects wait for ---- */

static unsigned char seen[20000];
static int next_elem, limit;
static long failures;

static void *random_sender(void *arg)
{
	(void)arg;
	while (next_elem < limit) {
		int elem = next_elem++, n;
		struct kc_case c[2] = { KC_SEND(chans[ktest_rand() % 4], &elem),
					KC_SEND(chans[ktest_rand() % 4], &elem) };

		do
			n = kc_select_until(c, 2, kc_after((kc_time_t)(ktest_rand() % 4)));
		while (n == -ETIMEDOUT);
		failures += n < 0 || c[n].err;
	}
	return NULL;
}

static void *random_receiver(void *arg)
{
	(void)arg;
	for (;;) {
		int in[3], n;
		struct kc_case c[3] = { KC_RECV(chans[ktest_rand() % 4], &in[0]),
					KC_RECV(chans[ktest_rand() % 4], &in[1]),
					KC_RECV(chans[4], &in[2]) };

		n = kc_select_until(c, 3, kc_after((kc_time_t)(ktest_rand() % 4)));
		if (n == 2)
			return NULL;
		if (n >= 0 && !c[n].err)
			seen[in[n]]++;
		else
			failures += n != -ETIMEDOUT;
		if (ktest_rand() % 3 == 0)
			kc_yield();
	}
}

KTEST(select, nothing_lost_nothing_twice)
{
	struct kc_task *senders[CREW / 2];

	limit = (int)ktest_iterations(20000);
	for (int i = 0; i < 5; i++)
		chans[i] = new_chan(i < 4 ? (size_t)i : 0);
	for (int i = 0; i < CREW / 2; i++) {
		senders[i] = spawn(random_sender, NULL);
		go(random_receiver, NULL);
	}
	for (int i = 0; i < CREW / 2; i++)
		join(senders[i]);
	/* what is in the buffers is still to come */
	ASSERT_EQ(kc_sleep(KC_USEC), 0);
	EXPECT_EQ(kc_chan_close(chans[4]), 0);
	ASSERT_EQ(kc_sleep(KC_USEC), 0);
	EXPECT_EQ(failures, 0);
	for (int i = 0; i < limit; i++)
		ASSERT_EQ(seen[i], 1);
	put_all(5);
}
