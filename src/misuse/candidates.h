/* SPDX-License-Identifier: MIT */
/* What could be a misuse in another schedule: critical sections, and acquires, of a lock that is
 * destroyed and that nothing but chance orders before its destroy; and so for uses of semaphores
 * and condition variables. (Fork, join, barriers and
 * what atomic loads saw hold in every schedule: order.h.) */
#ifndef PREPLAY_MISUSE_CANDIDATES_H
#define PREPLAY_MISUSE_CANDIDATES_H

#include "base/array.h"
#include "model/misuse.h"

struct misuse_candidate {
    /* The acquire of a section and its release, POS_NONE if it never ends; or any other use, which
     * is over at once (release: the same). */
    uint32_t use, release;
    uint32_t destroy;
};

struct misuse_candidates ARRAY_OF(struct misuse_candidate);

void misuse_candidates_find(struct misuse_candidates *candidates, const struct misuse_index *index,
                            enum model model);

#endif
