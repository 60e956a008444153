/* SPDX-License-Identifier: MIT */
/* kcbench.h - what the parts of kcbench know of each other. */
#ifndef KCBENCH_H
#define KCBENCH_H

#include "measure.h"

/**
 * struct workload - one thing that is measured
 * @name: as given on the command line
 * @unit: "ns" or "bytes" of one operation, or "ms" of all of it
 * @peer: the peers' workload it is compared with
 * @count: operations of one repetition, unless --count says otherwise
 * @live: do @count coroutines exist at once?
 * @run: one repetition, in a process of its own; a negative errno if it failed
 * @about: one line for people
 */
struct workload {
	const char *name;
	const char *unit;
	const char *peer;
	unsigned long count;
	int live;
	double (*run)(unsigned long count);
	const char *about;
};

double switch_run(unsigned long count);
double switch_many_run(unsigned long count);
double resume_run(unsigned long count);
double resume_many_run(unsigned long count);
double resume_call_run(unsigned long count);
double resume_call_many_run(unsigned long count);
double create_run(unsigned long count);
double create_warm_run(unsigned long count);
double memory_run(unsigned long count);
double memory_pagetables_run(unsigned long count);
double yield_run(unsigned long count);
double yield_many_run(unsigned long count);
double yield_call_run(unsigned long count);
double yield_call_many_run(unsigned long count);
double spawn_one_run(unsigned long count);
double spawn_join_run(unsigned long count);
double spawn_run(unsigned long count);
double spawn_cold_run(unsigned long count);
double chan0_run(unsigned long count);
double chan0_call_run(unsigned long count);
double chan0s_run(unsigned long count);
double chan0s_call_run(unsigned long count);
double chan128_run(unsigned long count);
double chan128_call_run(unsigned long count);
double mpmc_run(unsigned long count);
double mpmc_call_run(unsigned long count);
double mpmc0_run(unsigned long count);
double mpmc0_call_run(unsigned long count);
double sieve_run(unsigned long count);
double sieve_call_run(unsigned long count);
double mutex_run(unsigned long count);
double mutex_call_run(unsigned long count);
double cond_run(unsigned long count);
double cond_call_run(unsigned long count);
double select_run(unsigned long count);
double sleep_run(unsigned long count);
double timer_add_run(unsigned long count);
double timer_cancel_run(unsigned long count);
double timer_fire_run(unsigned long count);

/* workloads.c: the table, and what is to be said of a peer's figure in it, or NULL */
extern const struct workload workloads[];
const char *peer_note(const char *peer, const char *workload);

/* stack size of the coroutines, 0 for the configured one */
extern size_t bench_stack;

#define MAX_RUNS 99
#define MAX_WHO 8

/**
 * struct subject - one who is measured: this library or a peer
 * @name: "kcoro", or the peer's program in the directory peers/
 * @who: "kcoro", or the peer's name and version
 * @package: where Debian keeps what its program is built from
 * @runs: number of values
 * @value: of each repetition; sorted once all are there
 */
struct subject {
	const char *name;
	char who[64];
	const char *package;
	int runs;
	double value[MAX_RUNS];
};

/*
 * run.c: one repetition by the library or by a peer's program; 0 or a negative errno,
 * -ENOTSUP if the peer cannot do such a thing
 */
int run_self(const struct workload *w, unsigned long count, double *value);
int run_peer(const char *peer, const char *arg, unsigned long count, double *value);
/* ask a peer for its name and version; -ENOENT if its program is not there */
int peer_version(const char *peer, char *who, size_t size);
/* as many of @want live coroutines as this configuration and this machine can hold */
unsigned long fit_count(const struct workload *w, unsigned long want);
/* use one CPU only */
void pin(void);

/* show.c: print what was found, as a table or as JSON */
void show_table(const struct workload *w, struct subject *s, int n);
void show_json(const struct workload *w, struct subject *s, int n);

#endif
