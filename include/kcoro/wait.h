/* SPDX-License-Identifier: MIT */
/*
 * wait.h - the queue in which coroutines wait for an object, as far as public structures
 * contain it. All members are the library's.
 */
#ifndef KCORO_WAIT_H
#define KCORO_WAIT_H

struct kc_wait;

/* one source of a wait; lies on the waiter's stack */
struct kc_node {
	struct kc_node *next, *prev;	/* in the queue */
	struct kc_waitq *queue;		/* where it is linked, NULL if it is not */
	struct kc_node *sibling;	/* the same wait's next source */
	struct kc_wait *wait;
	void *data;			/* what the source makes of it */
};

/* first come, first served; all zero is an empty queue */
struct kc_waitq {
	struct kc_node *first, *last;
};

#endif /* KCORO_WAIT_H */
