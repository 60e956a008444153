// SPDX-License-Identifier: MIT
/* Does the library know what it is, and does it refuse a program made for another one? */
#include "common.h"

KTEST_SUITE(core, .init = common_init, .timeout = 30);

KTEST(core, version)
{
	char text[40];

	snprintf(text, sizeof(text), "%d.%d.%d", KC_VERSION_MAJOR, KC_VERSION_MINOR,
		 KC_VERSION_PATCH);
	EXPECT_STREQ(kc_version(), KC_VERSION);
	EXPECT_STREQ(kc_version(), text);
	EXPECT_STREQ(kc_abi_tag(), KC_ABI_TAG);
	EXPECT_EQ(strncmp(kc_abi_tag(), "kcoro ", 6), 0);
}

KTEST(core, abi_mismatch_is_refused)
{
	static const char other[] = "kcoro 0.1 pdp11";
	char text[600], cut[16];

	ASSERT_EQ(kcoro_detach(), 0);
	EXPECT_NULL_ERR(kcoro_create_main_abi(other), ELIBBAD);
	EXPECT_NULL_ERR(kcoro_create_main_abi(""), ELIBBAD);
	EXPECT_NULL(kcoro_current());
	EXPECT_ERR(kc_abi_check(other), ELIBBAD);
	EXPECT_EQ(kc_abi_check(KC_ABI_TAG), 0);
	/* both sides are in the explanation */
	EXPECT_ERR(kc_abi_explain(other, text, sizeof(text)), ELIBBAD);
	EXPECT_NOT_NULL(strstr(text, other));
	EXPECT_NOT_NULL(strstr(text, KC_ABI_TAG));
	EXPECT_EQ(kc_abi_explain(KC_ABI_TAG, text, sizeof(text)), 0);
	EXPECT_NOT_NULL(strstr(text, "agree"));
	/* cut, terminated, and not a byte further */
	memset(cut, '#', sizeof(cut));
	EXPECT_ERR(kc_abi_explain(other, cut, 8), ELIBBAD);
	EXPECT_STREQ(cut, "kcoro: ");
	EXPECT_EQ(cut[8], '#');
	EXPECT_ERR(kc_abi_explain(other, cut, 1), ELIBBAD);
	EXPECT_STREQ(cut, "");
	cut[0] = '#';
	EXPECT_ERR(kc_abi_explain(other, cut, 0), ELIBBAD);
	EXPECT_EQ(cut[0], '#');
	/* once accepted, the wrong tag is still refused */
	ASSERT_NOT_NULL(kcoro_create_main());
	EXPECT_NULL_ERR(kcoro_create_main_abi(other), ELIBBAD);
	EXPECT_NOT_NULL(kcoro_current());
}

#ifdef KC_CONFIG_CONFIG_QUERY

struct walk {
	int n, stop_at;
	const char *last;
	bool sorted, consistent;
};

static int visit(const char *name, const char *value, void *arg)
{
	struct walk *w = arg;

	w->sorted = w->sorted && (!w->last || strcmp(w->last, name) < 0);
	w->consistent = w->consistent && kc_config_get(name) &&
			!strcmp(kc_config_get(name), value);
	w->last = name;
	return ++w->n == w->stop_at ? 42 : 0;
}

KTEST(core, config_query)
{
	struct walk w = { .sorted = true, .consistent = true };
	struct walk some = { .stop_at = 2, .sorted = true, .consistent = true };
	const char *size = kc_config_get("STACK_DEFAULT_SIZE");

	ASSERT_NOT_NULL(size);
	EXPECT_EQ(atol(size), KC_CONFIG_STACK_DEFAULT_SIZE);
	EXPECT_STREQ(kc_config_get("CONFIG_QUERY"), "y");
	EXPECT_NULL(kc_config_get("NO_SUCH_SYMBOL"));
	EXPECT_NULL(kc_config_get(""));
	EXPECT_EQ(kc_config_get("SMP") != NULL, HAVE_SMP);
	EXPECT_EQ(kc_config_get("DEBUG") != NULL, HAVE_DEBUG);
	EXPECT_EQ(kc_config_each(visit, &w), 0);
	EXPECT_GT(w.n, 5);
	EXPECT_TRUE(w.sorted);
	EXPECT_TRUE(w.consistent);
	EXPECT_EQ(kc_config_each(visit, &some), 42);
	EXPECT_EQ(some.n, 2);
}

#endif
