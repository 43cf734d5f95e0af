/* SPDX-License-Identifier: MIT */
/* A trace without the accesses that no question is about: its synchronisation (sync_log.h)
 * and the accesses of the candidates. Under `sync` it has the same reorderings as the whole
 * trace, for as long as only these accesses are asked for. Its variables have numbers of
 * their own. */
#ifndef PREPLAY_TLH_SYNC_PROJECTION_H
#define PREPLAY_TLH_SYNC_PROJECTION_H

#include "relations/lockset_pairs.h"
#include "trace/history.h"

struct sync_projection {
    struct history *history;
    uint32_t *origin; /* by pos: the pos in the whole trace */
};

/* Of the trace as far as before `limit`. */
void sync_projection_create(struct sync_projection *projection, const struct trace *trace,
                            const struct sync_log *log, const struct lockset_pairs *pairs,
                            uint32_t limit);
void sync_projection_free(struct sync_projection *projection);

/* The event that has this pos in the whole trace; it is there. */
uint32_t sync_projection_pos(const struct sync_projection *projection, uint32_t origin);

#endif
