/* SPDX-License-Identifier: MIT */
/* What the suites of channels and select share. */
#ifndef TESTS_CHAN_TEST_H
#define TESTS_CHAN_TEST_H

#include "rt.h"

/* a channel of int */
static inline struct kc_chan *new_chan(size_t cap)
{
	struct kc_chan *ch = kc_chan_new(sizeof(int), cap);

	ASSERT_NOT_NULL(ch);
	return ch;
}

/* what is in it and who waits; and what must hold at any time */
static inline void expect_chan(const struct kc_chan *ch, size_t len, size_t senders,
			       size_t receivers)
{
	struct kc_chan_stats st;

	kc_chan_get_stats(ch, &st);
	EXPECT_EQ(kc_chan_len(ch), len);
	EXPECT_EQ(st.in_flight, len);
	EXPECT_EQ(st.sent - st.completed, len);
	EXPECT_GE(st.high_water, len);
	EXPECT_EQ(st.senders, senders);
	EXPECT_EQ(st.receivers, receivers);
	EXPECT_FALSE(receivers && len);
	EXPECT_FALSE(receivers && senders);
	EXPECT_FALSE(senders && len != kc_chan_cap(ch));
}

#endif
