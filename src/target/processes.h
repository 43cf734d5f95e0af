/* SPDX-License-Identifier: MIT */
/* The recorded processes of a run: the program itself, or whatever it started that was
 * built for preplay (`preplay run -- make check`). Each has a trace of its own inside
 * the run's directory. */
#ifndef PREPLAY_TARGET_PROCESSES_H
#define PREPLAY_TARGET_PROCESSES_H

#include "base/array.h"
#include "base/error.h"

#include <stdbool.h>

/* Calls for the run's directory and for that of every process inside it, in the order they
 * began, also while they run. */
void processes_each(const char *directory, void (*visit)(void *context, const char *directory),
                    void *context);

struct processes ARRAY_OF(char *); /* trace directories, in the order they began */

/* Finds them below `directory` and gives those that were started by exec a manifest, so
 * that each can be replayed on its own. `program` is the process id of the program the
 * user named. */
void processes_find(struct processes *processes, const char *directory, int program);
void processes_free(struct processes *processes);

#endif
