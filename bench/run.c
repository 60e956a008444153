/* SPDX-License-Identifier: MIT */
/* run.c - one repetition of a workload, in a process of its own, on one CPU. */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <kcoro/kcoro.h>

#include "kcbench.h"

/* Read one line from a child, wait for its end. */
static int answer(pid_t pid, int fd, char *line, size_t size)
{
	size_t len = 0;
	ssize_t got;
	int status;

	while (len < size - 1 && (got = read(fd, line + len, size - 1 - len)) > 0)
		len += (size_t)got;
	close(fd);
	line[len] = 0;
	line[strcspn(line, "\n")] = 0;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	if (!WIFEXITED(status))
		return -EIO;
	if (WEXITSTATUS(status) == 2)
		return -ENOTSUP;
	return WEXITSTATUS(status) == 0 && *line ? 0 : -EIO;
}

int run_self(const struct workload *w, unsigned long count, double *value)
{
	char line[64];
	int fd[2], err;
	pid_t pid;

	if (pipe(fd))
		return -errno;
	fflush(NULL);
	pid = fork();
	if (pid < 0)
		return -errno;
	if (!pid) {
		dprintf(fd[1], "%.6f\n", w->run(count));
		_exit(0);
	}
	close(fd[1]);
	err = answer(pid, fd[0], line, sizeof(line));
	if (err)
		return err;
	*value = strtod(line, NULL);
	/* page tables may well have grown by nothing */
	return *value < 0 ? (int)*value : 0;
}

static int ask(const char *peer, const char *arg, unsigned long count, char *line, size_t size)
{
	char path[4096], number[32];
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 64);
	int fd[2];
	pid_t pid;

	if (len < 0)
		return -errno;
	path[len] = 0;
	snprintf(strrchr(path, '/'), 64, "/peers/%s", peer);
	if (access(path, X_OK))
		return -errno;
	snprintf(number, sizeof(number), "%lu", count);
	if (pipe(fd))
		return -errno;
	fflush(NULL);
	pid = fork();
	if (pid < 0)
		return -errno;
	if (!pid) {
		dup2(fd[1], 1);
		close(fd[0]);
		close(fd[1]);
		execl(path, peer, arg, number, (char *)NULL);
		_exit(127);
	}
	close(fd[1]);
	return answer(pid, fd[0], line, size);
}

int run_peer(const char *peer, const char *arg, unsigned long count, double *value)
{
	char line[64];
	int err = ask(peer, arg, count, line, sizeof(line));

	if (!err)
		*value = strtod(line, NULL);
	return err;
}

int peer_version(const char *peer, char *who, size_t size)
{
	return ask(peer, "version", 0, who, size);
}

static unsigned long available_kib(void)
{
	FILE *f = fopen("/proc/meminfo", "r");
	unsigned long kib = 0;
	char line[128];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "MemAvailable: %lu", &kib) == 1)
			break;
	if (f)
		fclose(f);
	return kib;
}

unsigned long fit_count(const struct workload *w, unsigned long want)
{
	unsigned long kib = available_kib(), n = want;
	const char *why = "";

	if (!w->live)
		return want;
	/* the hungriest peer takes two pages a coroutine */
	if (kib && n > kib / 10) {
		n = kib / 10;
		why = "memory";
	}
#ifdef KC_CONFIG_STACK_STATIC
	if (n > KC_CONFIG_STACK_STATIC_COUNT) {
		n = KC_CONFIG_STACK_STATIC_COUNT;
		why = "STACK_STATIC_COUNT";
	}
#endif
	if (!strcmp(kcoro_stack_guard(), "mprotect") && n > 30000) {
		n = 30000;
		why = "vm.max_map_count with mprotect guards";
	}
	if (n < want)
		fprintf(stderr, "kcbench: %s: %lu coroutines instead of %lu, because of %s\n",
			w->name, n, want, why);
	return n;
}

void pin(void)
{
	cpu_set_t have, one;

	if (sched_getaffinity(0, sizeof(have), &have))
		return;
	/* the last one: interrupts prefer the first */
	for (int cpu = CPU_SETSIZE - 1; cpu >= 0; cpu--)
		if (CPU_ISSET(cpu, &have)) {
			CPU_ZERO(&one);
			CPU_SET(cpu, &one);
			sched_setaffinity(0, sizeof(one), &one);
			return;
		}
}
