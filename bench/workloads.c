/* SPDX-License-Identifier: MIT */
/* workloads.c - all that kcbench measures, as far as this configuration has it. */
#include <fnmatch.h>

#include <kcoro/kcoro.h>

#include "kcbench.h"

const struct workload workloads[] = {
	{ "switch", "ns", "switch", 20000000, 0, switch_run,
	  "one switch of contexts, nothing else; 4 coroutines, 8 call sites" },
	{ "resume", "ns", "switch", 20000000, 0, resume_run,
	  "kcoro_resume() or kcoro_yield(), inlined" },
	{ "resume-call", "ns", "switch", 20000000, 0, resume_call_run,
	  "kcoro_resume() or kcoro_yield(), called" },
	{ "switch-1000", "ns", "switch-1000", 20000000, 0, switch_many_run,
	  "as switch; 1000 coroutines take turns" },
	{ "resume-1000", "ns", "switch-1000", 20000000, 0, resume_many_run,
	  "as resume; 1000 coroutines take turns" },
	{ "resume-call-1000", "ns", "switch-1000", 20000000, 0, resume_call_many_run,
	  "as resume-call; 1000 coroutines take turns" },
	{ "create", "ns", "create", 100000, 1, create_run,
	  "create and run to the first park, fresh memory" },
	{ "create-warm", "ns", "create-warm", 1000000, 0, create_warm_run,
	  "create, run to the end and destroy, one at a time" },
	{ "memory", "bytes", "memory", 1000000, 1, memory_run,
	  "resident memory of a parked coroutine" },
	{ "memory-pagetables", "bytes", "memory-pagetables", 1000000, 1, memory_pagetables_run,
	  "page tables of a parked coroutine" },
#ifdef KC_CONFIG_RUNTIME
	{ "yield2", "ns", "yield2", 20000000, 0, yield_run,
	  "kc_yield(), inlined; 2 coroutines" },
	{ "yield2-call", "ns", "yield2", 20000000, 0, yield_call_run,
	  "kc_yield(), called; 2 coroutines" },
	{ "yield1000", "ns", "yield1000", 20000000, 0, yield_many_run,
	  "kc_yield(), inlined; 1000 coroutines" },
	{ "yield1000-call", "ns", "yield1000", 20000000, 0, yield_call_many_run,
	  "kc_yield(), called; 1000 coroutines" },
	{ "spawn1", "ns", "spawn1", 2000000, 0, spawn_one_run,
	  "kc_go(), run and end, one at a time" },
	{ "spawn-join", "ns", "spawn-join", 2000000, 0, spawn_join_run,
	  "kc_spawn(), run, end and kc_join(), one at a time" },
	{ "spawn100k", "ns", "spawn100k", 100000, 1, spawn_run,
	  "kc_go() of all, then run all to the end; the second time" },
	{ "spawn100k-cold", "ns", "spawn100k-cold", 100000, 1, spawn_cold_run,
	  "as spawn100k; the first time, on fresh memory" },
#endif
#ifdef KC_CONFIG_CHAN
	{ "chan0", "ns", "chan0", 4000000, 0, chan0_run,
	  "ping-pong over two channels without a buffer, per message" },
	{ "chan0s", "ns", "chan0s", 4000000, 0, chan0s_run,
	  "stream over a channel without a buffer" },
	{ "chan128", "ns", "chan128", 10000000, 0, chan128_run,
	  "stream over a channel with room for 128" },
	{ "mpmc", "ns", "mpmc", 10000000, 0, mpmc_run,
	  "8 senders, 8 receivers, a channel with room for 128" },
	{ "mpmc0", "ns", "mpmc0", 4000000, 0, mpmc0_run,
	  "8 senders, 8 receivers, a channel without a buffer" },
	{ "sieve", "ms", "sieve", 2000, 1, sieve_run,
	  "the first 2000 primes, a coroutine and a channel for each; all of it" },
	{ "chan0-call", "ns", "chan0", 4000000, 0, chan0_call_run,
	  "as chan0, not inlined" },
	{ "chan0s-call", "ns", "chan0s", 4000000, 0, chan0s_call_run,
	  "as chan0s, not inlined" },
	{ "chan128-call", "ns", "chan128", 10000000, 0, chan128_call_run,
	  "as chan128, not inlined" },
	{ "mpmc-call", "ns", "mpmc", 10000000, 0, mpmc_call_run,
	  "as mpmc, not inlined" },
	{ "mpmc0-call", "ns", "mpmc0", 4000000, 0, mpmc0_call_run,
	  "as mpmc0, not inlined" },
	{ "sieve-call", "ms", "sieve", 2000, 1, sieve_call_run,
	  "as sieve, not inlined" },
#endif
#ifdef KC_CONFIG_SELECT
	{ "select8", "ns", "select8", 2000000, 0, select_run,
	  "receive by a select over 8 channels without a buffer, 8 senders" },
#endif
#ifdef KC_CONFIG_SYNC
	{ "mutex", "ns", "mutex", 50000000, 0, mutex_run,
	  "lock and unlock a mutex that is free" },
	{ "cond", "ns", "cond", 4000000, 0, cond_run,
	  "hand over to another coroutine by a condition" },
	{ "mutex-call", "ns", "mutex", 50000000, 0, mutex_call_run,
	  "as mutex, not inlined" },
	{ "cond-call", "ns", "cond", 4000000, 0, cond_call_run,
	  "as cond, not inlined" },
#endif
#ifdef KC_CONFIG_RUNTIME
	{ "sleep1m", "ns", "sleep1m", 1000000, 1, sleep_run,
	  "start, sleep up to 2 s, end; CPU time of one of a million, the second time" },
	{ "timer-add", "ns", "timer-add", 1000000, 0, timer_add_run,
	  "arm a timer while up to a million are armed" },
	{ "timer-cancel", "ns", "timer-cancel", 1000000, 0, timer_cancel_run,
	  "cancel a timer while up to a million are armed" },
	{ "timer-fire", "ns", "timer-fire", 1000000, 0, timer_fire_run,
	  "arm a timer and have it fire; CPU time of one of a million" },
#endif
	{ .name = NULL },
};

/* what else is to be known of a peer's figure; the first that fits, a * stands for any rest */
static const struct {
	const char *peer, *workload, *text;
} notes[] = {
	{ "st", "switch*", "a yield through its scheduler" },
	{ "go", "switch*", "a yield through its scheduler" },
	{ "st", "yield*", "st_usleep(0), through its timers" },
	{ "st", "spawn1", "with a join" },
	{ "fiber", "spawn1", "with a join" },
	{ "st", "chan128", "a ring made of conditions" },
	{ "st", "mpmc", "a ring made of conditions" },
	{ "st", "chan0*", "one slot made of conditions, less than a rendezvous" },
	{ "st", "mpmc0", "one slot made of conditions, less than a rendezvous" },
	{ "st", "sieve", "one slot made of conditions, less than a rendezvous" },
	{ "go", "cond", "with a mutex, which it needs" },
	{ "fiber", "cond", "with a mutex, which it needs" },
};

const char *peer_note(const char *peer, const char *workload)
{
	for (size_t i = 0; i < sizeof(notes) / sizeof(notes[0]); i++)
		if (!strcmp(notes[i].peer, peer) && !fnmatch(notes[i].workload, workload, 0))
			return notes[i].text;
	return NULL;
}
