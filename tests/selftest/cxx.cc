// SPDX-License-Identifier: MIT
/* Suites may be written in C++. */
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "ktest.h"

KTEST_SUITE(ktest_cxx, .timeout = 20);

KTEST(ktest_cxx, expectations)
{
	std::string text = "text";
	enum { RED, GREEN } colour = GREEN;
	const char c = 'c';
	float half = 0.5F;

	EXPECT_EQ(text.size(), 4);
	EXPECT_NE(colour, RED);
	EXPECT_EQ(c, 'c');
	EXPECT_EQ(half, 0.5);
	EXPECT_STREQ(text.c_str(), "text");
	EXPECT_NOT_NULL(text.c_str());
	EXPECT_NULL(nullptr);
	EXPECT_PTR_EQ(&text, &text);
	EXPECT_TRUE(text == "text");
	ASSERT_ERR(-EINVAL, EINVAL);
}

KTEST(ktest_cxx, exceptions)
{
	bool caught = false;

	try {
		throw std::runtime_error("thrown");
	} catch (const std::exception &e) {
		caught = std::string(e.what()) == "thrown";
	}
	EXPECT_TRUE(caught);
}

KTEST(ktest_cxx, uncaught_exception_is_death)
{
	EXPECT_DEATH(SIGABRT, "thrown", throw std::runtime_error("thrown"));
}

static const struct {
	const char *desc;
	int value;
} values[] = { { "one", 1 }, { "two", 2 } };

KTEST_PARAM(ktest_cxx, parameters, values)
{
	EXPECT_GT(param->value, 0);
}
