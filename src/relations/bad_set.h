/* SPDX-License-Identifier: MIT */
/* Embracer's bad set B: clashing accesses that are not ordered so far. An edge that
 * is found later may order them after all, so they are judged when no section is
 * open any more (Sadowski, section 15.3). */
#ifndef PREPLAY_RELATIONS_BAD_SET_H
#define PREPLAY_RELATIONS_BAD_SET_H

#include "base/map.h"
#include "relations/access_history.h"
#include "engine/engine.h"
#include "relations/embracer.h"

struct bad_pair {
    struct access earlier, later;
    uint32_t variable;
    struct vclock clock; /* of the later one, before it saw the earlier one */
};

/* A zeroed one is empty. */
struct bad_set {
    struct bad_pair *items; /* those beyond count keep their clocks' memory */
    size_t count, capacity;
    size_t weed_at;   /* look for pairs that are ordered by now at this count */
    struct map known; /* pairs of locations that are reported: no need to suspect more */
};

void bad_set_free(struct bad_set *bad);

void bad_set_add(struct bad_set *bad, struct embracer *embracer, uint32_t variable,
                 const struct access *earlier, const struct access *later,
                 const struct vclock *clock);
/* True if the pair would add nothing to what is reported. */
bool bad_set_knows(const struct bad_set *bad, const struct access *a, const struct access *b);
/* Reports what is still not ordered, and empties the set. */
void bad_set_judge(struct bad_set *bad, struct embracer *embracer, struct engine_run *run);

#endif
