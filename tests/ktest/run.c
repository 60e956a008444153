// SPDX-License-Identifier: MIT
/* The runner: a child per case, its verdict, KTAP. Stays single-threaded, as fork() wants it. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "internal.h"
#include "run.h"

#define GRACE		1.0	/* seconds; a sanitizer's helper may outlive the case a little */
#define LOG_MAX		(64 << 10)	/* bytes of a failed case's output that go into the KTAP */

struct ktest_status *ktest_status;
double ktest_scale = 1;
void (*ktest_no_fork_exit)(void);

enum verdict { PASS, FAIL, SKIP };

struct result {
	enum verdict verdict;
	char directive[320];	/* what follows the '#' on the result line */
	char *log;		/* of a failure */
	double seconds;
};

/* Cases cannot reach this descriptor, so nothing they print is taken for a result. */
static int ktap_fd;
static struct {
	unsigned int number, left;
	char name[256];
	int depth;
} current;

static void emit(int depth, const char *fmt, ...)
{
	va_list args;
	char *line;

	va_start(args, fmt);
	if (vasprintf(&line, fmt, args) < 0)
		abort();
	va_end(args);
	if (dprintf(ktap_fd, "%*s%s\n", 2 * depth, "", line) < 0)
		exit(2);
	free(line);
}

static void emit_log(int depth, const char *log)
{
	size_t len;

	for (; *log; log += len + (log[len] == '\n')) {
		len = strcspn(log, "\n");
		emit(depth, "# %.*s", (int)len, log);
	}
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

/* Waits at most that long for pid, or for any child if pid is -1. True when it ended. */
static bool wait_child(pid_t pid, double seconds, int *wstatus)
{
	double left, deadline = now() + seconds;
	struct timespec ts;
	sigset_t chld;

	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	while (waitpid(pid, wstatus, WNOHANG) == 0) {
		left = deadline - now();
		if (left <= 0)
			return false;
		ts.tv_sec = (time_t)left;
		ts.tv_nsec = (long)((left - (double)ts.tv_sec) * 1e9);
		sigtimedwait(&chld, NULL, &ts);
	}
	return true;
}

/*
 * The runner adopts orphans (PR_SET_CHILD_SUBREAPER): once the case itself is gone, every child
 * that still runs was left behind by it. Also those that moved to another process group.
 */
static bool kill_strays(pid_t group)
{
	char path[64];
	bool found = false;
	FILE *children;
	pid_t pid;

	while ((pid = waitpid(-1, NULL, WNOHANG)) >= 0) {
		if (pid > 0 || wait_child(-1, GRACE, NULL))
			continue;
		found = true;
		kill(-group, SIGKILL);
		snprintf(path, sizeof(path), "/proc/self/task/%d/children", getpid());
		children = fopen(path, "re");
		if (children) {
			while (fscanf(children, "%d", &pid) == 1)
				kill(pid, SIGKILL);
			fclose(children);
		}
		if (!wait_child(-1, 1, NULL))
			break;
	}
	return found;
}

static void child(const struct ktest_case *c, const void *param, int log, unsigned int timeout)
{
	sigset_t none;

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	dup2(log, STDOUT_FILENO);
	dup2(log, STDERR_FILENO);
	close(log);
	close(ktap_fd);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	alarm(timeout);
	ktest_case_body(c, param);
	ktest_end(atomic_load(&ktest_status->failed));
}

static void judge(struct result *res, int wstatus, bool expired, bool strays, unsigned int timeout)
{
	char how[64];

	ktest_describe_exit(wstatus, how, sizeof(how));
	res->verdict = FAIL;
	res->directive[0] = '\0';
	if (expired)
		snprintf(res->directive, sizeof(res->directive), "TIMEOUT %u s", timeout);
	else if (WIFSIGNALED(wstatus))
		snprintf(res->directive, sizeof(res->directive), "ERROR %s", how);
	else if (atomic_load(&ktest_status->failed))
		return;
	else if (WEXITSTATUS(wstatus))
		snprintf(res->directive, sizeof(res->directive), "ERROR %s", how);
	else if (strays)
		snprintf(res->directive, sizeof(res->directive), "ERROR left processes behind");
	else if (atomic_load(&ktest_status->skipped)) {
		res->verdict = SKIP;
		ktest_status->why[strcspn(ktest_status->why, "\n")] = '\0';
		snprintf(res->directive, sizeof(res->directive), "SKIP %s", ktest_status->why);
	} else if (!atomic_load(&ktest_status->finished))
		snprintf(res->directive, sizeof(res->directive), "ERROR ended early with %s", how);
	else
		res->verdict = PASS;
}

static void run_forked(const struct ktest_case *c, const void *param, struct result *res,
		       const struct ktest_options *opt)
{
	double limit = c->suite->timeout ? c->suite->timeout : KTEST_TIMEOUT;
	double start = now();
	bool expired, strays;
	unsigned int timeout;
	int log, wstatus = 0;
	pid_t pid;

	timeout = (unsigned int)(limit * (c->slow ? KTEST_SLOW_FACTOR : 1) * opt->scale + 0.99);
	log = ktest_log_open();
	pid = ktest_fork();
	if (pid == 0)
		child(c, param, log, timeout);
	setpgid(pid, pid);
	expired = !wait_child(pid, timeout + 1, &wstatus);
	if (expired) {
		kill(-pid, SIGKILL);
		waitpid(pid, &wstatus, 0);
	}
	res->seconds = now() - start;
	if (WIFSIGNALED(wstatus) && WTERMSIG(wstatus) == SIGALRM && res->seconds > timeout - 0.1)
		expired = true;
	strays = kill_strays(pid);
	judge(res, wstatus, expired, strays, timeout);
	if (res->verdict == FAIL || opt->verbose)
		res->log = ktest_log_read(log, LOG_MAX);
	close(log);
}

static void emit_result(const struct result *res)
{
	emit(current.depth, "%sok %u %s%s%s", res->verdict == FAIL ? "not " : "", current.number,
	     current.name, res->directive[0] ? " # " : "", res->directive);
}

/* ASSERT or skip under --no-fork: there is no child to end, so the run ends here. */
static void no_fork_exit(void)
{
	struct result res = { .verdict = FAIL };

	if (!atomic_load(&ktest_status->failed))
		judge(&res, 0, false, false, 0);
	emit_result(&res);
	if (current.left)
		emit(0, "Bail out! --no-fork cannot go on after an ASSERT or a skip");
	_exit(res.verdict == FAIL || current.left);
}

static enum verdict run_one(const struct ktest_case *c, size_t i, const struct ktest_options *opt)
{
	const char *param = c->params ? (const char *)c->params + i * c->stride : NULL;
	struct result res = { .verdict = PASS };
	char name[512];

	ktest_full_name(c, i, name, sizeof(name));
	for (unsigned int round = 0; round < opt->repeat && res.verdict == PASS; round++) {
		memset(ktest_status, 0, sizeof(*ktest_status));
		ktest_seed_case(opt->seed + round, name);
		if (c->slow && opt->no_slow) {
			res.verdict = SKIP;
			strcpy(res.directive, "SKIP slow");
		} else if (opt->no_fork) {
			ktest_no_fork_exit = no_fork_exit;
			ktest_case_body(c, param);
			judge(&res, 0, false, false, 0);
		} else {
			run_forked(c, param, &res, opt);
		}
		if (res.log && opt->verbose)
			fprintf(stderr, "%s", res.log);
		if (res.verdict == FAIL) {
			emit_log(current.depth, res.log ? res.log : "");
			emit(current.depth, "# reproduce: %s --run '%s' --seed %llu", opt->program,
			     name, (unsigned long long)opt->seed + round);
		} else if (res.seconds > 0.5) {
			emit(current.depth, "# took %.1f s", res.seconds);
		}
		free(res.log);
		res.log = NULL;
	}
	emit_result(&res);
	return res.verdict;
}

/* The results of a parameterised case, as a nested test. */
static enum verdict run_params(const struct ktest_case *c, unsigned int number,
			       const struct ktest_options *opt)
{
	enum verdict all = PASS;
	unsigned int n = 0;

	for (size_t i = 0; i < c->nparams; i++)
		n += ktest_selected(c, i, opt);
	emit(2, "KTAP version 1");
	emit(2, "# Subtest: %s", c->name);
	emit(2, "1..%u", n);
	n = 0;
	for (size_t i = 0; i < c->nparams; i++) {
		if (!ktest_selected(c, i, opt))
			continue;
		current.number = ++n;
		current.left--;
		current.depth = 2;
		snprintf(current.name, sizeof(current.name), "%s", ktest_param_desc(c, i));
		if (run_one(c, i, opt) == FAIL)
			all = FAIL;
	}
	emit(1, "%sok %u %s", all == FAIL ? "not " : "", number, c->name);
	return all;
}

static enum verdict run_case(const struct ktest_case *c, unsigned int number,
			     const struct ktest_options *opt)
{
	if (c->params)
		return run_params(c, number, opt);
	current.number = number;
	current.left--;
	current.depth = 1;
	snprintf(current.name, sizeof(current.name), "%s", c->name);
	return run_one(c, 0, opt);
}

static bool any_selected(const struct ktest_case *c, const struct ktest_options *opt)
{
	for (size_t i = 0; i < c->nparams; i++)
		if (ktest_selected(c, i, opt))
			return true;
	return false;
}

/* cases[0 .. n) are of one suite, all of them selected. */
static enum verdict run_suite(const struct ktest_case **cases, size_t n, unsigned int number,
			      const struct ktest_options *opt)
{
	const char *suite = cases[0]->suite->name;
	enum verdict all = PASS;

	emit(1, "KTAP version 1");
	emit(1, "# Subtest: %s", suite);
	emit(1, "1..%zu", n);
	for (size_t i = 0; i < n; i++)
		if (run_case(cases[i], (unsigned int)i + 1, opt) == FAIL)
			all = FAIL;
	emit(0, "%sok %u %s", all == FAIL ? "not " : "", number, suite);
	return all;
}

static bool same_suite(const struct ktest_case *a, const struct ktest_case *b)
{
	return strcmp(a->suite->name, b->suite->name) == 0;
}

/* Sorted cases in, exit status out. */
int ktest_run(const struct ktest_case **cases, size_t n, const struct ktest_options *opt)
{
	enum verdict all = PASS;
	unsigned int suites = 0;
	size_t kept = 0, end;
	sigset_t chld;

	for (size_t i = 0; i < n; i++) {
		if (!any_selected(cases[i], opt))
			continue;
		for (size_t p = 0; p < cases[i]->nparams; p++)
			current.left += ktest_selected(cases[i], p, opt);
		cases[kept++] = cases[i];
		suites += kept == 1 || !same_suite(cases[kept - 1], cases[kept - 2]);
	}
	if (!kept) {
		fprintf(stderr, "%s: no case matches\n", opt->program);
		return 2;
	}

	ktest_scale = opt->scale;
	ktest_status = mmap(NULL, sizeof(*ktest_status), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ktap_fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 100);
	if (ktest_status == MAP_FAILED || ktap_fd < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
		perror("ktest: set-up");
		return 2;
	}
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	if (!opt->no_fork)
		sigprocmask(SIG_BLOCK, &chld, NULL);

	emit(0, "KTAP version 1");
	emit(0, "# seed %llu", (unsigned long long)opt->seed);
	emit(0, "1..%u", suites);
	suites = 0;
	for (size_t i = 0; i < kept; i = end) {
		for (end = i + 1; end < kept && same_suite(cases[i], cases[end]); end++)
			;
		if (run_suite(cases + i, end - i, ++suites, opt) == FAIL)
			all = FAIL;
	}
	return all == FAIL;
}
