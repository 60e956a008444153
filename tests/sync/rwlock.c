// SPDX-License-Identifier: MIT
/* Readers and writers. */
#include "../chan/rt.h"

KTEST_SUITE(sync, .init = rt_init, .exit = rt_exit);

static struct kc_rwlock l = KC_RWLOCK_INIT;
static struct story story;

static void *reader(void *arg)
{
	int err = kc_rwlock_read(&l);

	tell(&story, err ? err : (int)(intptr_t)arg);
	if (!err)
		EXPECT_EQ(kc_rwlock_unlock(&l), 0);
	return ret(err);
}

static void *writer(void *arg)
{
	int err = kc_rwlock_write(&l);

	tell(&story, err ? err : -1000 - (int)(intptr_t)arg);
	if (!err)
		EXPECT_EQ(kc_rwlock_unlock(&l), 0);
	return ret(err);
}

static void *impatient_writer(void *arg)
{
	int err = kc_rwlock_write_until(&l, T0 + KC_SEC);

	tell(&story, err);
	return arg;
}

/* a reader that is not done before it is told */
static struct kc_event leave = KC_EVENT_INIT;

static void *long_reader(void *arg)
{
	int err = kc_rwlock_read(&l);

	tell(&story, err ? err : (int)(intptr_t)arg);
	EXPECT_EQ(kc_event_wait(&leave), 0);
	EXPECT_EQ(kc_rwlock_unlock(&l), 0);
	return ret(err);
}

KTEST(sync, rwlock_readers_share)
{
	for (intptr_t i = 1; i <= 4; i++)
		go(long_reader, (void *)i);
	settle();
	EXPECT_STORY(&story, 1, 2, 3, 4);
	EXPECT_EQ(l.readers_, 4);
	EXPECT_ERR(kc_try_rwlock_write(&l), EBUSY);
	EXPECT_EQ(kc_try_rwlock_read(&l), 0);
	EXPECT_EQ(kc_rwlock_unlock(&l), 0);
	EXPECT_EQ(kc_event_set(&leave), 0);
	settle();
	EXPECT_EQ(kc_rwlock_destroy(&l), 0);
}

KTEST(sync, rwlock_writer_is_alone)
{
	EXPECT_EQ(kc_rwlock_write(&l), 0);
	go(reader, ret(1));
	go(writer, ret(2));
	settle();
	EXPECT_EQ(story.n, 0);
	EXPECT_EQ(kc_rwlock_unlock(&l), 0);
	/* handed over: nobody comes in between */
	EXPECT_ERR(kc_try_rwlock_write(&l), EBUSY);
	settle();
	EXPECT_STORY(&story, 1, -1002);
	EXPECT_EQ(kc_rwlock_destroy(&l), 0);
}

/* A reader that comes after a writer waits behind it. */
KTEST(sync, rwlock_writer_does_not_starve)
{
	EXPECT_EQ(kc_rwlock_read(&l), 0);
	go(writer, ret(1));
	settle();
	EXPECT_ERR(kc_try_rwlock_read(&l), EBUSY);
	go(reader, ret(2));
	go(reader, ret(3));
	go(writer, ret(4));
	go(reader, ret(5));
	settle();
	EXPECT_EQ(story.n, 0);
	EXPECT_EQ(kc_rwlock_unlock(&l), 0);
	settle();
	EXPECT_STORY(&story, -1001, 2, 3, -1004, 5);
	EXPECT_EQ(kc_rwlock_destroy(&l), 0);
}

static const struct {
	const char *desc;
	bool interrupt;
} ways[] = { { "deadline", false }, { "interrupt", true } };

/* When the writer they queue behind gives up, readers come in at once. */
KTEST_PARAM(sync, rwlock_writer_gives_up, ways)
{
	struct kc_task *w;

	EXPECT_EQ(kc_rwlock_read(&l), 0);
	w = spawn(impatient_writer, NULL);
	settle();
	go(reader, ret(2));
	go(reader, ret(3));
	go(writer, ret(4));
	go(reader, ret(5));
	settle();
	EXPECT_EQ(story.n, 0);
	if (param->interrupt)
		EXPECT_EQ(kc_interrupt(w), 0);
	join(w);
	settle();
	/* up to the next writer */
	EXPECT_STORY(&story, param->interrupt ? -EINTR : -ETIMEDOUT, 2, 3);
	EXPECT_EQ(kc_now(), param->interrupt ? T0 : T0 + KC_SEC);
	EXPECT_EQ(kc_rwlock_unlock(&l), 0);
	settle();
	EXPECT_STORY(&story, param->interrupt ? -EINTR : -ETIMEDOUT, 2, 3, -1004, 5);
	EXPECT_EQ(kc_rwlock_destroy(&l), 0);
}

KTEST(sync, rwlock_own_twice)
{
	EXPECT_EQ(kc_rwlock_write(&l), 0);
	EXPECT_ERR(kc_rwlock_write(&l), EDEADLK);
	EXPECT_ERR(kc_rwlock_read(&l), EDEADLK);
	EXPECT_ERR(kc_try_rwlock_write(&l), EDEADLK);
	EXPECT_ERR(kc_try_rwlock_read(&l), EDEADLK);
	EXPECT_ERR(kc_rwlock_destroy(&l), EBUSY);
	EXPECT_EQ(kc_rwlock_unlock(&l), 0);
}

static void *unlock_stranger(void *arg)
{
	(void)arg;
	return ret(kc_rwlock_unlock(&l));
}

KTEST(sync, rwlock_unlock_by_a_stranger)
{
	EXPECT_ERR(kc_rwlock_unlock(&l), EPERM);
	EXPECT_EQ(kc_rwlock_write(&l), 0);
	EXPECT_EQ(join(spawn(unlock_stranger, NULL)), -EPERM);
	EXPECT_PTR_EQ(l.writer_, kcoro_current());
	EXPECT_EQ(kc_rwlock_unlock(&l), 0);
	EXPECT_ERR(kc_rwlock_unlock(&l), EPERM);
}

static void *task_writes(void *arg)
{
	return ret(kc_rwlock_write(arg));
}

/* one that gives up comes back to the lock to let others in */
KTEST(sync, rwlock_is_busy_until_leavers_have_left)
{
	struct kc_task *task;

	EXPECT_EQ(kc_rwlock_read(&l), 0);
	task = spawn(task_writes, &l);
	settle();
	EXPECT_EQ(kc_interrupt(task), 0);
	EXPECT_EQ(kc_rwlock_unlock(&l), 0);
	EXPECT_ERR(kc_rwlock_destroy(&l), EBUSY);
	EXPECT_EQ(join(task), -EINTR);
	EXPECT_EQ(kc_rwlock_destroy(&l), 0);
}

/* at random: never a writer with anybody else, and all get their turn */
static int readers, writers;
static long reads, writes;

static void *visitor(void *arg)
{
	(void)arg;
	for (unsigned long i = 0; i < 300; i++) {
		kc_time_t deadline = kc_after((kc_time_t)(ktest_rand() % 50));
		bool write = ktest_rand() % 4 == 0;

		if (write ? kc_rwlock_write_until(&l, deadline) :
			    kc_rwlock_read_until(&l, deadline))
			continue;
		*(write ? &writers : &readers) += 1;
		EXPECT_LE(writers, 1);
		EXPECT_FALSE(writers && readers);
		EXPECT_EQ(kc_sleep((kc_time_t)(ktest_rand() % 8)), 0);
		*(write ? &writers : &readers) -= 1;
		*(write ? &writes : &reads) += 1;
		EXPECT_EQ(kc_rwlock_unlock(&l), 0);
	}
	return NULL;
}

KTEST(sync, rwlock_at_random)
{
	struct kc_task *task[CREW];

	for (int i = 0; i < CREW; i++)
		task[i] = spawn(visitor, NULL);
	for (int i = 0; i < CREW; i++)
		join(task[i]);
	EXPECT_EQ(kc_rwlock_destroy(&l), 0);
	EXPECT_GT(reads, 100);
	EXPECT_GT(writes, 30);
}
