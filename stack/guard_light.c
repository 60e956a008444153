// SPDX-License-Identifier: MIT
/*
 * Lightweight guards: the kernel marks the page-table entry, no mapping is split.
 *
 * Some emulators answer 0 to any advice and do nothing, so the call is tried on a page of
 * its own first: the kernel must refuse to populate a guard.
 */
#include <errno.h>
#include <sys/mman.h>

#include <internal/atomic.h>
#include <internal/mman.h>
#include <internal/stack.h>

enum { UNKNOWN, LIGHT, MPROTECT };

/* Decided once for the process; two threads may both try, with the same result. */
static int kind;

static int try_out(void)
{
	size_t page = kc_page_size();
	char *p = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int result = MPROTECT;

	if (p == MAP_FAILED)
		return MPROTECT;
	if (!madvise(p, page, KC_MADV_GUARD_INSTALL) &&
	    madvise(p, page, KC_MADV_POPULATE_WRITE) && errno == EFAULT)
		result = LIGHT;
	munmap(p, page);
	return result;
}

static bool light(void)
{
	int k = kc_read(&kind);

	if (k == UNKNOWN) {
		int saved = errno;

		k = try_out();
		kc_write(&kind, k);
		errno = saved;
	}
	return k == LIGHT;
}

size_t kc_guard_size(void)
{
	return kc_page_size();
}

int kc_guard_install(char *base, size_t stride, size_t n)
{
	int err = -EINVAL;

	if (light())
		err = kc_madvise_each(base, kc_page_size(), stride, n, KC_MADV_GUARD_INSTALL);
	/* the kernel may refuse single mappings, such as locked ones */
	return err && err != -ENOMEM ? kc_guard_mprotect(base, stride, n) : err;
}

const char *kc_guard_name(void)
{
	return light() ? "light" : "mprotect";
}
