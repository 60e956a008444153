// SPDX-License-Identifier: MIT
#include "../chan/inline.h"
#include "mutex.c"
