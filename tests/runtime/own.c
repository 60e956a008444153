// SPDX-License-Identifier: MIT
/* Things of a coroutine's own: handlers for its end, and keys. */
#include "common.h"

KTEST_SUITE(task, .init = virtual_init, .timeout = 30);

static struct trace trace;

static void mark_arg(void *arg)
{
	mark(&trace, *(const char *)arg);
}

static char letters[] = "abcdefgh";

/* handlers' memory lives as long as the coroutine: longer than the frame of its body */
static struct kc_defer d[3];

static void *task_defers(void *arg)
{
	for (int i = 0; i < 3; i++)
		EXPECT_EQ(kc_defer_push(&d[i], mark_arg, &letters[i]), 0);
	mark(&trace, '.');
	if (arg)
		kc_exit(arg);
	return NULL;
}

RT_TEST(task, defer_is_last_in_first_out)
{
	join(spawn(task_defers, NULL));
	EXPECT_PTR_EQ(join(spawn(task_defers, letters)), letters);
	EXPECT_STREQ(trace.text, ".cba.cba");
}

static void *task_pops(void *arg)
{
	EXPECT_ERR(kc_defer_pop(1), ENOENT);
	for (int i = 0; i < 3; i++)
		EXPECT_EQ(kc_defer_push(&d[i], mark_arg, &letters[i]), 0);
	EXPECT_EQ(kc_defer_pop(1), 0);
	mark(&trace, '.');
	EXPECT_EQ(kc_defer_pop(0), 0);
	mark(&trace, '.');
	return arg;
}

RT_TEST(task, defer_pop)
{
	EXPECT_ERR(kc_defer_push(NULL, mark_arg, NULL), EINVAL);
	EXPECT_ERR(kc_defer_push(&d[0], NULL, NULL), EINVAL);
	join(spawn(task_pops, NULL));
	EXPECT_STREQ(trace.text, "c..a");
	EXPECT_ERR(kc_defer_pop(1), ENOENT);
}

static void exits(void *arg)
{
	mark(&trace, 'x');
	kc_exit(arg);
}

static void *task_exits_in_handler(void *arg)
{
	kc_defer_push(&d[0], mark_arg, &letters[0]);
	kc_defer_push(&d[1], exits, arg);
	kc_defer_push(&d[2], mark_arg, &letters[2]);
	return NULL;
}

/* the value of the last exit counts; each handler runs once */
RT_TEST(task, exit_in_a_handler)
{
	EXPECT_PTR_EQ(join(spawn(task_exits_in_handler, letters)), letters);
	EXPECT_STREQ(trace.text, "cxa");
}

static void sleeps(void *arg)
{
	EXPECT_EQ(kc_sleep(KC_SEC), 0);
	mark_arg(arg);
}

static void *task_handler_waits(void *arg)
{
	kc_defer_push(&d[0], sleeps, &letters[0]);
	kc_defer_push(&d[1], sleeps, &letters[1]);
	return arg;
}

RT_TEST(task, handlers_may_wait)
{
	struct kc_task *task = spawn(task_handler_waits, letters);

	EXPECT_ERR(kc_join_until(task, kc_after(KC_MSEC), NULL), ETIMEDOUT);
	EXPECT_PTR_EQ(join(task), letters);
	EXPECT_EQ(kc_now(), START + 2 * KC_SEC);
	EXPECT_STREQ(trace.text, "ba");
}

/* the thread's own coroutine ends with the runtime */
KTEST(task, defer_of_the_thread)
{
	ASSERT_EQ(kc_attach(), 0);
	kc_defer_push(&d[0], mark_arg, &letters[0]);
	kc_defer_push(&d[1], mark_arg, &letters[1]);
	EXPECT_EQ(kc_detach(), 0);
	EXPECT_STREQ(trace.text, "ba");
	ASSERT_EQ(kc_attach(), 0);
	EXPECT_ERR(kc_defer_pop(1), ENOENT);
	EXPECT_EQ(kc_detach(), 0);
}

#if KC_CONFIG_KEYS > 0

static kc_key_t key[KC_CONFIG_KEYS];
static unsigned int destroyed;
static void *destroyed_in;

static void destroy(void *value)
{
	unsigned int i = (unsigned int)((char *)value - letters);

	EXPECT_NULL(kc_key_get(key[i]));	/* the slot is empty already */
	destroyed |= 1u << i;
	destroyed_in = kc_self();
}

static void make_keys(unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		ASSERT_EQ(kc_key_new(&key[i], i % 2 ? NULL : destroy), 0);
}

static void *task_keys(void *arg)
{
	for (unsigned int i = 0; i < KC_CONFIG_KEYS; i++)
		EXPECT_NULL(kc_key_get(key[i]));
	for (unsigned int i = 0; i < KC_CONFIG_KEYS; i++)
		EXPECT_EQ(kc_key_set(key[i], (char *)arg + i), 0);
	for (unsigned int round = 0; round < 5; round++) {
		kc_yield();
		for (unsigned int i = 0; i < KC_CONFIG_KEYS; i++)
			EXPECT_PTR_EQ(kc_key_get(key[i]), (char *)arg + i);
	}
	for (unsigned int i = 0; i < KC_CONFIG_KEYS; i++)
		EXPECT_EQ(kc_key_set(key[i], NULL), 0);
	return arg;
}

/* each coroutine has its own values, none at first, whatever its stack was before */
RT_TEST(task, keys_are_ones_own)
{
	static char base[10][KC_CONFIG_KEYS];
	struct kc_task *task[10];

	make_keys(KC_CONFIG_KEYS);
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < 10; i++)
			task[i] = spawn(task_keys, base[i]);
		for (int i = 0; i < 10; i++)
			EXPECT_PTR_EQ(join(task[i]), base[i]);
	}
	EXPECT_EQ(destroyed, 0);
}

RT_TEST(task, keys_refused)
{
	kc_key_t none;

	EXPECT_ERR(kc_key_new(NULL, NULL), EINVAL);
	EXPECT_ERR(kc_key_set(0, letters), EINVAL);
	EXPECT_NULL(kc_key_get(0));
	make_keys(KC_CONFIG_KEYS);
	EXPECT_ERR(kc_key_new(&none, NULL), EAGAIN);
	EXPECT_ERR(kc_key_set(KC_CONFIG_KEYS, letters), EINVAL);
	EXPECT_NULL(kc_key_get(KC_CONFIG_KEYS));
	EXPECT_EQ(kc_key_set(key[0], NULL), 0);
}

static void *task_leaves_values(void *arg)
{
	kc_key_set(key[0], &letters[0]);
	kc_key_set(key[1], &letters[1]);	/* has no destructor */
	kc_key_set(key[2], NULL);		/* has no value */
	kc_key_set(key[4], &letters[4]);
	if (arg)
		kc_exit(arg);
	return kc_self();
}

RT_TEST(task, key_destructors)
{
	struct kc_task *task;

	KTEST_REQUIRES(KC_CONFIG_KEYS >= 6, "needs 6 keys");
	make_keys(5);
	for (int exits = 0; exits < 2; exits++) {
		destroyed = 0;
		task = spawn(task_leaves_values, exits ? letters : NULL);
		join(task);
		/* all before the joiner goes on, in the coroutine that ends */
		EXPECT_EQ(destroyed, 1u << 0 | 1u << 4);
		EXPECT_PTR_EQ(destroyed_in, task);
	}
}

static void handler_reads_key(void *arg)
{
	EXPECT_PTR_EQ(kc_key_get(key[0]), arg);
	EXPECT_EQ(destroyed, 0);
}

static void *task_key_and_handler(void *arg)
{
	kc_key_set(key[0], letters);
	kc_defer_push(&d[0], handler_reads_key, letters);
	return arg;
}

RT_TEST(task, handlers_come_before_key_destructors)
{
	make_keys(1);
	join(spawn(task_key_and_handler, NULL));
	EXPECT_EQ(destroyed, 1);
}

KTEST(task, keys_of_the_thread)
{
	make_keys(1);
	ASSERT_EQ(kc_attach(), 0);
	EXPECT_EQ(kc_key_set(key[0], letters), 0);
	EXPECT_PTR_EQ(kc_key_get(key[0]), letters);
	EXPECT_EQ(kc_detach(), 0);
	EXPECT_EQ(destroyed, 1);
	ASSERT_EQ(kc_attach(), 0);
	EXPECT_NULL(kc_key_get(key[0]));
	EXPECT_EQ(kc_detach(), 0);
}

#endif

#if KC_CONFIG_KEYS > 0
static void defers(void *arg)
{
	EXPECT_EQ(kc_defer_push(&d[0], mark_arg, arg), 0);
}

/* as long as there are handlers it has not ended */
KTEST(task, destructor_defers)
{
	kc_key_t own;

	ASSERT_EQ(kc_key_new(&own, defers), 0);
	ASSERT_EQ(kc_attach(), 0);
	EXPECT_EQ(kc_key_set(own, &letters[3]), 0);
	EXPECT_EQ(kc_detach(), 0);
	EXPECT_STREQ(trace.text, "d");
}
#endif
