/* SPDX-License-Identifier: MIT */
#ifndef KC_INTERNAL_KCONFIG_H
#define KC_INTERNAL_KCONFIG_H

/* The build includes this file into every object of the library and of the tests. */
#include <autoconf.h>

/*
 * IS_ENABLED(CONFIG_X) is 1 if the symbol is y, else 0: usable in C and in #if, so that code
 * behind an option is always parsed and dropped only by the optimiser.
 *
 * A set symbol is defined to 1 and makes KC_ARG_1, which is "0,": the 1 behind it becomes the
 * second argument. Any other spelling leaves junk as the first argument and 0 as the second.
 */
#define KC_ARG_1 0,
#define KC_SECOND(first, second, ...) second
#define KC_ENABLED__(junk_or_arg) KC_SECOND(junk_or_arg 1, 0, 0)
#define KC_ENABLED_(value) KC_ENABLED__(KC_ARG_##value)
#define IS_ENABLED(option) KC_ENABLED_(option)

#endif
