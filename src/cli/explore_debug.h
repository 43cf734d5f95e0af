/* SPDX-License-Identifier: MIT */
/* A finding of an exploration under gdb. */
#ifndef PREPLAY_CLI_EXPLORE_DEBUG_H
#define PREPLAY_CLI_EXPLORE_DEBUG_H

#include "cli/explore_findings.h"
#include "explore/stepping.h"

/* Becomes gdb, which runs the program up to where it failed, or right before the error. `turns` are
 * a failure's schedule; of what did not fail they are NULL, and come from the finding's witness.
 * `directory`: of the exploration, absolute. Returns only on an error: -1. */
int explore_debug(const struct explored_run *part, const struct finding *finding,
                  const struct failure_turns *turns, struct stepping *stepping,
                  const char *const *command, const char *directory, struct error *error);

#endif
