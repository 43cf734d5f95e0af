/* SPDX-License-Identifier: MIT */
/* Which processes matter for a goal, and how far. A goal asks that the threads of
 * some events stand right before them. From it follow
 *
 *   must[p]   steps of process p that every way to the goal takes (its fork, the
 *             threads it joins, barriers, the writes its atomics see, ...);
 *   limit[p]  steps of p beyond which nothing can help: p is a target and stands,
 *             or all that p could still do for others (release, post, signal,
 *             fork, ...) is done and it holds nothing. A way to the goal that goes
 *             further can be cut back to it, for without those events all others
 *             are as possible as with them.
 *
 * A process with limit 0 takes no part in the search. That, not the number of
 * threads, makes checks of long traces affordable. */
#ifndef PREPLAY_CSP_SLICE_H
#define PREPLAY_CSP_SLICE_H

#include "csp/process.h"

struct slice {
    const struct processes *processes;
    uint32_t *must, *limit; /* by process */
    uint32_t *target;       /* by process: the step it must stand at, or UINT32_MAX */
    uint32_t *must_scanned, *limit_scanned;
    bool impossible; /* the must-steps contradict the goal */
    struct pending ARRAY_OF(uint32_t) pending;
    uint64_t work; /* done so far: steps and uses looked at */
};

struct slice *slice_create(const struct processes *processes);
void slice_destroy(struct slice *slice);

/* A goal: `targets` are positions, one a thread, all in the window, that are next; `executed`
 * are steps that must have been executed, whenever. */
struct slice_goal {
    const uint32_t *targets;
    uint32_t count;
    const uint32_t *executed;
    uint32_t executed_count;
};

/* Computes the slice of a goal. False if it cannot be reached for a reason seen here. */
bool slice_compute(struct slice *slice, const struct slice_goal *goal);

/* The number of steps that every way to the goal takes. */
uint64_t slice_must_total(const struct slice *slice);

#endif
