// SPDX-License-Identifier: MIT
/* Channels whose memory cannot be had. */
#include <fail.h>

#include "chan_test.h"

KTEST_SUITE(chan_fail, .init = rt_init, .exit = rt_exit);

static int life(void *arg)
{
	size_t cap = *(size_t *)arg;
	struct kc_chan *ch = kc_chan_new(100, cap);
	char elem[100] = "";
	int err = 0;

	if (!ch)
		return -errno;
	for (int i = 0; i < 100 && !err; i++)
		err = kc_try_chan_send(ch, elem);
	kc_chan_put(ch);
	return err == -EAGAIN ? 0 : err;
}

static const struct {
	const char *desc;
	size_t cap;
	unsigned int calls;
} caps[] = { { "rendezvous", 0, 1 }, { "buffered", 3, 1 }, { "conflated", KC_CHAN_CONFLATED, 1 },
	     { "unlimited", KC_CHAN_UNLIMITED, 5 } };

KTEST_PARAM(chan_fail, each_allocation, caps)
{
	size_t cap = param->cap;
	struct ktest_fail_result r = ktest_fail_each(KTEST_ANY_ALLOC, life, &cap);

	EXPECT_EQ(r.reported, param->calls);
	EXPECT_EQ(r.absorbed, 0);
}

KTEST(chan_fail, new_ptr)
{
	ktest_fail_nth(KTEST_ANY_ALLOC, 1);
	EXPECT_NULL_ERR(kc_chan_new_ptr(4, free), ENOMEM);
}

/* An unlimited channel that cannot grow keeps what it has, and grows when it can again. */
KTEST(chan_fail, unlimited_goes_on)
{
	struct kc_chan *ch = new_chan(KC_CHAN_UNLIMITED);
	int n = 0, elem, err;

	for (; n < 20; n++)
		ASSERT_EQ(kc_chan_send(ch, &n), 0);
	ktest_fail_all(KTEST_ANY_ALLOC);
	while (!(err = kc_chan_send(ch, &n)))
		n++;
	EXPECT_ERR(err, ENOMEM);
	EXPECT_EQ(kc_chan_len(ch), n);
	ktest_fail_nth(KTEST_ANY_ALLOC, 0);
	ASSERT_EQ(kc_chan_send(ch, &n), 0);
	for (int i = 0; i <= n; i++) {
		EXPECT_EQ(kc_chan_recv(ch, &elem), 0);
		EXPECT_EQ(elem, i);
	}
	kc_chan_put(ch);
}

#ifdef CONFIG_SELECT
KTEST(chan_fail, select_tells)
{
	struct kc_chan *ch = new_chan(KC_CHAN_UNLIMITED);
	int elem = 0;
	struct kc_case c = KC_SEND(ch, &elem);

	ktest_fail_all(KTEST_ANY_ALLOC);
	EXPECT_EQ(kc_select(&c, 1), 0);
	EXPECT_ERR(c.err, ENOMEM);
	ktest_fail_nth(KTEST_ANY_ALLOC, 0);
	EXPECT_EQ(kc_chan_len(ch), 0);
	kc_chan_put(ch);
}
#endif

/* No call that sends, receives or waits takes memory. */
static struct kc_chan *a;

static void *echo(void *arg)
{
	int elem;

	(void)arg;
	while (!kc_chan_recv_until(a, kc_after(KC_SEC), &elem))
		;
	return NULL;
}

KTEST(chan_fail, no_allocation_to_wait)
{
	struct kc_task *task;

	a = new_chan(0);
	task = spawn(echo, NULL);
	settle();
	ktest_fail_all(KTEST_ANY_ALLOC);
	for (int i = 0; i < 100; i++)
		EXPECT_EQ(kc_chan_send_until(a, &i, kc_after(KC_SEC)), 0);
	EXPECT_EQ(kc_chan_close(a), 0);
	settle();
	EXPECT_EQ(ktest_fail_fired(), 0);
	ktest_fail_nth(KTEST_ANY_ALLOC, 0);
	join(task);
	kc_chan_put(a);
}
