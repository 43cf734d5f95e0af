/* SPDX-License-Identifier: MIT */
/* A failure's schedule made small: as few preemptions and turns as are needed for the same failure.
 *
 * Turns are left out one by one, and each shorter schedule is run: only one that ends in the same
 * failure, and with no more preemptions, takes the place of the one before. What these runs show is
 * added to what is known, so that one that went well can be told beside the failure. */
#ifndef PREPLAY_EXPLORE_SHRINKING_H
#define PREPLAY_EXPLORE_SHRINKING_H

#include "explore/failure.h"
#include "explore/knowledge.h"

struct shrinking {
    const struct explore_backend *backend;
    const struct failure_norm *norm;
    const char *output, *modules;
    struct knowledge *knowledge;
    uint32_t runs; /* that may still be made */
};

/* 0, or -1 with an error. A failure that does not come again stays as it is. */
int shrinking_run(struct shrinking *shrinking, struct failure *failure, struct error *error);

#endif
