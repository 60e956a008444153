// SPDX-License-Identifier: MIT
/* What a new coroutine is given: a name, a stack, memory of the caller. */
#include "common.h"

KTEST_SUITE(task, .init = virtual_init, .timeout = 30);

static void *task_name(void *arg)
{
	EXPECT_STREQ(kcoro_name(kcoro_current()), arg);
	return NULL;
}

RT_TEST(task, name)
{
	char name[] = "crawler", none[] = "";
	struct kc_spawn_opts opts = { .name = name };
	char want[sizeof(name)] = "";
	struct kc_task *task;

	for (size_t i = 0; i + 1 < at_most(sizeof(want), KC_CONFIG_NAME_LEN); i++)
		want[i] = name[i];
	task = kc_spawn(task_name, want, &opts);
	ASSERT_NOT_NULL(task);
	name[0] = 'C';				/* it has a copy */
	join(task);
	opts.name = NULL;
	task = kc_spawn(task_name, none, &opts);
	ASSERT_NOT_NULL(task);
	join(task);
}

static void *task_id(void *arg)
{
	(void)arg;
	return (void *)(uintptr_t)kcoro_id(kcoro_current());
}

RT_TEST(task, ids_rise)
{
	uintptr_t last = (uintptr_t)task_id(NULL);

	EXPECT_GT(last, 0);
	for (int i = 0; i < 100; i++) {
		uintptr_t id = (uintptr_t)join(spawn(task_id, NULL));

		EXPECT_EQ(id, last + 1);
		last = id;
	}
}

static void *task_room(void *arg)
{
	(void)arg;
	return (void *)kcoro_stack_room();
}

RT_TEST(task, stack_size)
{
	struct kc_spawn_opts opts = { .stack_size = 0 };
	size_t usual = (size_t)join(kc_spawn(task_room, NULL, &opts));

	EXPECT_GT(usual, 0);
	EXPECT_LE(usual, KC_CONFIG_STACK_DEFAULT_SIZE);
	opts.stack_size = 1;
	EXPECT_NULL_ERR(kc_spawn(task_room, NULL, &opts), EINVAL);
#ifndef KC_CONFIG_STACK_STATIC
	for (int i = 0; i < 3; i++) {
		size_t room;

		opts.stack_size = KC_CONFIG_STACK_DEFAULT_SIZE * 4;
		room = (size_t)join(kc_spawn(task_room, NULL, &opts));
		EXPECT_GT(room, KC_CONFIG_STACK_DEFAULT_SIZE * 3);
		/* the next one is of the usual size again */
		room = (size_t)join(spawn(task_room, NULL));
		EXPECT_LE(room, KC_CONFIG_STACK_DEFAULT_SIZE);
		EXPECT_GT(room, usual / 2);
	}
#endif
}

static void *task_where(void *arg)
{
	char *mem = arg, *here = __builtin_frame_address(0);

	EXPECT_TRUE(here >= mem && here < mem + OWN_STACK);
	EXPECT_EQ(kc_sleep(KC_SEC), 0);
	return &mem[1];
}

/* the memory is the caller's again as soon as join returns */
RT_TEST(task, memory_of_the_caller)
{
	for (int i = 0; i < 10; i++) {
		char *mem = malloc(OWN_STACK);
		struct kc_spawn_opts opts = { .mem = mem, .mem_size = OWN_STACK };
		struct kc_task *task;

		ASSERT_NOT_NULL(mem);
		memset(mem, 0xff, OWN_STACK);
		task = kc_spawn(task_where, mem, &opts);
		ASSERT_NOT_NULL(task);
		EXPECT_PTR_EQ(join(task), &mem[1]);
		memset(mem, 0xee, OWN_STACK);
		free(mem);
		join(spawn(task_nothing, NULL));
	}
}

RT_TEST(task, memory_of_the_caller_ended_before)
{
	static char mem[OWN_STACK];
	struct kc_spawn_opts opts = { .mem = mem, .mem_size = sizeof(mem) };

	for (int i = 0; i < 100; i++) {
		struct kc_task *task = kc_spawn(task_nothing, mem, &opts);

		ASSERT_NOT_NULL(task);
		kc_yield();
		EXPECT_EQ(kc_try_join(task, NULL), 0);
		memset(mem, i, sizeof(mem));
		kc_go(task_nothing, NULL);
		kc_yield();
	}
}

static char run_memory[OWN_STACK];

static void *task_leaves_one_behind(void *arg)
{
	struct kc_spawn_opts opts = { .mem = run_memory, .mem_size = sizeof(run_memory) };

	(void)arg;
	EXPECT_EQ(kc_task_detach(kc_spawn(task_nothing, NULL, &opts)), 0);
	return NULL;
}

/* nor does anything refer to it once the runtime has ended */
KTEST(task, memory_of_the_caller_after_run)
{
	ASSERT_NOT_NULL(kcoro_create_main());
	for (int i = 0; i < 10; i++) {
		EXPECT_EQ(kc_run(task_leaves_one_behind, NULL), 0);
		memset(run_memory, 0xee, sizeof(run_memory));
		kcoro_reclaim();
	}
	EXPECT_EQ(kcoro_detach(), 0);
}

RT_TEST(task, memory_too_small)
{
	static char mem[64];
	struct kc_spawn_opts opts = { .mem = mem, .mem_size = sizeof(mem) };

	EXPECT_NULL_ERR(kc_spawn(task_nothing, NULL, &opts), EINVAL);
}

/* all stacks in use: an error, and everything goes on */
RT_TEST(task, no_more_stacks)
{
	struct kc_task *task[64], *more;
	unsigned int n = 0;

	KTEST_REQUIRES(MAX_LIVE <= 64, "needs STACK_STATIC with few stacks");
	while (n < 64 && (more = kc_spawn(task_park, &n, NULL)))
		task[n++] = more;
	EXPECT_EQ(errno, ENOMEM);
	EXPECT_ERR(kc_go(task_nothing, NULL), ENOMEM);
	EXPECT_EQ(n, MAX_LIVE - 1);
	kc_yield();
	for (unsigned int i = 0; i < n; i++)
		EXPECT_EQ(kcoro_unpark(kc_task_coro(task[i])), 1);
	for (unsigned int i = 0; i < n; i++)
		join(task[i]);
	join(spawn(task_nothing, NULL));
}
