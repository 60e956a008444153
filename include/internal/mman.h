/* SPDX-License-Identifier: MIT */
/* mman.h - kernel numbers newer than libc's headers, and advice for many ranges at a time */
#ifndef KC_INTERNAL_MMAN_H
#define KC_INTERNAL_MMAN_H

#include <stddef.h>

#define KC_MADV_POPULATE_WRITE	23
#define KC_MADV_GUARD_INSTALL	102
#define KC_PIDFD_SELF		-10000

/* @advice for @n ranges of @len bytes, @stride apart; 0 or a negative errno (mapped.c) */
int kc_madvise_each(char *base, size_t len, size_t stride, size_t n, int advice);

#endif
