/* SPDX-License-Identifier: MIT */
/*
 * gc - a conservative collector: what a language runtime on top of kcoro needs.
 *
 * Objects are reached from variables of coroutines, most of which wait somewhere. When memory
 * is short, kc_safepoint() has the collector called at the next switch; kc_each() shows it the
 * stack and the saved registers of every coroutine, and whatever looks like a pointer to an
 * object keeps that object and all it refers to.
 */
#include <stdint.h>

#include "sample.h"

/* ---- the heap: cells of one size ---- */

#define CELLS 20000

struct cell {
	struct cell *left, *right;
	long value;
	unsigned char used, marked;
};

static struct cell heap[CELLS], *free_list;
static unsigned long nfree, collections, freed;
static char *bottom;	/* of the thread's own stack */

static void mark(uintptr_t word)
{
	uintptr_t at = word - (uintptr_t)heap;
	struct cell *c;

	if (at >= sizeof(heap))
		return;
	/* pointers into the middle count, too */
	for (c = &heap[at / sizeof(*c)]; c && c->used && !c->marked; c = c->left) {
		c->marked = 1;
		mark((uintptr_t)c->right);
	}
}

/* What lies on a stack may be anything, which a sanitizer need not know. */
__attribute__((no_sanitize("address", "undefined"), noinline))
static void mark_range(const void *from, const void *to)
{
	const uintptr_t *word = (const uintptr_t *)((uintptr_t)from & ~(sizeof(*word) - 1));

	for (; word < (const uintptr_t *)to; word++)
		mark(*word);
}

static int mark_coroutine(const struct kc_info *info, void *here)
{
	const void *from = info->co == kcoro_current() ? here : info->sp;

	/* ucontext does not tell about the thread's own stack, where nothing of ours lies */
	if (!from)
		return 0;
	mark_range(from, info->high ? info->high : (void *)bottom);
	if (info->regs)
		mark_range(info->regs, (const char *)info->regs + info->regs_size);
	return 0;
}

static void sweep(void)
{
	for (struct cell *c = heap; c < heap + CELLS; c++) {
		if (c->used && !c->marked) {
			c->used = 0;
			c->left = free_list;
			free_list = c;
			nfree++;
			freed++;
		}
		c->marked = 0;
	}
}

static void collect(void *arg)
{
	/* registers of the functions above go to the stack, too */
	__builtin_unwind_init();
	kc_each(mark_coroutine, __builtin_frame_address(0));
	sweep();
	collections++;
	(void)arg;
}

static struct cell *new_cell(struct cell *left, struct cell *right, long value)
{
	struct cell *c;

	if (nfree < CELLS / 10) {
		kc_safepoint(collect, NULL);
		kc_yield();
	}
	c = free_list;
	if (!c)
		sample_needs("a larger heap");
	free_list = c->left;
	nfree--;
	*c = (struct cell){ left, right, value, 1, 0 };
	return c;
}

/* ---- the program ---- */

#define DEPTH 8
#define WORKERS 6
#define ROUNDS 200

static struct cell *grow(int depth)
{
	struct cell *left = depth ? grow(depth - 1) : NULL;
	struct cell *right = depth ? grow(depth - 1) : NULL;

	return new_cell(left, right, 1);
}

static long sum(const struct cell *c)
{
	return c ? c->value + sum(c->left) + sum(c->right) : 0;
}

/* builds trees and forgets them, all but the one it holds */
static void *worker(void *arg)
{
	struct cell *mine = grow(DEPTH);

	for (int i = 0; i < ROUNDS; i++) {
		grow(DEPTH);
		kc_yield();
	}
	*(long *)arg = sum(mine);
	return NULL;
}

/* waits all the time; nothing else knows its tree */
static void *keeper(void *arg)
{
	struct cell *mine = grow(DEPTH + 2);
	long *result = arg;

	while (*result == 0)
		kc_sleep(KC_MSEC);
	*result = sum(mine);
	return NULL;
}

static void *app(void *arg)
{
	struct kc_task *task[WORKERS], *waiter;
	long total[WORKERS], kept = 0;

	for (struct cell *c = heap; c < heap + CELLS; c++) {
		c->left = free_list;
		free_list = c;
	}
	nfree = CELLS;
	waiter = kc_spawn(keeper, &kept, NULL);
	for (int i = 0; i < WORKERS; i++)
		task[i] = kc_spawn(worker, &total[i], NULL);
	for (int i = 0; i < WORKERS; i++) {
		if (!task[i])
			sample_needs("more stacks");
		kc_join(task[i], NULL);
		printf("  tree of worker %d: %ld cells\n", i, total[i]);
	}
	kept = -1;
	kc_join(waiter, NULL);
	printf("  tree of the one that waited: %ld cells\n", kept);

	/* all have ended: all their trees are garbage */
	kc_safepoint(collect, NULL);
	kc_yield();
	printf("%s, %lu of %d cells free at the end\n",
	       collections > 1 && freed > CELLS ? "Collected several times" : "HARDLY COLLECTED",
	       nfree, CELLS);
	return arg;
}

int main(void)
{
	bottom = __builtin_frame_address(0);
#ifdef KC_CONFIG_ASAN
	sample_needs("stacks that hold the variables (CONFIG_ASAN=n)");
#endif
	return sample_run(app, NULL);
}
