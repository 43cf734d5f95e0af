/* SPDX-License-Identifier: MIT */
/* Several tasks at once, each in a process of its own; what they print comes out in
 * the order of the tasks, whoever ends first. */
#ifndef PREPLAY_TARGET_SIDE_BY_SIDE_H
#define PREPLAY_TARGET_SIDE_BY_SIDE_H

#include "base/error.h"

#include <stddef.h>

/* Runs task(context, 0 .. count - 1), at most `limit` at a time. Each returns an exit
 * code; the greatest one is returned, or -1 with an error. */
int side_by_side(size_t count, size_t limit, int (*task)(void *context, size_t number),
                 void *context, struct error *error);

/* For how many tasks there are processors that nobody else uses just now: at least 1. */
size_t side_by_side_free(void);

#endif
