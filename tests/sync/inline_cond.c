// SPDX-License-Identifier: MIT
#include "../chan/inline.h"
#include "cond.c"
