// SPDX-License-Identifier: MIT
/* Exceptions, with the switching calls inlined into the code that throws. */
#define KCORO_INLINE
#include "cxx_test.h"

#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

CXX_SUITE();

#define NEEDS_CXX_EXCEPTIONS()	\
	KTEST_REQUIRES(IS_ENABLED(CONFIG_CXX_EXCEPTIONS), "needs CXX_EXCEPTIONS")

/* What is being handled here and now: "" for nothing. */
static std::string handled()
{
	std::exception_ptr now = std::current_exception();

	if (!now)
		return "";
	try {
		std::rethrow_exception(now);
	} catch (const std::exception &e) {
		return e.what();
	}
}

struct counts_down {
	int &n;

	~counts_down()
	{
		n--;
	}
};

__attribute__((noinline)) static void fall(int depth, int &frames, const std::string &what)
{
	counts_down guard{ ++frames };

	if (depth == 0)
		throw std::runtime_error(what);
	fall(depth - 1, frames, what);
}

KTEST(cxx, throw_and_catch)
{
	std::string caught;
	int frames = 0;
	coroutine co([&] {
		for (int depth = 0; depth < 30; depth += 10) {
			try {
				fall(depth, frames, "from " + std::to_string(depth));
			} catch (const std::runtime_error &e) {
				caught += e.what();
			}
			EXPECT_EQ(frames, 0);
			kcoro_yield();
		}
	});

	while (co())
		caught += ", ";
	EXPECT_STREQ(caught.c_str(), "from 0, from 10, from 20, ");
}

/* Between the frames of a throw and its catch there may be switches that are over. */
KTEST(cxx, throw_after_switches)
{
	int frames = 0, caught = 0;
	std::vector<std::unique_ptr<coroutine>> all;

	for (int i = 0; i < 8; i++)
		all.emplace_back(new coroutine([&, i] {
			try {
				for (int n = 0; n < i; n++)
					kcoro_yield();
				fall(i, frames, std::to_string(i));
			} catch (const std::runtime_error &e) {
				caught += e.what() == std::to_string(i);
			}
		}));
	for (int n = 0; n < 8; n++)
		for (auto &co : all)
			(*co)();
	EXPECT_EQ(caught, 8);
	EXPECT_EQ(frames, 0);
}

/* Handlers of many coroutines are open at once and end in an order that is not a stack's. */
KTEST(cxx, catch_across_switches)
{
	std::vector<std::unique_ptr<coroutine>> all;
	int wrong = 0, ended = 0;

	NEEDS_CXX_EXCEPTIONS();
	for (int i = 0; i < 5; i++)
		all.emplace_back(new coroutine([&, i] {
			std::string mine = "coroutine " + std::to_string(i);

			try {
				throw std::runtime_error(mine);
			} catch (const std::runtime_error &e) {
				for (int n = 0; n <= i; n++) {
					kcoro_yield();
					wrong += handled() != mine || e.what() != mine;
				}
				try {
					throw;
				} catch (const std::exception &again) {
					kcoro_yield();
					wrong += again.what() != mine;
				}
				wrong += handled() != mine;
			}
			wrong += handled() != "" || std::uncaught_exceptions() != 0;
			ended++;
		}));
	for (int n = 0; n < 8; n++)
		for (size_t i = 0; i < all.size(); i++) {
			/* the main coroutine handles something of its own at times */
			try {
				if (n % 2)
					throw std::logic_error("main");
				(*all[i])();
				EXPECT_STREQ(handled().c_str(), "");
			} catch (const std::logic_error &) {
				(*all[(i + 2) % all.size()])();
				EXPECT_STREQ(handled().c_str(), "main");
			}
		}
	EXPECT_EQ(ended, 5);
	EXPECT_EQ(wrong, 0);
}

struct yields_when_destroyed {
	int &seen;

	~yields_when_destroyed()
	{
		kcoro_yield();
		seen = std::uncaught_exceptions();
	}
};

/* An exception is on its way while its coroutine switches. */
KTEST(cxx, unwinding_across_switches)
{
	int seen[2] = { -1, -1 };
	int caught = 0;
	auto body = [&](int i) {
		try {
			yields_when_destroyed guard{ seen[i] };

			throw i;
		} catch (int n) {
			caught += n == i;
		}
	};
	coroutine a([&] { body(0); }), b([&] { body(1); });

	NEEDS_CXX_EXCEPTIONS();
	EXPECT_TRUE(a());
	EXPECT_EQ(std::uncaught_exceptions(), 0);
	EXPECT_TRUE(b());
	EXPECT_EQ(std::uncaught_exceptions(), 0);
	EXPECT_FALSE(a());
	EXPECT_FALSE(b());
	EXPECT_EQ(seen[0], 1);
	EXPECT_EQ(seen[1], 1);
	EXPECT_EQ(caught, 2);
}

/* A coroutine does not inherit what its creator or resumer handles. */
KTEST(cxx, starts_without_exceptions)
{
	std::string inside = "never ran", outside;

	NEEDS_CXX_EXCEPTIONS();
	try {
		throw std::runtime_error("outer");
	} catch (const std::runtime_error &) {
		coroutine co([&] { inside = handled(); });

		EXPECT_FALSE(co());
		outside = handled();
	}
	EXPECT_STREQ(inside.c_str(), "");
	EXPECT_STREQ(outside.c_str(), "outer");
}

/* What a coroutine could not handle goes to its resumer by std::exception_ptr. */
KTEST(cxx, exception_ptr_crosses)
{
	std::exception_ptr failure;
	std::string caught;
	{
		coroutine co([&] {
			try {
				throw std::runtime_error("carried over");
			} catch (...) {
				failure = std::current_exception();
			}
		});

		EXPECT_FALSE(co());
	}
	try {
		ASSERT_TRUE(failure);
		std::rethrow_exception(failure);
	} catch (const std::runtime_error &e) {
		caught = e.what();
	}
	EXPECT_STREQ(caught.c_str(), "carried over");
}

static void let_escape()
{
	coroutine co([] { throw std::runtime_error("nobody catches this"); });

	try {
		co();
	} catch (...) {
		/* must not get here: this frame is on another stack */
	}
}

KTEST(cxx, escape_terminates)
{
	EXPECT_DEATH(SIGABRT, "nobody catches this", let_escape());
}
