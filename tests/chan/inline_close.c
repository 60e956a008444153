// SPDX-License-Identifier: MIT
#include "inline.h"
#include "close.c"
