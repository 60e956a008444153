// SPDX-License-Identifier: MIT
/* Processes: how one ended, what it printed, and death tests. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "internal.h"

const char *ktest_describe_exit(int wstatus, char *buf, size_t size)
{
	const char *name;

	if (WIFSIGNALED(wstatus)) {
		name = sigabbrev_np(WTERMSIG(wstatus));
		snprintf(buf, size, "killed by SIG%s", name ? name : "?");
	} else {
		snprintf(buf, size, "exit status %d", WEXITSTATUS(wstatus));
	}
	return buf;
}

/* A file in memory, not a pipe: nobody has to read it and a stray process cannot hold it up. */
int ktest_log_open(void)
{
	int fd = memfd_create("ktest-log", MFD_CLOEXEC);

	if (fd < 0) {
		perror("ktest: memfd_create");
		_exit(2);
	}
	return fd;
}

/* The last max bytes, as a string to be freed. */
char *ktest_log_read(int fd, size_t max)
{
	off_t end = lseek(fd, 0, SEEK_END);
	off_t start = end > (off_t)max ? end - (off_t)max : 0;
	char *text = malloc(end - start + 1);
	ssize_t len;

	if (!text)
		abort();
	len = pread(fd, text, end - start, start);
	text[len < 0 ? 0 : len] = '\0';
	for (ssize_t i = 0; i < len; i++)
		if (!text[i])
			text[i] = '?';
	return text;
}

/* A copy with the same time left, that leaves no core file. */
pid_t ktest_fork(void)
{
	struct rlimit no_core = { 0, 0 };
	unsigned int left;
	pid_t pid;

	fflush(NULL);
	left = alarm(0);
	pid = fork();
	alarm(left);
	if (pid < 0) {
		perror("ktest: fork");
		_exit(2);
	}
	if (pid == 0) {
		setrlimit(RLIMIT_CORE, &no_core);
		ktest_no_fork_exit = NULL;
	}
	return pid;
}

int ktest_wait(pid_t pid)
{
	int wstatus;

	while (waitpid(pid, &wstatus, 0) < 0)
		if (errno != EINTR)
			abort();
	return wstatus;
}

pid_t ktest_death_fork(struct ktest_death *death)
{
	death->log = ktest_log_open();
	death->pid = ktest_fork();
	if (death->pid == 0) {
		dup2(death->log, STDERR_FILENO);
		dup2(death->log, STDOUT_FILENO);
		close(death->log);
		ktest_death_inherit();
	}
	return death->pid;
}

void ktest_death_survived(void)
{
	ktest_end(0);
}

/* Sanitizers catch a fatal signal, report it and exit instead. */
static bool reported_by_sanitizer(int wstatus, const char *text)
{
	return WIFEXITED(wstatus) && WEXITSTATUS(wstatus) && strstr(text, "Sanitizer:DEADLYSIGNAL");
}

bool ktest_death_check(struct ktest_death *death, const struct ktest_at *at, int sig,
		       const char *text)
{
	int wstatus = ktest_wait(death->pid);
	char how[64], *log;
	bool ok = true;

	log = ktest_log_read(death->log, 64 << 10);
	close(death->log);
	if (!(WIFSIGNALED(wstatus) && WTERMSIG(wstatus) == sig) &&
	    !reported_by_sanitizer(wstatus, log)) {
		ktest_fail(at->file, at->line, "EXPECT_DEATH(%s) failed: not %s but %s", at->a,
			   at->b, ktest_describe_exit(wstatus, how, sizeof(how)));
		ok = false;
	}
	if (!strstr(log, text)) {
		ktest_fail(at->file, at->line, "EXPECT_DEATH(%s) failed: \"%s\" was not printed, "
			   "but:", at->a, text);
		ok = false;
	}
	if (!ok && write(STDERR_FILENO, log, strlen(log)) < 0)
		ok = false;
	free(log);
	return ok;
}
