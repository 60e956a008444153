// SPDX-License-Identifier: MIT
/* Wakes from many threads, and monitors that look on. */
#include "smp_test.h"

struct sleeper {
	kcoro_t *co;
	_Atomic int woken, remembered, wrong;
	int steps;
	pthread_barrier_t barrier;
};

static void *thread_unpark(void *arg)
{
	struct sleeper *s = arg;

	pthread_barrier_wait(&s->barrier);
	switch (kcoro_unpark(s->co)) {
	case 1:
		s->woken++;
		break;
	case 0:
		s->remembered++;
		break;
	default:
		s->wrong++;
	}
	return NULL;
}

static void body_sleeps(void *arg)
{
	struct sleeper *s = arg;

	for (;;) {
		kcoro_park();
		s->steps++;
	}
}

KTEST(smp, concurrent_unparks_wake_once)
{
	struct sleeper s = { .steps = 0 };
	unsigned long n = rounds(200);

	s.co = make(body_sleeps, &s);
	EXPECT_EQ(kcoro_resume(s.co), 0);
	for (unsigned long i = 1; i <= n; i++) {
		ASSERT_STREQ(STATE(s.co), "PARKED");
		pthread_barrier_init(&s.barrier, NULL, THREADS);
		run_threads(thread_unpark, &s);
		pthread_barrier_destroy(&s.barrier);
		/* one made it ready, the others together are one wake for its next park */
		ASSERT_EQ(s.woken, i);
		ASSERT_EQ(s.remembered, i * (THREADS - 1));
		ASSERT_STREQ(STATE(s.co), "READY");
		ASSERT_EQ(kcoro_resume(s.co), 0);
		ASSERT_EQ(s.steps, 2 * i);
	}
	EXPECT_EQ(s.wrong, 0);
	EXPECT_EQ(kcoro_destroy(s.co), 0);
}

/* messages that are posted and then announced by a wake: none may be slept through */
struct mailbox {
	kcoro_t *co;
	_Atomic unsigned long posted;
	unsigned long n, taken;
	int plain;			/* ordered by the wake alone */
};

static void *thread_post(void *arg)
{
	struct mailbox *m = arg;

	for (unsigned long i = 0; i < m->n; i++) {
		m->posted++;
		kcoro_unpark(m->co);
		if (i % 16 == 0)
			sched_yield();
	}
	return NULL;
}

static void body_take(void *arg)
{
	struct mailbox *m = arg;

	while ((m->taken = m->posted) < m->n * THREADS)
		kcoro_park();
}

KTEST(smp, no_wake_is_lost)
{
	struct mailbox m = { .n = rounds(20000) };
	pthread_t thread[THREADS];

	m.co = make(body_take, &m);
	for (int i = 0; i < THREADS; i++)
		ASSERT_EQ(pthread_create(&thread[i], NULL, thread_post, &m), 0);
	while (kcoro_state(m.co) != KCORO_FINISHED) {
		if (kcoro_state(m.co) == KCORO_PARKED)
			sched_yield();		/* for good if a wake was lost: time-out */
		else
			ASSERT_EQ(kcoro_resume(m.co), 0);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	EXPECT_EQ(m.taken, m.n * THREADS);
	EXPECT_ERR(kcoro_unpark(m.co), ESRCH);
	EXPECT_EQ(kcoro_destroy(m.co), 0);
}

static void *thread_write_and_wake(void *arg)
{
	struct mailbox *m = arg;

	m->plain = 42;
	EXPECT_EQ(kcoro_unpark(m->co), 1);
	return NULL;
}

static void body_read(void *arg)
{
	struct mailbox *m = arg;

	kcoro_park();
	m->taken = (unsigned long)m->plain;
}

KTEST(smp, wake_carries_what_came_before)
{
	struct mailbox m = { .plain = 0 };
	pthread_t thread;

	m.co = make(body_read, &m);
	EXPECT_EQ(kcoro_resume(m.co), 0);
	ASSERT_EQ(pthread_create(&thread, NULL, thread_write_and_wake, &m), 0);
	while (kcoro_resume(m.co) == -EAGAIN)
		sched_yield();
	EXPECT_EQ(m.taken, 42);
	pthread_join(thread, NULL);
	EXPECT_EQ(kcoro_destroy(m.co), 0);
}

/* handles with a reference each, for whoever wants to look; the lock covers the table only */
struct board {
	pthread_mutex_t lock;
	kcoro_t *slot[THREADS * 8];
	unsigned long n;
	_Atomic int stop;
	_Atomic unsigned long reads, wrong;
};

static void *thread_monitor(void *arg)
{
	struct board *b = arg;

	while (!b->stop)
		for (int i = 0; i < THREADS * 8; i++) {
			kcoro_t *co;

			pthread_mutex_lock(&b->lock);
			co = b->slot[i] ? kcoro_get(b->slot[i]) : NULL;
			pthread_mutex_unlock(&b->lock);
			if (!co)
				continue;
			if ((unsigned int)kcoro_state(co) > KCORO_FINISHED || !kcoro_id(co) ||
			    strncmp(kcoro_name(co), "worker", KC_CONFIG_NAME_LEN > 6 ? 6 : 0))
				b->wrong++;
			kcoro_put(co);		/* often the last one */
			b->reads++;
		}
	return NULL;
}

static void body_some_yields(void *arg)
{
	(void)arg;
	for (int i = 0; i < 3; i++)
		kcoro_yield();
}

/* takes over the caller's reference */
static kcoro_t *publish(struct board *b, int i, kcoro_t *co)
{
	kcoro_t *old;

	pthread_mutex_lock(&b->lock);
	old = b->slot[i];
	b->slot[i] = co;
	pthread_mutex_unlock(&b->lock);
	return old;
}

static _Atomic int next_worker;

static void *thread_worker(void *arg)
{
	struct board *b = arg;
	int base = next_worker++ * 8;

	ASSERT_NOT_NULL(kcoro_create_main());
	for (unsigned long i = 0; i < b->n; i++) {
		kcoro_t *co = make(body_some_yields, NULL);

		kcoro_set_name(co, "worker");
		kcoro_put(publish(b, base + (int)(i % 8), kcoro_get(co)));
		while (kcoro_state(co) != KCORO_FINISHED)
			ASSERT_EQ(kcoro_resume(co), 0);
		kcoro_put(co);
	}
	for (int i = 0; i < 8; i++)
		kcoro_put(publish(b, base + i, NULL));
	return NULL;				/* the monitor may hold one beyond this */
}

KTEST(smp, monitor_reads_while_running)
{
	static struct board b = { .lock = PTHREAD_MUTEX_INITIALIZER };
	pthread_t monitor[2];

	b.n = rounds(20000);
	for (int i = 0; i < 2; i++)
		ASSERT_EQ(pthread_create(&monitor[i], NULL, thread_monitor, &b), 0);
	run_threads(thread_worker, &b);
	b.stop = 1;
	for (int i = 0; i < 2; i++)
		pthread_join(monitor[i], NULL);
	EXPECT_EQ(b.wrong, 0);
	EXPECT_GT(b.reads, 0);
}
