/* SPDX-License-Identifier: MIT */
/* What lockset leaves over, for engines that look closer: every pair of locations with
 * some of its instances. The first ones are kept, then ever fewer, and always the two
 * accesses that came closest to each other. */
#ifndef PREPLAY_RELATIONS_LOCKSET_PAIRS_H
#define PREPLAY_RELATIONS_LOCKSET_PAIRS_H

#include "base/map.h"
#include "relations/access_history.h"
#include "engine/engine.h"
#include "relations/sync_log.h"

extern const struct engine engine_lockset;

struct lockset_instance {
    uint32_t object;
    struct access earlier, later;
};

struct lockset_pair {
    uint64_t met;      /* how often the two locations met */
    uint32_t distance; /* of the closest instance, which is the first in the list */
    struct lockset_instances ARRAY_OF(struct lockset_instance) instances;
};

/* A zeroed one is empty. */
struct lockset_pairs {
    struct map numbers; /* pair of locations -> number */
    struct pair_list ARRAY_OF(struct lockset_pair) list;
    uint64_t last_places; /* the pair that met last: it mostly meets again */
    uint32_t last;
    struct map passed_over; /* variables with accesses alike that were not compared */
};

/* True if the locations have not met before. */
bool lockset_pairs_meet(struct lockset_pairs *pairs, uint32_t object, const struct access *earlier,
                        const struct access *later);
void lockset_pairs_free(struct lockset_pairs *pairs);

/* Of a run of engine_lockset. */
const struct lockset_pairs *lockset_pairs_of(const struct engine_run *run);
/* Before the first event: keep the synchronisation in `log`. It is stopped if there is no
 * candidate for long and the trace can be read again. */
void lockset_keep_log(struct engine_run *run, struct sync_log *log);

#endif
