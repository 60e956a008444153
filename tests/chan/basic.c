// SPDX-License-Identifier: MIT
/* Channels: order, copies, blocking, every kind and element size. */
#include "chan_test.h"

KTEST_SUITE(chan, .init = rt_init, .exit = rt_exit);

/* ---- every kind with every size ---- */

#define SIZES(_kind, _cap)								\
	{ _kind " of 0", _cap, 0 }, { _kind " of 1", _cap, 1 }, { _kind " of 4", _cap, 4 },	\
	{ _kind " of 8", _cap, 8 }, { _kind " of 24", _cap, 24 }, { _kind " of 4096", _cap, 4096 }

static const struct kind {
	const char *desc;
	size_t cap, size;
} kinds[] = {
	SIZES("rendezvous", 0), SIZES("1", 1), SIZES("3", 3), SIZES("128", 128),
	SIZES("unlimited", KC_CHAN_UNLIMITED), SIZES("conflated", KC_CHAN_CONFLATED),
};

enum { LAPS = 500 };

static struct kc_chan *ch;
static const struct kind *kind;

/* element n; the byte behind it must stay what it was */
static void fill(unsigned char *elem, int n)
{
	for (size_t i = 0; i < kind->size; i++)
		elem[i] = (unsigned char)(n + (int)i * 7 + n / 256);
	elem[kind->size] = 0xa5;
}

static void *producer(void *arg)
{
	unsigned char *elem = malloc(kind->size + 1);

	(void)arg;
	for (int i = 0; i < LAPS; i++) {
		fill(elem, i);
		EXPECT_EQ(kc_chan_send(ch, kind->size ? elem : NULL), 0);
	}
	EXPECT_EQ(kc_chan_close(ch), 0);
	free(elem);
	return NULL;
}

KTEST_PARAM(chan, keeps_order_and_content, kinds)
{
	unsigned char *want = malloc(param->size + 1), *got = malloc(param->size + 1);
	bool conflated = param->cap == KC_CHAN_CONFLATED;
	int n = 0;

	kind = param;
	ch = kc_chan_new(param->size, param->cap);
	ASSERT_NOT_NULL(ch);
	EXPECT_EQ(kc_chan_cap(ch), param->cap);
	go(producer, NULL);
	if (conflated) {
		settle();	/* only the latest is there */
		n = LAPS - 1;
	}
	for (;; n++) {
		int err;

		got[param->size] = 0xa5;
		err = kc_chan_recv(ch, got);
		if (err) {
			EXPECT_ERR(err, EPIPE);
			break;
		}
		fill(want, n);
		ASSERT_EQ(memcmp(got, want, param->size + 1), 0);
		EXPECT_LE(kc_chan_len(ch), conflated ? 1 : param->cap);
		if (n % 7 == 0)
			ASSERT_EQ(kc_yield(), 0);
	}
	EXPECT_EQ(n, LAPS);
	kc_chan_put(ch);
	free(want);
	free(got);
}

/* ---- blocked on both sides ---- */

static struct story story;

static void *send_arg(void *arg)
{
	int elem = (int)(intptr_t)arg, err = kc_chan_send(ch, &elem);

	tell(&story, err ? err : elem);
	return NULL;
}

static void *recv_tell(void *arg)
{
	int elem = -1, err = kc_chan_recv(ch, &elem);

	tell(&story, err ? err : (int)(intptr_t)arg * 100 + elem);
	return NULL;
}

KTEST(chan, fifo_across_buffer_and_blocked_senders)
{
	int elem;

	ch = new_chan(3);
	for (intptr_t i = 1; i <= 8; i++)
		go(send_arg, (void *)i);
	settle();
	EXPECT_STORY(&story, 1, 2, 3);
	expect_chan(ch, 3, 5, 0);
	for (int i = 1; i <= 8; i++) {
		EXPECT_EQ(kc_try_chan_recv(ch, &elem), 0);
		EXPECT_EQ(elem, i);
		/* the longest-waiting sender's element is in the slot already */
		expect_chan(ch, i <= 5 ? 3 : (size_t)(8 - i), i < 5 ? (size_t)(5 - i) : 0, 0);
	}
	EXPECT_ERR(kc_try_chan_recv(ch, &elem), EAGAIN);
	settle();
	EXPECT_STORY(&story, 1, 2, 3, 4, 5, 6, 7, 8);
	kc_chan_put(ch);
}

KTEST(chan, blocked_receivers_are_served_in_order)
{
	ch = new_chan(2);
	for (intptr_t i = 1; i <= 4; i++)
		go(recv_tell, (void *)i);
	settle();
	expect_chan(ch, 0, 0, 4);
	for (int i = 1; i <= 6; i++)
		EXPECT_EQ(kc_try_chan_send(ch, &i), 0);
	/* four went straight to those who waited */
	expect_chan(ch, 2, 0, 0);
	settle();
	EXPECT_STORY(&story, 101, 202, 303, 404);
	kc_chan_put(ch);
}

KTEST(chan, rendezvous_serves_senders_in_order)
{
	int elem;

	ch = new_chan(0);
	for (intptr_t i = 1; i <= 4; i++)
		go(send_arg, (void *)i);
	settle();
	EXPECT_EQ(story.n, 0);
	expect_chan(ch, 0, 4, 0);
	for (int i = 1; i <= 4; i++) {
		EXPECT_EQ(kc_chan_recv(ch, &elem), 0);
		EXPECT_EQ(elem, i);
	}
	settle();
	EXPECT_STORY(&story, 1, 2, 3, 4);
	kc_chan_put(ch);
}

/* A send to a receiver that waits writes its memory before anybody else runs. */
static int target;

static void *recv_target(void *arg)
{
	(void)arg;
	return ret(kc_chan_recv(ch, &target));
}

static const struct {
	const char *desc;
	size_t cap;
} caps[] = { { "rendezvous", 0 }, { "buffered", 2 }, { "unlimited", KC_CHAN_UNLIMITED },
	     { "conflated", KC_CHAN_CONFLATED } };

KTEST_PARAM(chan, direct_send, caps)
{
	struct kc_task *task;
	int elem = 42;

	ch = new_chan(param->cap);
	task = spawn(recv_target, NULL);
	settle();
	EXPECT_STREQ(STATE(kc_task_coro(task)), "PARKED");
	EXPECT_EQ(kc_chan_send(ch, &elem), 0);
	EXPECT_EQ(target, 42);
	EXPECT_STREQ(STATE(kc_task_coro(task)), "READY");
	expect_chan(ch, 0, 0, 0);
	EXPECT_EQ(join(task), 0);
	kc_chan_put(ch);
}

/* and a receive reads the memory of a sender that waits, as it is then */
static void *send_target(void *arg)
{
	(void)arg;
	return ret(kc_chan_send(ch, &target));
}

KTEST(chan, direct_receive)
{
	struct kc_task *task;
	int elem = 0;

	ch = new_chan(0);
	target = 1;
	task = spawn(send_target, NULL);
	settle();
	target = 43;
	EXPECT_EQ(kc_chan_recv(ch, &elem), 0);
	EXPECT_EQ(elem, 43);
	EXPECT_STREQ(STATE(kc_task_coro(task)), "READY");
	EXPECT_EQ(join(task), 0);
	kc_chan_put(ch);
}

static bool ran;

static void *canary(void *arg)
{
	(void)arg;
	ran = true;
	return NULL;
}

KTEST(chan, room_means_no_switch)
{
	int elem = 0;

	ch = new_chan(3);
	go(canary, NULL);
	for (int i = 0; i < 3; i++)
		EXPECT_EQ(kc_chan_send(ch, &i), 0);
	for (int i = 0; i < 3; i++)
		EXPECT_EQ(kc_chan_recv(ch, &elem), 0);
	EXPECT_FALSE(ran);
	kc_chan_put(ch);
	settle();
}

/* The writer at capacity waits while others go on; who waits longest continues first. */
KTEST(chan, backpressure)
{
	ch = new_chan(2);
	for (intptr_t i = 1; i <= 4; i++)
		go(send_arg, (void *)i);
	go(canary, NULL);
	settle();
	EXPECT_TRUE(ran);
	EXPECT_STORY(&story, 1, 2);
	EXPECT_EQ(kc_chan_recv(ch, NULL), 0);
	settle();
	EXPECT_STORY(&story, 1, 2, 3);
	EXPECT_EQ(kc_chan_recv(ch, NULL), 0);
	settle();
	EXPECT_STORY(&story, 1, 2, 3, 4);
	kc_chan_put(ch);
}

KTEST(chan, conflated_keeps_the_latest)
{
	struct kc_chan_stats st;
	int elem;

	ch = new_chan(KC_CHAN_CONFLATED);
	for (int i = 1; i <= 5; i++)
		EXPECT_EQ(kc_chan_send(ch, &i), 0);
	kc_chan_get_stats(ch, &st);
	EXPECT_EQ(st.sent, 5);
	EXPECT_EQ(st.completed, 4);
	EXPECT_EQ(st.high_water, 1);
	EXPECT_EQ(kc_chan_recv(ch, &elem), 0);
	EXPECT_EQ(elem, 5);
	EXPECT_ERR(kc_try_chan_recv(ch, &elem), EAGAIN);
	kc_chan_put(ch);
}

KTEST(chan, unlimited_grows)
{
	const int n = (int)ktest_iterations(100000);
	int elem = -1, next = 0;

	ch = new_chan(KC_CHAN_UNLIMITED);
	/* the ring wraps before it grows */
	for (int i = 0; i < n; i++) {
		EXPECT_EQ(kc_chan_send(ch, &i), 0);
		if (i % 3 == 0) {
			EXPECT_EQ(kc_chan_recv(ch, &elem), 0);
			ASSERT_EQ(elem, next++);
		}
	}
	EXPECT_EQ(kc_chan_len(ch), n - next);
	while (!kc_try_chan_recv(ch, &elem))
		ASSERT_EQ(elem, next++);
	EXPECT_EQ(next, n);
	kc_chan_put(ch);
}

KTEST(chan, operations_that_need_not_wait_work_outside)
{
	struct kc_chan *c = new_chan(1);
	int elem = 5;

	ASSERT_EQ(kc_detach(), 0);
	EXPECT_NULL(kcoro_current());
	EXPECT_EQ(kc_chan_send(c, &elem), 0);
	EXPECT_ERR(kc_chan_send(c, &elem), EPERM);
	EXPECT_ERR(kc_try_chan_send(c, &elem), EAGAIN);
	EXPECT_EQ(kc_chan_len(c), 1);
	EXPECT_EQ(kc_chan_recv(c, &elem), 0);
	EXPECT_ERR(kc_chan_recv(c, &elem), EPERM);
	EXPECT_ERR(kc_chan_recv_until(c, 1, &elem), EPERM);
	EXPECT_ERR(kc_try_chan_recv(c, &elem), EAGAIN);
	EXPECT_EQ(kc_chan_close(c), 0);
	EXPECT_ERR(kc_chan_recv(c, &elem), EPIPE);
	EXPECT_ERR(kc_chan_send(c, &elem), EPIPE);
	kc_chan_put(c);
	ASSERT_EQ(kc_attach(), 0);
}

/* in_flight is what was accepted and not completed, whatever ended the others */
KTEST(chan, in_flight_accounting)
{
	struct kc_chan_stats st;
	struct kc_task *task;
	int elem = 0;

	ch = new_chan(2);
	for (int i = 0; i < 2; i++)
		EXPECT_EQ(kc_chan_send(ch, &i), 0);
	EXPECT_ERR(kc_chan_send_until(ch, &elem, kc_after(KC_SEC)), ETIMEDOUT);
	task = spawn(send_target, NULL);
	settle();
	kc_chan_get_stats(ch, &st);
	/* one that waits has not been accepted */
	EXPECT_EQ(st.sent, 2);
	EXPECT_EQ(st.in_flight, 2);
	EXPECT_EQ(st.senders, 1);
	EXPECT_EQ(kc_interrupt(task), 0);
	EXPECT_EQ(join(task), -EINTR);
	task = spawn(send_target, NULL);
	settle();
	EXPECT_EQ(kc_chan_close(ch), 0);
	EXPECT_EQ(join(task), -EPIPE);
	kc_chan_get_stats(ch, &st);
	EXPECT_EQ(st.sent, 2);
	EXPECT_EQ(st.senders, 0);
	while (!kc_chan_recv(ch, NULL))
		;
	kc_chan_get_stats(ch, &st);
	EXPECT_EQ(st.in_flight, 0);
	EXPECT_EQ(st.completed, 2);
	EXPECT_EQ(st.high_water, 2);
	kc_chan_put(ch);
}
