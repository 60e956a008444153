/* SPDX-License-Identifier: MIT */
/* What the files of the C++ suite share. */
#ifndef CXX_TEST_H
#define CXX_TEST_H

#include <functional>
#include <memory>
#include <new>
#include <utility>

#include <kcoro/kcoro.h>

#include "ktest.h"

/* room for the unwinder, and for what a sanitizer adds; no policy limits number or size */
constexpr size_t stack_size = 256 * 1024;

/* A coroutine as a C++ programmer would wrap it: any callable, released with its scope. */
class coroutine {
public:
	explicit coroutine(std::function<void()> body)
		: body_(std::move(body)), memory_(new char[stack_size]),
		  co_(kcoro_create_on(run, this, memory_.get(), stack_size))
	{
		if (!co_)
			throw std::bad_alloc();
	}

	coroutine(const coroutine &) = delete;
	coroutine &operator=(const coroutine &) = delete;

	~coroutine()
	{
		kcoro_destroy(co_);
	}

	/* until it yields or ends; true while there is more */
	bool operator()()
	{
		return kcoro_resume(co_) == 0 && kcoro_state(co_) != KCORO_FINISHED;
	}

	kcoro_t *get() const
	{
		return co_;
	}

private:
	static void run(void *self)
	{
		static_cast<coroutine *>(self)->body_();
	}

	std::function<void()> body_;
	std::unique_ptr<char[]> memory_;
	kcoro_t *co_;
};

static inline int cxx_init(void)
{
	return kcoro_create_main() ? 0 : -errno;
}

static inline void cxx_exit(void)
{
	kcoro_detach();
}

#define CXX_SUITE() KTEST_SUITE(cxx, .init = cxx_init, .exit = cxx_exit, .timeout = 30)

#endif
