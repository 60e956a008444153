// SPDX-License-Identifier: MIT
/* Channels: close, references, pointers that own something. */
#include "chan_test.h"

KTEST_SUITE(chan, .init = rt_init, .exit = rt_exit);

static struct kc_chan *ch;
static struct story story;

static void *send_arg(void *arg)
{
	int elem = (int)(intptr_t)arg, err = kc_chan_send(ch, &elem);

	tell(&story, err ? err - elem * 1000 : elem);
	return ret(err);
}

static void *recv_arg(void *arg)
{
	int elem = -1, err = kc_chan_recv(ch, &elem);

	/* unchanged after an error */
	EXPECT_EQ(elem == -1, err != 0);
	tell(&story, err ? err - (int)(intptr_t)arg * 1000 : elem);
	return ret(err);
}

static const struct {
	const char *desc;
	size_t cap;
} caps[] = { { "rendezvous", 0 }, { "1", 1 }, { "3", 3 }, { "128", 128 },
	     { "unlimited", KC_CHAN_UNLIMITED }, { "conflated", KC_CHAN_CONFLATED } };

KTEST_PARAM(chan, close_lets_drain, caps)
{
	int n = param->cap == KC_CHAN_CONFLATED ? 1 : param->cap < 3 ? (int)param->cap : 3;
	int elem = -1;

	ch = new_chan(param->cap);
	EXPECT_EQ(kc_chan_closed(ch), 0);
	for (int i = 0; i < n; i++)
		EXPECT_EQ(kc_chan_send(ch, &i), 0);
	EXPECT_EQ(kc_chan_close(ch), 0);
	EXPECT_EQ(kc_chan_closed(ch), 1);
	EXPECT_EQ(kc_chan_len(ch), n);
	EXPECT_ERR(kc_chan_send(ch, &elem), EPIPE);
	EXPECT_ERR(kc_try_chan_send(ch, &elem), EPIPE);
	EXPECT_ERR(kc_chan_send_until(ch, &elem, T0 - 1), EPIPE);
	for (int i = 0; i < n; i++) {
		EXPECT_EQ(kc_chan_recv(ch, &elem), 0);
		EXPECT_EQ(elem, i);
	}
	elem = 77;
	for (int i = 0; i < 3; i++) {
		EXPECT_ERR(kc_chan_recv(ch, &elem), EPIPE);
		EXPECT_ERR(kc_try_chan_recv(ch, &elem), EPIPE);
		EXPECT_ERR(kc_chan_recv_until(ch, T0 - 1, &elem), EPIPE);
	}
	EXPECT_EQ(elem, 77);
	kc_chan_put(ch);
}

KTEST(chan, close_twice)
{
	struct kc_task *task;

	ch = new_chan(0);
	task = spawn(recv_arg, ret(1));
	settle();
	EXPECT_EQ(kc_chan_close(ch), 0);
	EXPECT_ERR(kc_chan_close(ch), EALREADY);
	EXPECT_EQ(join(task), -EPIPE);
	EXPECT_EQ(story.n, 1);
	EXPECT_ERR(kc_chan_close(ch), EALREADY);
	EXPECT_ERR(kc_chan_close(NULL), EINVAL);
	kc_chan_put(ch);
}

KTEST(chan, close_wakes_receivers_in_order)
{
	ch = new_chan(2);
	for (intptr_t i = 1; i <= 4; i++)
		go(recv_arg, (void *)i);
	settle();
	EXPECT_EQ(kc_chan_close(ch), 0);
	EXPECT_EQ(story.n, 0);
	expect_chan(ch, 0, 0, 0);
	settle();
	EXPECT_STORY(&story, -1000 - EPIPE, -2000 - EPIPE, -3000 - EPIPE, -4000 - EPIPE);
	kc_chan_put(ch);
}

/* and nobody gets what they wanted to send */
KTEST(chan, close_wakes_senders_in_order)
{
	int elem;

	ch = new_chan(1);
	for (intptr_t i = 1; i <= 4; i++)
		go(send_arg, (void *)i);
	settle();
	EXPECT_EQ(kc_chan_close(ch), 0);
	EXPECT_EQ(kc_chan_recv(ch, &elem), 0);
	EXPECT_EQ(elem, 1);
	EXPECT_ERR(kc_chan_recv(ch, &elem), EPIPE);
	settle();
	EXPECT_STORY(&story, 1, -2000 - EPIPE, -3000 - EPIPE, -4000 - EPIPE);
	kc_chan_put(ch);
}

/* What was done before the close stays done, also for those who have not run since. */
KTEST(chan, delivered_stays_success)
{
	struct kc_task *receiver, *sender;
	int elem = 9;

	ch = new_chan(0);
	receiver = spawn(recv_arg, ret(1));
	settle();
	EXPECT_EQ(kc_chan_send(ch, &elem), 0);
	EXPECT_EQ(kc_chan_close(ch), 0);
	EXPECT_EQ(join(receiver), 0);
	EXPECT_STORY(&story, 9);
	kc_chan_put(ch);

	ch = new_chan(0);
	sender = spawn(send_arg, ret(4));
	settle();
	EXPECT_EQ(kc_chan_recv(ch, &elem), 0);
	EXPECT_EQ(kc_chan_close(ch), 0);
	EXPECT_EQ(join(sender), 0);
	EXPECT_EQ(elem, 4);
	kc_chan_put(ch);
}

/* A wait that ended early is not found any more. */
KTEST(chan, expired_waits_take_nothing)
{
	int elem = 3, got = 0;

	ch = new_chan(0);
	EXPECT_ERR(kc_chan_recv_until(ch, kc_after(KC_SEC), &got), ETIMEDOUT);
	EXPECT_ERR(kc_try_chan_send(ch, &elem), EAGAIN);
	EXPECT_EQ(got, 0);
	EXPECT_ERR(kc_chan_send_until(ch, &elem, kc_after(KC_SEC)), ETIMEDOUT);
	EXPECT_ERR(kc_try_chan_recv(ch, &got), EAGAIN);
	EXPECT_EQ(got, 0);
	kc_chan_put(ch);
}

/* ---- references ---- */

KTEST(chan, references)
{
	ch = new_chan(1);
	EXPECT_PTR_EQ(kc_chan_get(ch), ch);
	kc_chan_put(ch);
	EXPECT_EQ(kc_chan_closed(ch), 0);
	kc_chan_put(ch);
	kc_chan_put(NULL);
}

static const struct {
	const char *desc;
	kc_fn fn;
	size_t cap;
} waiters[] = { { "receivers", recv_arg, 3 }, { "senders", send_arg, 0 } };

KTEST_PARAM(chan, put_while_others_wait, waiters)
{
	struct kc_task *task[4];

	ch = new_chan(param->cap);
	for (int i = 0; i < 4; i++)
		task[i] = spawn(param->fn, ret(i));
	settle();
	kc_chan_put(ch);
	ch = NULL;
	EXPECT_EQ(story.n, 0);
	for (int i = 0; i < 4; i++)
		EXPECT_EQ(join(task[i]), -EPIPE);
}

/* the user of a channel has the last reference and gives it up between two calls */
static void *last_user(void *arg)
{
	struct kc_chan *c = arg;
	int elem, n = 0;

	while (!kc_chan_recv(c, &elem))
		n += elem;
	kc_chan_put(c);
	return ret(n);
}

KTEST(chan, last_user_frees)
{
	struct kc_task *task;

	ch = new_chan(2);
	task = spawn(last_user, kc_chan_get(ch));
	for (int i = 1; i <= 10; i++)
		EXPECT_EQ(kc_chan_send(ch, &i), 0);
	EXPECT_EQ(kc_chan_close(ch), 0);
	kc_chan_put(ch);
	EXPECT_EQ(join(task), 55);
}

/* ---- pointers ---- */

static int dropped[16], ndropped;

static void drop(void *ptr)
{
	dropped[ndropped++ % 16] = *(int *)ptr;
	free(ptr);
}

static int *box(int value)
{
	int *p = malloc(sizeof(*p));

	*p = value;
	return p;
}

KTEST(chan, pointers_change_hands)
{
	void *p;

	ch = kc_chan_new_ptr(3, drop);
	ASSERT_NOT_NULL(ch);
	for (int i = 0; i < 3; i++)
		EXPECT_EQ(kc_chan_send_ptr(ch, box(i)), 0);
	for (int i = 0; i < 3; i++) {
		EXPECT_EQ(kc_chan_recv_ptr(ch, &p), 0);
		EXPECT_EQ(*(int *)p, i);
		free(p);
	}
	EXPECT_EQ(ndropped, 0);
	kc_chan_put(ch);
	EXPECT_EQ(ndropped, 0);
}

KTEST_PARAM(chan, pointers_left_are_dropped_once, caps)
{
	const int n = param->cap && param->cap < 4 ? (int)param->cap : 4;

	if (!param->cap)
		ktest_skip("a rendezvous holds nothing");
	ch = kc_chan_new_ptr(param->cap, drop);
	ASSERT_NOT_NULL(ch);
	for (int i = 0; i < n; i++)
		EXPECT_EQ(kc_chan_send_ptr(ch, box(i)), 0);
	EXPECT_EQ(ndropped, param->cap == KC_CHAN_CONFLATED ? n - 1 : 0);
	kc_chan_put(ch);
	EXPECT_EQ(ndropped, n);
	for (int i = 0; i < n; i++)
		EXPECT_EQ(dropped[i], i);
}

static void *send_boxed(void *arg)
{
	int err = kc_chan_send_ptr(ch, arg);

	/* still ours */
	if (err)
		free(arg);
	return ret(err);
}

static void *recv_nowhere(void *arg)
{
	(void)arg;
	return ret(kc_chan_recv(ch, NULL));
}

KTEST(chan, pointers_after_errors_stay_with_the_sender)
{
	struct kc_task *task;
	int *p = box(1);

	ch = kc_chan_new_ptr(0, drop);
	ASSERT_NOT_NULL(ch);
	task = spawn(send_boxed, box(2));
	settle();
	EXPECT_EQ(kc_interrupt(task), 0);
	EXPECT_EQ(join(task), -EINTR);
	task = spawn(send_boxed, box(3));
	settle();
	EXPECT_EQ(kc_chan_close(ch), 0);
	EXPECT_EQ(join(task), -EPIPE);
	EXPECT_ERR(kc_chan_send_ptr(ch, p), EPIPE);
	kc_chan_put(ch);
	EXPECT_EQ(ndropped, 0);
	free(p);
}

/* received, and nobody wants it */
KTEST(chan, pointers_received_into_nothing_are_dropped)
{
	struct kc_task *task;

	ch = kc_chan_new_ptr(1, drop);
	ASSERT_NOT_NULL(ch);
	EXPECT_EQ(kc_chan_send_ptr(ch, box(1)), 0);
	EXPECT_EQ(kc_chan_recv_ptr(ch, NULL), 0);
	EXPECT_EQ(ndropped, 1);
	task = spawn(recv_nowhere, NULL);
	settle();
	EXPECT_EQ(kc_chan_send_ptr(ch, box(2)), 0);
	EXPECT_EQ(ndropped, 2);
	EXPECT_EQ(join(task), 0);
	kc_chan_put(ch);
	EXPECT_EQ(ndropped, 2);
}

/* a drop that uses its channel: pointer 1 has 9 sent after it */
static void drop_and_send(void *ptr)
{
	bool first = *(int *)ptr == 1;

	drop(ptr);
	if (first)
		EXPECT_EQ(kc_chan_send_ptr(ch, box(9)), 0);
}

KTEST_PARAM(chan, drop_may_send, caps)
{
	struct kc_task *task;
	void *p;

	KTEST_REQUIRES(param->cap, "a send would wait");
	/* one who waits, and does not want it */
	ch = kc_chan_new_ptr(param->cap, drop_and_send);
	ASSERT_NOT_NULL(ch);
	task = spawn(recv_nowhere, NULL);
	settle();
	EXPECT_EQ(kc_chan_send_ptr(ch, box(1)), 0);
	EXPECT_EQ(join(task), 0);
	EXPECT_EQ(ndropped, 1);
	/* one that need not wait */
	EXPECT_EQ(kc_chan_len(ch), 1);
	EXPECT_EQ(kc_chan_recv(ch, NULL), 0);
	EXPECT_EQ(ndropped, 2);
	EXPECT_EQ(kc_chan_send_ptr(ch, box(1)), 0);
	EXPECT_EQ(kc_chan_recv(ch, NULL), 0);
	EXPECT_EQ(kc_chan_len(ch), 1);
	EXPECT_EQ(kc_chan_recv_ptr(ch, &p), 0);
	EXPECT_EQ(*(int *)p, 9);
	free(p);
	EXPECT_EQ(kc_chan_len(ch), 0);
	EXPECT_EQ(ndropped, 3);
	kc_chan_put(ch);
}

KTEST(chan, drop_of_a_replaced_one_may_send)
{
	struct kc_chan_stats st;
	void *p;

	ch = kc_chan_new_ptr(KC_CHAN_CONFLATED, drop_and_send);
	ASSERT_NOT_NULL(ch);
	EXPECT_EQ(kc_chan_send_ptr(ch, box(1)), 0);
	EXPECT_EQ(kc_chan_send_ptr(ch, box(2)), 0);
	EXPECT_EQ(ndropped, 2);		/* 9 came after 2 */
	kc_chan_get_stats(ch, &st);
	EXPECT_EQ(st.sent, 3);
	EXPECT_EQ(st.in_flight, 1);
	EXPECT_EQ(kc_chan_recv_ptr(ch, &p), 0);
	EXPECT_EQ(*(int *)p, 9);
	free(p);
	EXPECT_EQ(kc_chan_len(ch), 0);
	kc_chan_put(ch);
}

static void drop_and_put(void *ptr)
{
	bool first = *(int *)ptr == 1;

	drop(ptr);
	if (first)
		kc_chan_put(ch);
}

KTEST_PARAM(chan, drop_may_put, caps)
{
	struct kc_task *task;

	ch = kc_chan_new_ptr(param->cap, drop_and_put);
	ASSERT_NOT_NULL(ch);
	task = spawn(recv_nowhere, NULL);
	settle();
	EXPECT_EQ(kc_chan_send_ptr(ch, box(1)), 0);
	EXPECT_EQ(join(task), 0);
	EXPECT_EQ(ndropped, 1);
	if (!param->cap)
		return;
	ch = kc_chan_new_ptr(param->cap, drop_and_put);
	ASSERT_NOT_NULL(ch);
	EXPECT_EQ(kc_chan_send_ptr(ch, box(1)), 0);
	EXPECT_EQ(kc_chan_recv(ch, NULL), 0);
	EXPECT_EQ(ndropped, 2);
	ch = kc_chan_new_ptr(KC_CHAN_CONFLATED, drop_and_put);
	ASSERT_NOT_NULL(ch);
	EXPECT_EQ(kc_chan_send_ptr(ch, box(1)), 0);
	EXPECT_EQ(kc_chan_send_ptr(ch, box(2)), 0);
	EXPECT_EQ(ndropped, 4);
}

KTEST(chan, pointers_need_their_channel)
{
	void *p = NULL;

	ch = new_chan(1);
	EXPECT_ERR(kc_chan_send_ptr(ch, &p), EINVAL);
	EXPECT_ERR(kc_chan_recv_ptr(ch, &p), EINVAL);
	EXPECT_ERR(kc_chan_send_ptr(NULL, &p), EINVAL);
	EXPECT_ERR(kc_chan_recv_ptr(NULL, &p), EINVAL);
	kc_chan_put(ch);
	/* without a drop the pointers are nobody's */
	ch = kc_chan_new_ptr(2, NULL);
	ASSERT_NOT_NULL(ch);
	EXPECT_EQ(kc_chan_send_ptr(ch, &p), 0);
	EXPECT_EQ(kc_chan_send_ptr(ch, NULL), 0);
	EXPECT_EQ(kc_chan_recv_ptr(ch, NULL), 0);
	EXPECT_EQ(kc_chan_recv_ptr(ch, &p), 0);
	EXPECT_NULL(p);
	kc_chan_put(ch);
}

KTEST(chan, sizes_that_overflow)
{
	EXPECT_NULL_ERR(kc_chan_new(SIZE_MAX, 2), EINVAL);
	EXPECT_NULL_ERR(kc_chan_new(2, SIZE_MAX - 2), EINVAL);
	EXPECT_NULL_ERR(kc_chan_new(SIZE_MAX / 2, 3), EINVAL);
	EXPECT_NULL_ERR(kc_chan_new((size_t)1 << 33, (size_t)1 << 33), EINVAL);
	EXPECT_NULL_ERR(kc_chan_new(SIZE_MAX, KC_CHAN_CONFLATED), EINVAL);
	EXPECT_NULL_ERR(kc_chan_new_ptr(SIZE_MAX / 4, NULL), EINVAL);
	/* an element that large can only be handed over */
	ch = kc_chan_new(SIZE_MAX / 4, 0);
	EXPECT_NOT_NULL(ch);
	kc_chan_put(ch);
}

/* Of nothing there can be as many as one likes. */
KTEST(chan, many_signals)
{
	ch = kc_chan_new(0, SIZE_MAX / 4);
	ASSERT_NOT_NULL(ch);
	for (int i = 0; i < 1000; i++)
		EXPECT_EQ(kc_chan_send(ch, NULL), 0);
	EXPECT_EQ(kc_chan_len(ch), 1000);
	for (int i = 0; i < 1000; i++)
		EXPECT_EQ(kc_chan_recv(ch, NULL), 0);
	EXPECT_ERR(kc_try_chan_recv(ch, NULL), EAGAIN);
	kc_chan_put(ch);
}
