// SPDX-License-Identifier: MIT
#include "inline.h"
#include "basic.c"
