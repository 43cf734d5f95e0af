/* SPDX-License-Identifier: MIT */
/* A directory on a disk for what a replay writes. One that was left behind, because preplay was
 * killed, is removed by the next that makes one. */
#ifndef PREPLAY_TARGET_SCRATCH_H
#define PREPLAY_TARGET_SCRATCH_H

#include "base/error.h"

#include <limits.h>
#include <stdbool.h>

struct scratch {
    char path[PATH_MAX]; /* "": none */
    int lock;            /* as long as it is open, in any process, the directory is in use */
};

/* `is_taken` says of a directory that scratch files may not lie in it. */
int scratch_make(struct scratch *scratch, bool (*is_taken)(void *context, const char *directory),
                 void *context, struct error *error);
void scratch_remove(struct scratch *scratch);

#endif
