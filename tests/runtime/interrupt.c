// SPDX-License-Identifier: MIT
/* Interrupts: they end any wait, are kept until one has ended, and end nothing else. */
#include "common.h"

KTEST_SUITE(task, .init = virtual_init, .timeout = 30);

struct sleeper {
	kc_time_t first, second;
	int result[2];
	kc_time_t woke[2];
	struct trace *trace;
	char letter;
};

static void *task_two_sleeps(void *arg)
{
	struct sleeper *s = arg;

	s->result[0] = kc_sleep_until(s->first);
	s->woke[0] = kc_now();
	if (s->trace)
		mark(s->trace, s->letter);
	s->result[1] = kc_sleep_until(s->second);
	s->woke[1] = kc_now();
	return NULL;
}

RT_TEST(task, interrupt_ends_a_sleep)
{
	struct sleeper s = { .first = START + 10 * KC_SEC, .second = START + 15 * KC_SEC };
	struct kc_task *task = spawn(task_two_sleeps, &s);

	kc_sleep(KC_SEC);
	EXPECT_EQ(kc_interrupt(task), 0);
	EXPECT_EQ(s.woke[0], 0);		/* the interrupter goes on first */
	join(task);
	EXPECT_EQ(s.result[0], -EINTR);
	EXPECT_EQ(s.woke[0], START + KC_SEC);
	/* consumed; and the time-out of the first sleep does not end the second one */
	EXPECT_EQ(s.result[1], 0);
	EXPECT_EQ(s.woke[1], START + 15 * KC_SEC);
}

RT_TEST(task, interrupt_ends_an_endless_sleep)
{
	struct sleeper s = { .first = KC_FOREVER, .second = START + 3 * KC_SEC };
	struct kc_task *task = spawn(task_two_sleeps, &s);

	kc_sleep(KC_SEC);
	EXPECT_EQ(kc_interrupt(task), 0);
	join(task);
	EXPECT_EQ(s.result[0], -EINTR);
	EXPECT_EQ(s.result[1], 0);
	EXPECT_EQ(s.woke[1], START + 3 * KC_SEC);
}

RT_TEST(task, interrupt_before_the_wait)
{
	struct sleeper s = { .first = KC_FOREVER, .second = START + KC_SEC };
	struct kc_task *task = spawn(task_two_sleeps, &s);

	/* it has not begun; several count as one */
	EXPECT_EQ(kc_interrupt(task), 0);
	EXPECT_EQ(kc_interrupt(task), 0);
	join(task);
	EXPECT_EQ(s.result[0], -EINTR);
	EXPECT_EQ(s.woke[0], START);
	EXPECT_EQ(s.result[1], 0);
	EXPECT_EQ(s.woke[1], START + KC_SEC);
}

RT_TEST(task, interrupt_oneself)
{
	EXPECT_EQ(kc_interrupt(kc_self()), 0);
	EXPECT_EQ(kc_yield(), 0);		/* no wait: it stays */
	EXPECT_ERR(kc_sleep(0), EINTR);
	EXPECT_EQ(kc_sleep(0), 0);
	EXPECT_EQ(kc_interrupt(kc_self()), 0);
	EXPECT_ERR(kc_sleep(KC_SEC), EINTR);
	EXPECT_EQ(kc_sleep(KC_SEC), 0);
	EXPECT_EQ(kc_now(), START + KC_SEC);
}

RT_TEST(task, interrupt_refused)
{
	struct kc_task *task = spawn(task_nothing, NULL);

	EXPECT_ERR(kc_interrupt(NULL), EINVAL);
	kc_yield();
	EXPECT_ERR(kc_interrupt(task), ESRCH);
	join(task);
}

/* an interrupt changes the queue for one that waits only, and that joins at its end */
RT_TEST(task, interrupt_and_the_queue)
{
	struct trace trace = { .length = 0 };
	struct sleeper s[4];
	struct kc_task *task[4];

	for (int i = 0; i < 4; i++) {
		s[i] = (struct sleeper){ .first = KC_FOREVER, .second = START, .trace = &trace,
			.letter = (char)('a' + i) };
		task[i] = spawn(task_two_sleeps, &s[i]);
	}
	EXPECT_EQ(kc_interrupt(task[2]), 0);	/* ready: keeps its place */
	EXPECT_EQ(kc_interrupt(task[0]), 0);
	kc_yield();
	EXPECT_STREQ(trace.text, "ac");
	EXPECT_EQ(kc_interrupt(task[3]), 0);
	EXPECT_EQ(kc_interrupt(task[1]), 0);
	EXPECT_EQ(kc_interrupt(task[3]), 0);	/* it is ready by now: this one is kept */
	EXPECT_STREQ(trace.text, "ac");
	for (int i = 0; i < 4; i++) {
		join(task[i]);
		EXPECT_EQ(s[i].result[0], -EINTR);
		EXPECT_EQ(s[i].result[1], i == 3 ? -EINTR : 0);
	}
	EXPECT_STREQ(trace.text, "acdb");
}

static void interrupts(void *arg)
{
	EXPECT_EQ(kc_interrupt(arg), 0);
}

/* whoever ends a wait decides; what comes later is for the next wait */
RT_TEST(task, interrupt_after_the_deadline)
{
	struct sleeper s = { .first = START + KC_SEC, .second = START + 2 * KC_SEC };
	struct kc_task *task = spawn(task_two_sleeps, &s);
	struct kc_timer timer;

	kc_yield();
	kc_timer_init(&timer, interrupts, task);
	kc_timer_set(&timer, START + KC_SEC);	/* in the same look at the clock, but second */
	join(task);
	EXPECT_EQ(s.result[0], 0);
	EXPECT_EQ(s.result[1], -EINTR);
	EXPECT_EQ(s.woke[1], START + KC_SEC);
}

RT_TEST(task, interrupt_before_the_deadline)
{
	struct sleeper s = { .first = START + KC_SEC, .second = START + 2 * KC_SEC };
	struct kc_task *task = spawn(task_two_sleeps, &s);
	struct kc_timer timer;

	kc_timer_init(&timer, interrupts, task);
	kc_timer_set(&timer, START + KC_SEC);	/* armed before the sleep: first */
	join(task);
	EXPECT_EQ(s.result[0], -EINTR);
	EXPECT_EQ(s.woke[0], START + KC_SEC);
	EXPECT_EQ(s.result[1], 0);
	EXPECT_EQ(s.woke[1], START + 2 * KC_SEC);
}

static void *task_ignores_interrupts(void *arg)
{
	int *left = arg;

	while (*left)
		if (kc_sleep_until(KC_FOREVER) == -EINTR)
			--*left;
	return NULL;
}

RT_TEST(task, interrupt_is_no_end)
{
	int left = 3;
	struct kc_task *task = spawn(task_ignores_interrupts, &left);

	for (int i = 3; i; i--) {
		EXPECT_EQ(left, i);
		EXPECT_ERR(kc_try_join(task, NULL), EAGAIN);
		EXPECT_EQ(kc_interrupt(task), 0);
		EXPECT_EQ(left, i);
		kc_yield();
	}
	EXPECT_EQ(kc_try_join(task, NULL), 0);
}

#ifdef KC_CONFIG_SYNC

static void posts(void *arg)
{
	EXPECT_EQ(kc_sem_post(arg), 0);
}

struct armed {
	struct kc_timer *timer;
	kc_time_t deadline;
};

static void *task_arms(void *arg)
{
	struct armed *a = arg;

	EXPECT_EQ(kc_timer_set(a->timer, a->deadline), 0);
	return NULL;
}

/* what is waited for and the deadline come in one look at the clock: one of them counts */
RT_TEST(task, delivery_at_the_deadline)
{
	struct kc_sem sem = KC_SEM_INIT(0);
	struct kc_timer timer;

	kc_timer_init(&timer, posts, &sem);
	for (int i = 1; i <= 10; i++) {
		kc_time_t deadline = START + i * KC_SEC;

		kc_timer_set(&timer, deadline);		/* first */
		EXPECT_EQ(kc_sem_wait_until(&sem, deadline), 0);
		EXPECT_EQ(kc_now(), deadline);
		EXPECT_EQ(kc_sem_count(&sem), 0);
	}
	for (int i = 11; i <= 20; i++) {
		kc_time_t deadline = START + i * KC_SEC;
		struct armed armed = { &timer, deadline };

		kc_go(task_arms, &armed);		/* second: it runs when we wait */
		EXPECT_ERR(kc_sem_wait_until(&sem, deadline), ETIMEDOUT);
		EXPECT_EQ(kc_now(), deadline);
		EXPECT_EQ(kc_sem_count(&sem), 1);	/* not lost */
		EXPECT_EQ(kc_try_sem_wait(&sem), 0);
	}
}

#endif

/* ---- a server that is told to stop ---- */

struct server {
	struct kc_task *worker[8];
	int gone;
#ifdef KC_CONFIG_SYNC
	struct kc_mutex mutex, cond_mutex;
	struct kc_cond cond;
	struct kc_sem sem;
#endif
#ifdef KC_CONFIG_CHAN
	struct kc_chan *chan;
#endif
};

static int server_waits(struct server *s, int how)
{
	int value = 0;

	(void)value;
	switch (how) {
#ifdef KC_CONFIG_SYNC
	case 1:
		return kc_mutex_lock(&s->mutex);
	case 2:
		EXPECT_EQ(kc_mutex_lock(&s->cond_mutex), 0);
		value = kc_cond_wait(&s->cond, &s->cond_mutex);
		EXPECT_EQ(kc_mutex_unlock(&s->cond_mutex), 0);
		return value;
	case 3:
		return kc_sem_wait(&s->sem);
#endif
#ifdef KC_CONFIG_CHAN
	case 4:
		return kc_chan_recv(s->chan, &value);
	case 5:
		return kc_chan_send_until(s->chan, &value, kc_after(1000 * KC_SEC));
#endif
	case 6:
		return kc_join(s->worker[0], NULL);
	case 7:
		return kc_sleep(1000 * KC_SEC);
	default:
		return kc_sleep_until(KC_FOREVER);
	}
}

struct worker {
	struct server *server;
	int how;
};

static void *task_serves(void *arg)
{
	struct worker *w = arg;

	EXPECT_ERR(server_waits(w->server, w->how), EINTR);
	w->server->gone++;
	return w;
}

RT_TEST(task, graceful_shutdown)
{
	struct server s = { .gone = 0 };
	struct worker w[8];

#ifdef KC_CONFIG_SYNC
	kc_mutex_init(&s.mutex);
	kc_mutex_init(&s.cond_mutex);
	kc_cond_init(&s.cond);
	kc_sem_init(&s.sem, 0);
	EXPECT_EQ(kc_mutex_lock(&s.mutex), 0);
#endif
#ifdef KC_CONFIG_CHAN
	s.chan = kc_chan_new(sizeof(int), 0);
	ASSERT_NOT_NULL(s.chan);
#endif
	for (int i = 0; i < 8; i++) {
		/* a sender would meet the receiver: only one of the two */
		w[i] = (struct worker){ &s, i == 5 ? 0 : i };
		s.worker[i] = spawn(task_serves, &w[i]);
	}
	EXPECT_EQ(kc_sleep(KC_SEC), 0);
	EXPECT_EQ(s.gone, 0);
	for (int i = 7; i >= 0; i--)
		EXPECT_EQ(kc_interrupt(s.worker[i]), 0);
	EXPECT_EQ(s.gone, 0);
	for (int i = 0; i < 8; i++)
		EXPECT_PTR_EQ(join(s.worker[i]), &w[i]);
	EXPECT_EQ(s.gone, 8);
	EXPECT_EQ(kc_now(), START + KC_SEC);
#ifdef KC_CONFIG_SYNC
	EXPECT_EQ(kc_mutex_unlock(&s.mutex), 0);
#endif
#ifdef KC_CONFIG_CHAN
	kc_chan_put(s.chan);
#endif
}
