/* SPDX-License-Identifier: MIT */
/* chan.h - a channel as the library sees it */
#ifndef KC_INTERNAL_CHAN_H
#define KC_INTERNAL_CHAN_H

#include <internal/wait.h>
#include <kcoro/inline-chan.h>

/* elements follow the channel in memory */
_Static_assert(sizeof(struct kc_chan) % _Alignof(max_align_t) == 0, "elements would be misaligned");

#endif /* KC_INTERNAL_CHAN_H */
