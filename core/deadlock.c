// SPDX-License-Identifier: MIT
/* Nobody can ever run again: say so, then end the wait that can tell the program. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <internal/runtime.h>
#include <internal/sched.h>

/* Set by the program, read by all. */
static kc_deadlock_hook deadlock_hook;

kc_deadlock_hook kc_set_deadlock_hook(kc_deadlock_hook hook)
{
	kc_deadlock_hook was = kc_read(&deadlock_hook);

	kc_write(&deadlock_hook, hook);
	return was;
}

#ifdef CONFIG_DEADLOCK_TEXT
static void print(void *arg, const char *line)
{
	ssize_t n = write(STDERR_FILENO, line, strlen(line));

	(void)arg;
	if (n > 0)
		n = write(STDERR_FILENO, "\n", 1);
	(void)n;
}

static void report(void)
{
	print(NULL, "kcoro: deadlock: every coroutine waits, and nothing can wake one:");
	kc_dump(print, NULL);
}
#else
static void report(void)
{
}
#endif

void kc_deadlock(struct kc_thread *t)
{
	kc_deadlock_hook hook = kc_read(&deadlock_hook);
	struct kcoro *victim = &t->main;

	kc_callbacks_begin();
	(hook ? hook : report)();
	kc_callbacks_end();
	if (kcoro_runq.first || kc_timers_next(&t->rt->timers) != KC_FOREVER)
		return;		/* the hook woke somebody, or will */
	if (IS_ENABLED(CONFIG_DEADLOCK_PANIC))
		kc_panic("deadlock", kc_me());
	if (!victim->head.waits)
		victim = kc_me();	/* main waits in a resume: the last to wait gets it */
	if (!victim->head.waits)
		kc_panic("deadlock of parked coroutines", victim);
	kc_wait_end(victim->head.waits, NULL, -EDEADLK);
}
