// SPDX-License-Identifier: MIT
/* Select: one wait with a node in the queue of every channel. */
#include <errno.h>

#include <internal/chan.h>
#include <internal/runtime.h>

static bool possible(const struct kc_case *c)
{
	const struct kc_chan *ch = c->chan;

	if (!ch)
		return false;
	if (ch->closed)
		return true;
	if (c->op == KC_OP_RECV)
		return ch->count || ch->senders.first;
	return ch->receivers.first || ch->count < ch->slots || ch->cap >= KC_CHAN_CONFLATED;
}

/* evenly from 0 to n - 1; the same in every run */
static uint32_t dice(uint32_t n)
{
	static KC_TLS uint32_t outside = 1;	/* of calls without a runtime */
	struct kc_runtime *rt = kc_this_runtime();
	uint32_t *x = rt ? &rt->random : &outside;

	*x ^= *x << 13;
	*x ^= *x >> 17;
	*x ^= *x << 5;
	return (uint32_t)((uint64_t)*x * n >> 32);
}

static void perform(struct kc_case *c)
{
	c->err = c->op == KC_OP_SEND ? kc_try_chan_send(c->chan, c->data) :
				       kc_try_chan_recv(c->chan, c->data);
}

int kc_try_select(struct kc_case *cases, int n)
{
	uint32_t count = 0, pick;

	if (n < 0 || (n && !cases))
		return -EINVAL;
	for (int i = 0; i < n; i++) {
		const struct kc_case *c = &cases[i];

		if (c->op != KC_OP_RECV &&
		    (c->op != KC_OP_SEND || (c->chan && !c->data && c->chan->size)))
			return -EINVAL;
		count += possible(c);
	}
	if (!count)
		return -EAGAIN;
	pick = count > 1 ? dice(count) : 0;
	for (int i = 0;; i++)
		if (possible(&cases[i]) && !pick--) {
			perform(&cases[i]);
			return i;
		}
}

int kc_select_until(struct kc_case *cases, int n, kc_time_t deadline)
{
	int err = kc_try_select(cases, n);
	struct kc_case *c;
	struct kc_wait w;

	if (err != -EAGAIN)
		return err;
	err = kc_wait_begin(&w, deadline, "select", cases);
	if (err)
		return err;
	for (int i = 0; i < n; i++) {
		c = &cases[i];
		if (c->chan)
			kc_wait_on(&w, &c->node_, c->op == KC_OP_SEND ? &c->chan->senders :
				   &c->chan->receivers, c->data);
	}
	err = kc_wait_sleep(&w, deadline);
	if (!w.fired)
		return err;
	c = kc_container_of(w.fired, struct kc_case, node_);
	c->err = err;
	return (int)(c - cases);
}

int kc_select(struct kc_case *cases, int n)
{
	return kc_select_until(cases, n, KC_FOREVER);
}
