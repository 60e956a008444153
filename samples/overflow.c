/* SPDX-License-Identifier: MIT */
/*
 * overflow - a recursion without end runs into the guard; the report names the coroutine.
 *
 * The culprit is a child process, so that this one can tell how it died.
 */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sample.h"

#ifdef KC_CONFIG_GUARD_REPORT

static int recurse(volatile int depth)
{
	volatile char frame[256];

	frame[0] = (char)depth;
	return depth < 0 ? 0 : recurse(depth + 1) + frame[0];
}

static void bottomless(void *arg)
{
	(void)arg;
	recurse(0);
}

static void culprit(void)
{
	kcoro_t *innocent = sample_create(bottomless, NULL, 0);
	kcoro_t *co = sample_create(bottomless, NULL, 0);

	kcoro_set_name(innocent, "innocent");
	kcoro_set_name(co, "bottomless");
	kcoro_resume(co);
}

int main(void)
{
	int status;
	pid_t pid;

	sample_start();
	if (!strcmp(kcoro_stack_guard(), "none"))
		sample_needs("a guard (CONFIG_GUARD_LIGHT or CONFIG_GUARD_MPROTECT)");
	printf("A child recurses without end. Its last words:\n");
	fflush(stdout);
	pid = fork();
	if (pid < 0) {
		perror("fork");
		return 1;
	}
	if (!pid) {
		culprit();
		_exit(0);
	}
	waitpid(pid, &status, 0);
	if (WIFSIGNALED(status))
		printf("It ended by signal %d (%s), as it should: nothing else was overwritten.\n",
		       WTERMSIG(status), strsignal(WTERMSIG(status)));
	else if (WEXITSTATUS(status))
		printf("It ended with status %d: a sanitizer spoke first.\n", WEXITSTATUS(status));
	else
		printf("It lived, and should not have.\n");
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

#else

int main(void)
{
	sample_needs("CONFIG_GUARD_REPORT");
}

#endif
