/* SPDX-License-Identifier: MIT */
/* Every call that waits, in one form: how to make it wait, how to wake it, what may stop it. */
#ifndef TESTS_SYNC_CALLS_H
#define TESTS_SYNC_CALLS_H

#include "../chan/rt.h"

/* what setup() is to make of the call */
enum mode { MUST_WAIT, NEED_NOT };

/**
 * struct call - a call that waits
 * @setup: by the case's coroutine
 * @call: the form with a deadline; gives back what it got. KC_FOREVER: the plain form
 * @attempt: the form that never waits, or NULL
 * @wake: end the wait with success; by the case's coroutine. NULL: only time does
 * @stop: close or destroy, while somebody waits; or NULL
 * @finish: whatever @setup began ends
 * @first: result of a call that need not wait
 * @busy: result of @attempt where @call would wait
 * @stopped: result of a wait after @stop; 0 if that refuses with -EBUSY and the wait goes on
 * @interrupt_first: looks for an interrupt even if it need not wait
 * @always: there is nothing it need not wait for
 * @helper: another coroutine takes part in @setup or @wake
 * @owner: nobody but the case's coroutine may @wake
 */
struct call {
	void (*setup)(enum mode mode);
	int (*call)(kc_time_t deadline);
	int (*attempt)(void);
	void (*wake)(void);
	int (*stop)(void);
	void (*finish)(void);
	int first, busy, stopped;
	bool interrupt_first, always, helper, owner;
};

extern const struct call call_send0, call_send2, call_recv0, call_recv2, call_recv_unlimited,
	call_recv_conflated, call_select, call_mutex, call_cond, call_cond_mutex, call_sem,
	call_read, call_write, call_group, call_once, call_barrier, call_event, call_join,
	call_sleep;

/* nodes on the queues of all objects */
unsigned long queued_chan(void);
unsigned long queued_sync(void);

/* the other coroutine, which ends when helper_ends() is called at the latest */
extern struct kc_task *helper;
void help(kc_fn fn);
void helper_ends(void);

/* the plain form and the one with a deadline; and bodies of one line */
#define FORMS(_name, _plain, _until)						\
	static int _name##_call(kc_time_t deadline)				\
	{									\
		return deadline == KC_FOREVER ? _plain : _until;		\
	}
#define CALL(_type, _name, ...)	static _type _name(void) { __VA_ARGS__; }

#endif
