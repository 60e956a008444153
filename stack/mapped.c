// SPDX-License-Identifier: MIT
/*
 * Stacks cut from large mappings ("slabs"), kept per thread.
 *
 *   slab: [guard|stack 0][guard|stack 1] ... [guard|stack n-1][guard]
 *
 * Address space is reserved, not used: pages become resident when touched. Stacks are
 * handed out from the low end; "ready" counts those whose guard (and, for a program that
 * keeps creating, first page) is in place: a batch costs one system call. The guard of the
 * next stack, or the one at the end, also stops writes past the top.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <internal/atomic.h>
#include <internal/compiler.h>
#include <internal/mman.h>
#include <internal/stack.h>

#define SLAB_BYTES	((size_t)CONFIG_STACK_SLAB_SIZE * 1024)
#define FIRST_SLAB	16	/* stacks in a thread's first slab */
#define GUARD_BATCH	32	/* share a page table with the usual stack size */

/**
 * struct slab - one mapping; belongs to the pool's thread
 * @next: all slabs of the pool
 * @prev_next: what points here
 * @base: of the first stack
 * @slot: bytes per stack
 * @count: stacks
 * @ready: stacks with a guard; a prefix
 * @taken: stacks handed out at least once; a prefix of those ready
 * @live: stacks in use
 * @nunused: length of @unused
 * @unused: indices below @taken that were given back
 */
struct slab {
	struct slab *next;
	struct slab **prev_next;
	char *base;
	size_t slot;
	unsigned int count, ready, taken, live, nunused;
	unsigned int unused[];
};

size_t kc_page_size(void)
{
	static size_t page;
	size_t p = kc_read(&page);

	if (kc_unlikely(!p)) {
		p = (size_t)sysconf(_SC_PAGESIZE);
		kc_write(&page, p);
	}
	return p;
}

size_t kc_stackmem_round(size_t size)
{
	size_t page = kc_page_size();

	if (size > SIZE_MAX / 4)
		return 0;
	size = kc_align_up(size, page);
	/* an odd number of pages: neighbours do not meet in one set of the TLB and of the caches */
	if (IS_ENABLED(CONFIG_STACK_COLOUR) && size >= 4 * page)
		size |= page;
	return size <= kc_guard_size() ? size + page : size;
}

int kc_madvise_each(char *base, size_t len, size_t stride, size_t n, int advice)
{
#ifdef SYS_process_madvise
	static int batches = 1;	/* cleared when the kernel cannot do it for us */

	while (n > 1 && kc_read(&batches)) {
		enum { BATCH = 16 };	/* we may be on a small stack */
		struct iovec iov[BATCH];
		size_t k = 0;
		long done;

		for (; k < n && k < BATCH; k++)
			iov[k] = (struct iovec){ .iov_base = base + k * stride, .iov_len = len };
		done = syscall(SYS_process_madvise, KC_PIDFD_SELF, iov, k, advice, 0);
		if (done < (long)len) {
			if (done < 0 && errno == ENOMEM)
				return -ENOMEM;
			kc_write(&batches, 0);
			break;
		}
		base += (size_t)done / len * stride;
		n -= (size_t)done / len;
	}
#endif
	for (; n; n--, base += stride)
		if (madvise(base, len, advice))
			return -errno;
	return 0;
}

static struct slab **with_room(struct kc_stack_pool *pool)
{
	return (struct slab **)&pool->mem[0];
}

static struct slab **full(struct kc_stack_pool *pool)
{
	return (struct slab **)&pool->mem[1];
}

static void slab_link(struct slab **list, struct slab *s)
{
	s->next = *list;
	s->prev_next = list;
	if (s->next)
		s->next->prev_next = &s->next;
	*list = s;
}

static void slab_unlink(struct slab *s)
{
	*s->prev_next = s->next;
	if (s->next)
		s->next->prev_next = s->prev_next;
}

static void slab_move(struct slab **list, struct slab *s)
{
	slab_unlink(s);
	slab_link(list, s);
}

static bool slab_full(const struct slab *s)
{
	return !s->nunused && s->taken == s->count;
}

static size_t slab_bytes(const struct slab *s)
{
	return s->slot * s->count + kc_guard_size();
}

static struct slab *slab_new(struct kc_stack_pool *pool, size_t slot)
{
	size_t most = SLAB_BYTES / slot ? SLAB_BYTES / slot : 1;
	size_t count = pool->nmem < FIRST_SLAB ? FIRST_SLAB : pool->nmem;
	struct slab *s;

	if (count > most)
		count = most;
	for (;; count /= 2) {
		s = malloc(sizeof(*s) + count * sizeof(s->unused[0]));
		if (!s)
			return NULL;
		*s = (struct slab){ .slot = slot, .count = (unsigned int)count };
		s->base = mmap(NULL, slab_bytes(s), PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
		if (s->base != MAP_FAILED)
			break;
		free(s);
		if (count == 1)
			return NULL;
	}
	madvise(s->base, slab_bytes(s), MADV_NOHUGEPAGE);
	if (kc_guard_size() && kc_guard_install(s->base + slot * count, slot, 1)) {
		munmap(s->base, slab_bytes(s));
		free(s);
		return NULL;
	}
	slab_link(with_room(pool), s);
	return s;
}

static void slab_free(struct slab *s)
{
	slab_unlink(s);
	munmap(s->base, slab_bytes(s));
	free(s);
}

/* Guards, and first pages when the program is creating in bulk, for the next stacks. */
static int slab_prepare(const struct kc_stack_pool *pool, struct slab *s)
{
	unsigned int n = s->count - s->ready;
	unsigned int batch = pool->nmem < FIRST_SLAB ? 1 : GUARD_BATCH;
	size_t page = kc_page_size();
	int err;

	if (CONFIG_STACK_POPULATE && pool->nmem >= 4 * GUARD_BATCH)
		batch = CONFIG_STACK_POPULATE;
	if (n > batch)
		n = batch;
	err = kc_guard_install(s->base + s->ready * s->slot, s->slot, n);
	if (err)
		return err;
	/* failure here is not one: the page comes with the first touch then */
	if (CONFIG_STACK_POPULATE && n > GUARD_BATCH)
		kc_madvise_each(s->base + (s->ready + 1) * s->slot - page, page, s->slot, n,
				KC_MADV_POPULATE_WRITE);
	s->ready += n;
	return 0;
}

int kc_stackmem_get(struct kc_stack_pool *pool, size_t size, struct kc_stack *out)
{
	struct slab *s = *with_room(pool);
	unsigned int i;
	int err;

	while (s && s->slot != size)
		s = s->next;
	if (!s)
		s = slab_new(pool, size);
	if (!s)
		return -ENOMEM;
	if (s->nunused) {
		i = s->unused[--s->nunused];
	} else {
		if (s->taken == s->ready) {
			err = slab_prepare(pool, s);
			if (err)
				return err;
		}
		i = s->taken++;
	}
	s->live++;
	if (slab_full(s))
		slab_move(full(pool), s);
	pool->nmem++;
	*out = (struct kc_stack){ .base = s->base + i * size, .size = size, .cookie = s };
	return 0;
}

void kc_stackmem_put(struct kc_stack_pool *pool, const struct kc_stack *stack)
{
	struct slab *s = stack->cookie;
	size_t guard = kc_guard_size();

	pool->nmem--;
	if (slab_full(s))
		slab_move(with_room(pool), s);
	s->unused[s->nunused++] = (unsigned int)((size_t)(stack->base - s->base) / s->slot);
	/* an empty slab goes, unless no other has room: the next creation would miss it */
	if (!--s->live && (s->next || s->prev_next != with_room(pool)))
		slab_free(s);
	else
		madvise(stack->base + guard, stack->size - guard, MADV_DONTNEED);
}

void kc_stackmem_fini(struct kc_stack_pool *pool)
{
	while (*with_room(pool))
		slab_free(*with_room(pool));
}

bool kc_stackmem_find(const struct kc_stack_pool *pool, const void *addr, struct kc_stack *out)
{
	const char *a = addr;

	for (int list = 0; list < 2; list++) {
		for (struct slab *s = pool->mem[list]; s; s = s->next) {
			if (a < s->base || a >= s->base + slab_bytes(s))
				continue;
			*out = (struct kc_stack){ .cookie = s };
			/* the guard behind the last stack belongs to none */
			if (a < s->base + s->slot * s->count)
				out->size = s->slot;
			out->base = s->base + (size_t)(a - s->base) / s->slot * s->slot;
			return true;
		}
	}
	return false;
}
