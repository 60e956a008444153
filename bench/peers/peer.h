/* SPDX-License-Identifier: MIT */
/*
 * peer.h - the common part of the programs that measure other libraries.
 *
 * `NAME version` prints the library's name and version; `NAME WORKLOAD COUNT` does
 * one repetition and prints one number. A workload that fails ends with
 * exit status 1, one that the peer does not have with 2.
 */
#ifndef PEER_H
#define PEER_H

#include <sys/mman.h>

#include "../measure.h"

#define SITES 4
#define MANY 1000

/* As kcoro's mapped stacks by default; none of the peers here gets a guard page. */
#define STACK_SIZE 65536UL

struct peer_workload {
	const char *name;
	/* one repetition; the figure */
	double (*run)(unsigned long count);
};

/* members that are NULL are workloads it does not have */
struct peer {
	const char *version;
	/* switch between @n coroutines, @count times; ns of one */
	double (*switches)(unsigned long count, int n);
	/* create @count, each run to its first wait; 0 if all is well */
	int (*create)(unsigned long count);
	/* create one, run it to the end, free it; 0 if all is well */
	int (*create_warm)(void);
	/* those of a scheduler; the last has no name */
	const struct peer_workload *more;
};

/* memory of @count stacks: one mapping, untouched */
static inline char *peer_stacks(unsigned long count)
{
	void *p = mmap(NULL, count * STACK_SIZE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);

	if (p == MAP_FAILED)
		exit(1);
	return (char *)p;
}

static inline double peer_grown(const struct peer *peer, const char *key, unsigned long count)
{
	double before = status_bytes(key);

	if (peer->create(count))
		exit(1);
	return (status_bytes(key) - before) / (double)count;
}

static inline double peer_warm(const struct peer *peer, unsigned long count)
{
	double t;

	for (int i = 0; i < 1000; i++)
		if (peer->create_warm())
			exit(1);
	t = now_ns();
	for (unsigned long i = 0; i < count; i++)
		peer->create_warm();
	return (now_ns() - t) / (double)count;
}

static inline double peer_create(const struct peer *peer, unsigned long count)
{
	double t = now_ns();

	if (peer->create(count))
		exit(1);
	return (now_ns() - t) / (double)count;
}

static inline double peer_run(const struct peer *peer, const char *what, unsigned long count)
{
	for (const struct peer_workload *w = peer->more; w && w->name; w++)
		if (!strcmp(what, w->name))
			return w->run(count);
	if (peer->switches && !strcmp(what, "switch"))
		return peer->switches(count, SITES);
	if (peer->switches && !strcmp(what, "switch-1000"))
		return peer->switches(count, MANY);
	if (peer->create && !strcmp(what, "create"))
		return peer_create(peer, count);
	if (peer->create_warm && !strcmp(what, "create-warm"))
		return peer_warm(peer, count);
	if (peer->create && !strcmp(what, "memory"))
		return peer_grown(peer, "VmRSS", count);
	if (peer->create && !strcmp(what, "memory-pagetables"))
		return peer_grown(peer, "VmPTE", count);
	exit(2);
}

static inline int peer_main(const struct peer *peer, int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	unsigned long count = argc > 2 ? strtoul(argv[2], NULL, 0) : 1;

	if (!strcmp(what, "version"))
		return puts(peer->version) < 0;
	printf("%.6f\n", peer_run(peer, what, count));
	return 0;
}

#endif
