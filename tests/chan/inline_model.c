// SPDX-License-Identifier: MIT
#include "inline.h"
#include "model.c"
