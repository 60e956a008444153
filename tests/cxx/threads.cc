// SPDX-License-Identifier: MIT
/* Threads with and without coroutines, all of which throw. */
#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "cxx_test.h"

CXX_SUITE();

static int throw_some(int n)
{
	int caught = 0;

	for (int i = 0; i < n; i++) {
		try {
			throw std::runtime_error(std::to_string(i));
		} catch (const std::exception &e) {
			caught += e.what() == std::to_string(i);
		}
	}
	return caught;
}

/* A library of threads that knows nothing of coroutines. */
static void plain_thread(std::atomic<int> &caught, int n)
{
	caught += throw_some(n);
}

static void coroutine_thread(std::atomic<int> &caught, int n)
{
	std::vector<std::unique_ptr<coroutine>> all;

	if (!kcoro_create_main())
		return;
	for (int i = 0; i < 4; i++)
		all.emplace_back(new coroutine([&] {
			for (int k = 0; k < n; k++) {
				caught += throw_some(1);
				kcoro_yield();
			}
		}));
	for (bool more = true; more;) {
		more = false;
		for (auto &co : all)
			more |= (*co)();
	}
	all.clear();
	kcoro_detach();
}

KTEST(cxx, threads_with_exceptions)
{
	int n = static_cast<int>(ktest_iterations(500));
	std::vector<std::thread> threads;
	std::atomic<int> plain(0), coroutines(0);
	bool several = IS_ENABLED(CONFIG_THREADS);

	/* without THREADS the coroutines stay on this one */
	for (int i = 0; i < 3; i++)
		threads.emplace_back(plain_thread, std::ref(plain), 4 * n);
	for (int i = 0; several && i < 3; i++)
		threads.emplace_back(coroutine_thread, std::ref(coroutines), n);
	coroutine co([&] {
		for (int i = 0; i < n; i++) {
			coroutines += throw_some(1);
			kcoro_yield();
		}
	});
	while (co())
		;
	for (auto &thread : threads)
		thread.join();
	EXPECT_EQ(plain, 3 * 4 * n);
	EXPECT_EQ(coroutines, (several ? 3 * 4 * n : 0) + n);
}
