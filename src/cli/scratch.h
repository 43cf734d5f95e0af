/* A copy of a directory for one replay, so that replays side by side do not meet in the
 * files that the program writes. */
#ifndef PREPLAY_CLI_SCRATCH_H
#define PREPLAY_CLI_SCRATCH_H

#include "base/error.h"

#include <stddef.h>

#define SCRATCH_LIMIT ((size_t)1 << 30)

/* Copies `from` to a new directory beside the other temporary files, whose path goes to
 * `path`; traces of preplay are left out. -1 with an error if it is larger than
 * SCRATCH_LIMIT or cannot be copied. */
int scratch_make(char *path, size_t room, const char *from, struct error *error);
void scratch_remove(const char *path);

#endif
