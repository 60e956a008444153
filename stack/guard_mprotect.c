// SPDX-License-Identifier: MIT
/* A page without access below each stack. Each costs two kernel mappings. */
#include <errno.h>
#include <sys/mman.h>

#include <internal/stack.h>

int kc_guard_mprotect(char *base, size_t stride, size_t n)
{
	for (; n; n--, base += stride)
		if (mprotect(base, kc_page_size(), PROT_NONE))
			return -errno;
	return 0;
}

#ifdef CONFIG_GUARD_MPROTECT

size_t kc_guard_size(void)
{
	return kc_page_size();
}

int kc_guard_install(char *base, size_t stride, size_t n)
{
	return kc_guard_mprotect(base, stride, n);
}

const char *kc_guard_name(void)
{
	return "mprotect";
}

#endif
