// SPDX-License-Identifier: MIT
/* The offsets the assembler files use, against the structure the compiler sees. */
#include <stddef.h>

#include <internal/arch.h>

_Static_assert(offsetof(struct kc_ctx, sp) == KC_CTX_SP, "KC_CTX_SP");
_Static_assert(offsetof(struct kc_ctx, fp) == KC_CTX_FP, "KC_CTX_FP");
_Static_assert(offsetof(struct kc_ctx, pc) == KC_CTX_PC, "KC_CTX_PC");
_Static_assert(offsetof(struct kc_ctx, base) == KC_CTX_BASE, "KC_CTX_BASE");
_Static_assert(sizeof(struct kc_ctx) == KC_CTX_SIZE, "KC_CTX_SIZE");
#ifdef KC_CTX_MXCSR
_Static_assert(offsetof(struct kc_ctx, mxcsr) == KC_CTX_MXCSR, "KC_CTX_MXCSR");
_Static_assert(offsetof(struct kc_ctx, x87cw) == KC_CTX_X87CW, "KC_CTX_X87CW");
#endif
#ifdef KC_CTX_FPCR
_Static_assert(offsetof(struct kc_ctx, fpcr) == KC_CTX_FPCR, "KC_CTX_FPCR");
#endif
#ifdef KC_CTX_FCSR
_Static_assert(offsetof(struct kc_ctx, fcsr) == KC_CTX_FCSR, "KC_CTX_FCSR");
#endif
