// SPDX-License-Identifier: MIT
/* References from many threads, and the end of the owner. */
#include "smp_test.h"

struct shared {
	kcoro_t *co;
	unsigned long n;
	_Atomic int failed;
};

static void *thread_get_put(void *arg)
{
	struct shared *s = arg;

	for (unsigned long i = 0; i < s->n; i++) {
		if (kcoro_get(s->co) != s->co)
			s->failed++;
		if (i % 2 && kcoro_get(s->co) == s->co)
			kcoro_put(s->co);
		kcoro_put(s->co);
	}
	return NULL;
}

KTEST(smp, refcount_threads)
{
	struct shared s = { .co = make(body_yield_forever, NULL), .n = rounds(50000) };

	EXPECT_EQ(kcoro_resume(s.co), 0);
	run_threads(thread_get_put, &s);
	EXPECT_EQ(s.failed, 0);
	/* not one too many, not one too few */
	EXPECT_EQ(live_coroutines(), 1);
	EXPECT_EQ(kcoro_resume(s.co), 0);
	EXPECT_EQ(kcoro_destroy(s.co), 0);
}

static void *thread_put(void *arg)
{
	kcoro_put(arg);
	return NULL;
}

KTEST(smp, last_put_abroad_retires)
{
	kcoro_t *co = make(body_nothing, NULL);
	struct kcoro_stats st;

	EXPECT_EQ(kcoro_resume(co), 0);
	run_thread(thread_put, co);		/* a thread without coroutines of its own */
	kcoro_get_stats(&st);
	EXPECT_EQ(st.retired, 1);
	EXPECT_EQ(st.live, 1);			/* released by its own thread, nobody else */
	EXPECT_EQ(kcoro_reclaim(), 1);
}

/* each holds a reference to all; who comes last retires */
struct crowd {
	kcoro_t *co[64];
	unsigned int n;
	pthread_barrier_t barrier;
};

static void *thread_drop_all(void *arg)
{
	struct crowd *c = arg;

	pthread_barrier_wait(&c->barrier);
	for (unsigned int i = 0; i < c->n; i++)
		kcoro_put(c->co[i]);
	return NULL;
}

KTEST(smp, puts_race_for_the_last)
{
	struct crowd c = { .n = 64 };

	for (unsigned long round = 0; round < rounds(100); round++) {
		pthread_barrier_init(&c.barrier, NULL, THREADS);
		for (unsigned int i = 0; i < c.n; i++) {
			c.co[i] = make(body_nothing, NULL);
			for (int k = 1; k < THREADS; k++)
				kcoro_get(c.co[i]);
		}
		run_threads(thread_drop_all, &c);
		kcoro_reclaim();
		ASSERT_EQ(live_coroutines(), 0);
		pthread_barrier_destroy(&c.barrier);
	}
}

static void *thread_leaves_one(void *arg)
{
	kcoro_t *co;

	ASSERT_NOT_NULL(kcoro_create_main());
	co = make(body_park, NULL);
	kcoro_set_name(co, "orphan");
	EXPECT_EQ(kcoro_resume(co), 0);
	*(kcoro_t **)arg = co;
	return NULL;
}

KTEST(smp, reference_outlives_owner)
{
	long before;
	kcoro_t *co;

	run_thread(thread_leaves_one, &co);
	kcoro_put(co);
	before = ktest_fail_outstanding();
	for (int i = 0; i < 10; i++) {
		run_thread(thread_leaves_one, &co);
		EXPECT_STREQ(STATE(co), "PARKED");
#if KC_CONFIG_NAME_LEN >= 8
		EXPECT_STREQ(kcoro_name(co), "orphan");
#endif
		EXPECT_EQ(kcoro_unpark(co), 1);
		EXPECT_ERR(kcoro_resume(co), EPERM);
		EXPECT_ERR(kcoro_destroy(co), EPERM);
		EXPECT_GT(ktest_fail_outstanding(), before);
		kcoro_put(co);			/* the last of its thread: all goes */
		EXPECT_EQ(ktest_fail_outstanding(), before);
	}
}

static void *thread_leaves_itself(void *arg)
{
	*(kcoro_t **)arg = kcoro_get(kcoro_create_main());
	return NULL;
}

KTEST(smp, reference_to_main_outlives_its_thread)
{
	long before;
	kcoro_t *co;

	run_thread(thread_leaves_itself, &co);
	kcoro_put(co);
	before = ktest_fail_outstanding();
	run_thread(thread_leaves_itself, &co);
	ASSERT_GT(ktest_fail_outstanding(), before);	/* what @co points to */
	EXPECT_NE(kcoro_id(co), kcoro_id(kcoro_current()));
	EXPECT_EQ(kcoro_unpark(co), 0);
	EXPECT_ERR(kcoro_destroy(co), EPERM);
	EXPECT_PTR_EQ(kcoro_get(co), co);
	kcoro_put(co);
	kcoro_put(co);
	EXPECT_EQ(ktest_fail_outstanding(), before);
}

/* the owner ends while others put: whoever is last cleans up, nobody touches what is gone */
struct estate {
	kcoro_t *co[THREADS][4];
	pthread_barrier_t barrier;
	_Atomic int next;
};

static void *thread_heir(void *arg)
{
	struct estate *e = arg;
	int me = e->next++;

	pthread_barrier_wait(&e->barrier);	/* there is something to inherit */
	pthread_barrier_wait(&e->barrier);
	for (int i = 0; i < 4; i++)
		kcoro_put(e->co[me][i]);
	return NULL;
}

static void *thread_owner(void *arg)
{
	struct estate *e = arg;

	ASSERT_NOT_NULL(kcoro_create_main());
	for (int i = 0; i < THREADS; i++)
		for (int k = 0; k < 4; k++) {
			e->co[i][k] = make(body_park, NULL);
			kcoro_resume(e->co[i][k]);
		}
	pthread_barrier_wait(&e->barrier);
	pthread_barrier_wait(&e->barrier);
	return NULL;
}

KTEST(smp, owner_ends_while_others_put)
{
	static struct estate e;
	long before = 0;

	for (unsigned long round = 0; round < rounds(500) + 10; round++) {
		pthread_t owner;

		e.next = 0;
		pthread_barrier_init(&e.barrier, NULL, THREADS + 1);
		ASSERT_EQ(pthread_create(&owner, NULL, thread_owner, &e), 0);
		run_threads(thread_heir, &e);
		ASSERT_EQ(pthread_join(owner, NULL), 0);
		pthread_barrier_destroy(&e.barrier);
		if (!round)
			before = ktest_fail_outstanding();
		ASSERT_EQ(ktest_fail_outstanding(), before);
	}
}
