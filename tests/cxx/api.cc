// SPDX-License-Identifier: MIT
/* Every public function, called from C++ and linked by its C name. */
#include "cxx_test.h"

CXX_SUITE();

static int panics;

static void count_panics(const struct kcoro_panic *)
{
	panics++;
}

static void parks_and_yields(void *arg)
{
	int *steps = static_cast<int *>(arg);

	++*steps;
	EXPECT_EQ(kcoro_yield(), 0);
	++*steps;
	EXPECT_EQ(kcoro_park(), 0);
	++*steps;
	EXPECT_LT(kcoro_stack_room(), stack_size);
}

KTEST(cxx, api_is_callable)
{
	kcoro_t *main = kcoro_create_main();
	std::unique_ptr<char[]> memory(new char[stack_size]);
	void *low = nullptr, *high = nullptr;
	struct kcoro_stats stats;
	int steps = 0;

	ASSERT_NOT_NULL(main);
	EXPECT_PTR_EQ(kcoro_current(), main);
	EXPECT_GT(kcoro_stack_min(), 0u);
	kcoro_set_panic_hook(count_panics);

	kcoro_t *co = kcoro_create_on(parks_and_yields, &steps, memory.get(), stack_size);
	ASSERT_NOT_NULL(co);
	kcoro_set_name(co, "worker");
	EXPECT_STREQ(kcoro_name(co), KC_CONFIG_NAME_LEN > 6 ? "worker" : "");
	EXPECT_NE(kcoro_id(co), kcoro_id(main));
	EXPECT_EQ(kcoro_state(co), KCORO_CREATED);
	EXPECT_EQ(kcoro_stack_bounds(co, &low, &high), 0);
	EXPECT_LT(low, high);
	EXPECT_PTR_EQ(kcoro_get(co), co);
	kcoro_put(co);

	EXPECT_EQ(kcoro_resume(co), 0);
	EXPECT_STREQ(kcoro_state_name(kcoro_state(co)), "SUSPENDED");
	EXPECT_EQ(kcoro_yield_to(co), 0);
	EXPECT_EQ(kcoro_state(co), KCORO_PARKED);
	EXPECT_ERR(kcoro_resume(co), EAGAIN);
	EXPECT_EQ(kcoro_unpark(co), 1);
	EXPECT_EQ(kcoro_resume(co), 0);
	EXPECT_EQ(steps, 3);
	EXPECT_EQ(kcoro_state(co), KCORO_FINISHED);
#ifdef KC_CONFIG_STACK_HIGHWATER
	EXPECT_GT(kcoro_stack_used(co), 0u);
#endif
	kcoro_get_stats(&stats);
	EXPECT_EQ(stats.live, 1);
	EXPECT_EQ(kcoro_destroy(co), 0);

	co = kcoro_create(parks_and_yields, &steps, 0);
	ASSERT_NOT_NULL(co);
	kcoro_put(co);
	EXPECT_EQ(kcoro_reclaim(), 1);
	EXPECT_GE(kcoro_stack_trim(0), 0);
	kcoro_stack_colouring(kcoro_stack_colouring(0));
	EXPECT_NOT_NULL(kcoro_stack_guard());
	EXPECT_STREQ(kc_version(), KC_VERSION);
	EXPECT_EQ(kc_abi_check(KC_ABI_TAG), 0);
	kcoro_set_panic_hook(nullptr);
	EXPECT_EQ(panics, 0);
	EXPECT_EQ(kcoro_detach(), 0);
	EXPECT_NULL(kcoro_current());
}
