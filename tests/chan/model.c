// SPDX-License-Identifier: MIT
/* Random operations against a model that is too simple to be wrong. */
#include "chan_test.h"

KTEST_SUITE(chan, .init = rt_init, .exit = rt_exit, .timeout = 60);

enum { ACTORS = CREW - 2, RING = 4096 };

enum op { SEND, RECV, DONE };

/*
 * The model: elements in order, then the actors that wait in order. An actor is told what to do and
 * tells what came out; the model says beforehand, or when it is woken, what that has to be.
 */
static struct {
	struct kc_chan *ch;
	size_t cap;
	bool closed;
	int ring[RING];
	unsigned int head, tail;
	int senders[ACTORS], nsenders;
	int receivers[ACTORS], nreceivers;
	uint64_t sent;
	size_t high;
	int next;
} model;

static struct actor {
	struct kc_task *task;
	struct kc_event go;
	enum op op;
	bool waits;		/* as far as the model knows */
	bool returned;
	int elem, err;		/* what the call gave */
	int want_elem, want_err;
} actors[ACTORS];

static size_t model_len(void)
{
	return model.tail - model.head;
}

static void model_store(int elem)
{
	model.ring[model.tail++ % RING] = elem;
	model.sent++;
	if (model_len() > model.high)
		model.high = model_len();
}

static int take_first(int *queue, int *n)
{
	int first = queue[0];

	memmove(queue, queue + 1, sizeof(*queue) * (size_t)--*n);
	return first;
}

static void take_out(int *queue, int *n, int who)
{
	for (int i = 0; i < *n; i++)
		if (queue[i] == who) {
			memmove(queue + i, queue + i + 1, sizeof(*queue) * (size_t)(*n - i - 1));
			--*n;
			return;
		}
}

static void ends(int who, int err, int elem)
{
	actors[who].waits = false;
	actors[who].want_err = err;
	actors[who].want_elem = elem;
}

static void model_send(int who, int elem)
{
	if (model.closed) {
		ends(who, -EPIPE, elem);
	} else if (model.nreceivers) {
		ends(take_first(model.receivers, &model.nreceivers), 0, elem);
		model.sent++;
		ends(who, 0, elem);
	} else if (model.cap == KC_CHAN_CONFLATED) {
		model.head = model.tail;
		model_store(elem);
		ends(who, 0, elem);
	} else if (model_len() < model.cap) {
		model_store(elem);
		ends(who, 0, elem);
	} else {
		actors[who].waits = true;
		model.senders[model.nsenders++] = who;
	}
}

static void model_recv(int who)
{
	int s;

	if (model_len()) {
		ends(who, 0, model.ring[model.head++ % RING]);
		if (model.nsenders) {
			s = take_first(model.senders, &model.nsenders);
			model_store(actors[s].elem);
			ends(s, 0, actors[s].elem);
		}
	} else if (model.nsenders) {
		s = take_first(model.senders, &model.nsenders);
		model.sent++;
		ends(who, 0, actors[s].elem);
		ends(s, 0, actors[s].elem);
	} else if (model.closed) {
		ends(who, -EPIPE, -1);
	} else {
		actors[who].waits = true;
		model.receivers[model.nreceivers++] = who;
	}
}

static void model_close(void)
{
	model.closed = true;
	while (model.nreceivers)
		ends(take_first(model.receivers, &model.nreceivers), -EPIPE, -1);
	while (model.nsenders) {
		int s = take_first(model.senders, &model.nsenders);

		ends(s, -EPIPE, actors[s].elem);
	}
}

static void gives_up(int who, int err)
{
	take_out(model.senders, &model.nsenders, who);
	take_out(model.receivers, &model.nreceivers, who);
	ends(who, err, actors[who].op == SEND ? actors[who].elem : -1);
}

static void *actor(void *arg)
{
	struct actor *a = arg;

	for (;;) {
		EXPECT_EQ(kc_event_wait(&a->go), 0);
		EXPECT_EQ(kc_event_clear(&a->go), 0);
		if (a->op == DONE)
			return NULL;
		if (a->op == SEND)
			a->err = kc_chan_send(model.ch, &a->elem);
		else
			a->err = kc_chan_recv(model.ch, &a->elem);
		a->returned = true;
	}
}

static void check(void)
{
	struct kc_chan_stats st;

	for (int i = 0; i < ACTORS; i++) {
		struct actor *a = &actors[i];

		ASSERT_EQ(a->returned, !a->waits);
		if (a->waits)
			continue;
		ASSERT_EQ(a->err, a->want_err);
		ASSERT_EQ(a->elem, a->want_elem);
	}
	expect_chan(model.ch, model_len(), (size_t)model.nsenders, (size_t)model.nreceivers);
	kc_chan_get_stats(model.ch, &st);
	ASSERT_EQ(st.sent, model.sent);
	ASSERT_EQ(st.high_water, model.high);
}

static void settle_all(void)
{
	for (int i = 0; i < 3; i++)
		ASSERT_EQ(kc_yield(), 0);
}

/* One step, or several at once so that results are fixed before their owners run. */
static void step(void)
{
	int who = (int)(ktest_rand() % ACTORS);
	struct actor *a = &actors[who];
	unsigned int dice = ktest_rand() % 100;

	if (a->waits && dice < 20) {
		EXPECT_EQ(kc_interrupt(a->task), 0);
		gives_up(who, -EINTR);
	} else if (!a->waits && a->returned) {
		a->op = dice < 52 ? SEND : RECV;
		a->elem = a->op == SEND ? model.next++ : -1;
		a->returned = false;
		EXPECT_EQ(kc_event_set(&a->go), 0);
		/* it acts in its turn: let it */
		settle_all();
		if (a->op == SEND)
			model_send(who, a->elem);
		else
			model_recv(who);
	} else if (dice < 50) {
		/* what others do without a turn of their own */
		int elem = model.next++, err = kc_try_chan_send(model.ch, &elem);

		if (model.closed) {
			ASSERT_ERR(err, EPIPE);
		} else if (model.nreceivers) {
			ASSERT_EQ(err, 0);
			ends(take_first(model.receivers, &model.nreceivers), 0, elem);
			model.sent++;
		} else if (model.cap == KC_CHAN_CONFLATED || model_len() < model.cap) {
			ASSERT_EQ(err, 0);
			if (model.cap == KC_CHAN_CONFLATED)
				model.head = model.tail;
			model_store(elem);
		} else {
			ASSERT_ERR(err, EAGAIN);
		}
	}
}

static const struct {
	const char *desc;
	size_t cap;
} caps[] = { { "rendezvous", 0 }, { "1", 1 }, { "3", 3 }, { "128", 128 },
	     { "unlimited", KC_CHAN_UNLIMITED }, { "conflated", KC_CHAN_CONFLATED } };

KTEST_PARAM(chan, random_operations, caps)
{
	const unsigned long rounds = ktest_iterations(40);

	for (int i = 0; i < ACTORS; i++) {
		actors[i] = (struct actor){ .returned = true };
		actors[i].task = spawn(actor, &actors[i]);
	}
	for (unsigned long r = 0; r < rounds; r++) {
		memset(&model, 0, sizeof(model));
		model.cap = param->cap;
		model.ch = new_chan(param->cap);
		for (int i = 0; i < 500; i++) {
			step();
			settle_all();
			check();
		}
		EXPECT_EQ(kc_chan_close(model.ch), 0);
		model_close();
		settle_all();
		check();
		for (int i = 0; i < 20; i++) {
			step();
			settle_all();
			check();
		}
		kc_chan_put(model.ch);
	}
	for (int i = 0; i < ACTORS; i++) {
		actors[i].op = DONE;
		EXPECT_EQ(kc_event_set(&actors[i].go), 0);
		join(actors[i].task);
	}
}
