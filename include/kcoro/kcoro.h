/* SPDX-License-Identifier: MIT */
/*
 * kcoro.h - the one header an application includes.
 *
 * Everything here depends only on libc. What the library was built with is in
 * kcoro/config.h as KC_CONFIG_*; what a build lacks is a compile-time error that
 * names the option.
 */
#ifndef KCORO_KCORO_H
#define KCORO_KCORO_H

#include <kcoro/config.h>
#include <kcoro/kc_config.h>
#include <kcoro/coro.h>

#include <kcoro/chan.h>
#include <kcoro/select.h>
#include <kcoro/sync.h>
#include <kcoro/task.h>
#include <kcoro/time.h>

#ifdef KCORO_INLINE
#include <kcoro/inline.h>
#endif

#endif /* KCORO_KCORO_H */
