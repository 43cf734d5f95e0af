/* SPDX-License-Identifier: MIT */
/* What a replay printed is kept where it matters: as much as a person reads at any rate, more if
 * the program failed, and then the end. A compressor that is replayed a hundred times would else
 * fill the disk with what it compressed. */
#ifndef PREPLAY_REPLAY_KEPT_OUTPUT_H
#define PREPLAY_REPLAY_KEPT_OUTPUT_H

#include <stdbool.h>

enum {
    KEPT_OUTPUT = 64 << 10,       /* bytes; longer outputs of runs that ended well are removed */
    KEPT_OUTPUT_FAILED = 1 << 20, /* of a longer one of a run that failed, its last bytes */
};

void kept_output_settle(const char *path, bool failed);

#endif
