/* SPDX-License-Identifier: MIT */
/*
 * What the library in this process is: its version, its configuration, and whether it fits the
 * headers that the caller was compiled with. The compile-time side of the same facts is
 * <kcoro/config.h>: KC_VERSION, KC_ABI_TAG and one KC_CONFIG_* macro per symbol.
 */
#ifndef KCORO_KC_CONFIG_H
#define KCORO_KC_CONFIG_H

#include <stddef.h>

#include <kcoro/config.h>

#define KC_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

/**
 * kc_version - version of the library, such as "0.1.0"
 *
 * Compare with KC_VERSION, the version of the headers.
 *
 * Context: anywhere, including signal handlers. Never parks.
 */
KC_API const char *kc_version(void);

/**
 * kc_abi_tag - what inline code in the headers must agree on with this library
 *
 * Context: anywhere, including signal handlers. Never parks.
 *
 * Return: a readable string, such as "kcoro 0.1 x86_64 SWITCH_INLINE THREADS".
 */
KC_API const char *kc_abi_tag(void);

/**
 * kc_abi_check - does the library fit the headers?
 * @tag: KC_ABI_TAG of the headers the caller was compiled with
 *
 * Context: anywhere, including signal handlers. Never parks.
 *
 * Return: 0, or -ELIBBAD if headers of one build met the library of another.
 */
KC_API int kc_abi_check(const char *tag);

/**
 * kc_abi_explain - say in words what kc_abi_check() found
 * @tag: KC_ABI_TAG of the headers the caller was compiled with
 * @buf: where to write the sentence; cut to fit and always terminated
 * @len: size of @buf; 0 writes nothing
 *
 * Context: anywhere, including signal handlers. Never parks.
 *
 * Return: what kc_abi_check() returns.
 */
KC_API int kc_abi_explain(const char *tag, char *buf, size_t len);

#ifdef KC_CONFIG_CONFIG_QUERY

/**
 * kc_config_get - value of a configuration symbol of the library
 * @name: the symbol without CONFIG_, such as "STACK_DEFAULT_SIZE"
 *
 * Context: anywhere, including signal handlers. Never parks.
 *
 * Return: "y", a number or a text as in .config; NULL if the symbol is not set or not known.
 */
KC_API const char *kc_config_get(const char *name);

/**
 * kc_config_each - call a function for each symbol that is set, in order of names
 * @fn: called with the symbol, its value and @arg; a value other than 0 ends the walk
 * @arg: handed to @fn
 *
 * Context: anywhere; parks only if @fn does.
 *
 * Return: 0, or the value with which @fn ended the walk.
 */
KC_API int kc_config_each(int (*fn)(const char *name, const char *value, void *arg), void *arg);

#else

/* Not in this library: using them must fail when compiling, with the reason, not when linking. */
#define KC_NEEDS_CONFIG_QUERY(name) \
	__attribute__((error(name " needs a kcoro that was configured with CONFIG_QUERY=y")))
KC_NEEDS_CONFIG_QUERY("kc_config_get()")
const char *kc_config_get(const char *name);
KC_NEEDS_CONFIG_QUERY("kc_config_each()")
int kc_config_each(int (*fn)(const char *name, const char *value, void *arg), void *arg);

#endif

#ifdef __cplusplus
}
#endif

#endif
