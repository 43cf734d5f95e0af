/* SPDX-License-Identifier: MIT */
/* Compiles a generated program and runs it. */
#ifndef PREPLAY_CLI_TIDDLE_RUN_H
#define PREPLAY_CLI_TIDDLE_RUN_H

#include "base/error.h"

/* Compiles with $CC, or else cc, in a directory of its own that is gone
 * afterwards. The program prints what it performs; returns what it returned (128
 * and its number after a signal), or -1. */
int tiddle_run(const char *text, struct error *error);

#endif
