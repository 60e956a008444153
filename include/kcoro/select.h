/* SPDX-License-Identifier: MIT */
/* select.h - wait for several channels, go on with one. */
#ifndef KCORO_SELECT_H
#define KCORO_SELECT_H

#include <kcoro/chan.h>
#include <kcoro/wait.h>

#ifdef KC_CONFIG_SELECT
#define KC_SELECT_API KC_API
#else
#define KC_SELECT_API __attribute__((error("needs a build with CONFIG_SELECT")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

enum kc_case_op { KC_OP_RECV, KC_OP_SEND };

/**
 * struct kc_case - one alternative of a select
 * @chan: channel; NULL never fires
 * @op: send or receive
 * @data: the element, or where it goes
 * @err: of the alternative that fired: 0, or -EPIPE (closed), -ENOMEM
 * @node_: the library's
 */
struct kc_case {
	struct kc_chan *chan;
	enum kc_case_op op;
	void *data;
	int err;
	struct kc_node node_;
};

/* initialise an element of an array of struct kc_case */
#ifdef __cplusplus
static inline struct kc_case kc_case_make(struct kc_chan *ch, enum kc_case_op op, void *data)
{
	struct kc_case c = {};

	c.chan = ch;
	c.op = op;
	c.data = data;
	return c;
}
#define KC_RECV(ch, elem)	kc_case_make(ch, KC_OP_RECV, elem)
#define KC_SEND(ch, elem)	kc_case_make(ch, KC_OP_SEND, (void *)(elem))
#else
#define KC_RECV(ch, elem)	{ .chan = (ch), .op = KC_OP_RECV, .data = (elem) }
#define KC_SEND(ch, elem)	{ .chan = (ch), .op = KC_OP_SEND, .data = (void *)(elem) }
#endif

/**
 * kc_select_until - do the first of several sends and receives that can be done
 * @cases: the alternatives; a channel may occur several times
 * @n: how many
 * @deadline: when to give up
 *
 * If several can be done now one of them is chosen at random, each with the same chance.
 * Exactly one fires; the others have no effect. A closed channel can always be done.
 *
 * Waits. Return: index of the one that fired, its @err set; -EINVAL (@cases NULL, @n
 * negative, an unknown @op); -ETIMEDOUT; -EINTR; -EPERM when it would have to wait
 * outside a runtime.
 */
KC_SELECT_API int kc_select_until(struct kc_case *cases, int n, kc_time_t deadline);

/** kc_select - kc_select_until() without a deadline */
KC_SELECT_API int kc_select(struct kc_case *cases, int n);

/** kc_try_select - as kc_select(), but -EAGAIN if nothing can be done now (Go's default) */
KC_SELECT_API int kc_try_select(struct kc_case *cases, int n);

#ifdef __cplusplus
}
#endif

#endif /* KCORO_SELECT_H */
