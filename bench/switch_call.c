/* SPDX-License-Identifier: MIT */
/* switch_call.c - switch.c with the functions of the library instead of the inline ones. */
#define SWITCH_CALL
#define SWITCH_RUN switch_call_run
#define SWITCH_MANY_RUN switch_call_many_run
#include "switch.c"
