/* SPDX-License-Identifier: MIT */
/*
 * switch.c - the bare switch of contexts, without states, checks or return targets: what
 * Boost.Context's jump is to Boost. The coroutines are abandoned, as their states are wrong.
 */
#define KCORO_INLINE
#include <kcoro/kcoro.h>

#define HEAD(co)	((struct kcoro_head *)(co))
#define TO(co)		kc_transfer(HEAD(main_co), HEAD(co))
#define BACK(self)	kc_transfer(HEAD(self), HEAD(main_co))
#define RUN		switch_run
#define RUN_MANY	switch_many_run
#include "switching.h"
