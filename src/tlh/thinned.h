/* SPDX-License-Identifier: MIT */
/* A trace without the accesses that no question is about: its synchronisation (sync_log.h)
 * and the accesses of the candidates. Under `sync` it has the same reorderings as the whole
 * trace, for as long as only these accesses are asked for. Its variables have numbers of
 * their own. */
#ifndef PREPLAY_TLH_THINNED_H
#define PREPLAY_TLH_THINNED_H

#include "relations/lockset_pairs.h"
#include "trace/history.h"

struct thinned {
    struct history *history;
    uint32_t *origin; /* by pos: the pos in the whole trace */
};

/* Of the trace as far as before `limit`. */
void thinned_create(struct thinned *thinned, const struct trace *trace, const struct sync_log *log,
                    const struct lockset_pairs *pairs, uint32_t limit);
void thinned_free(struct thinned *thinned);

/* The event that has this pos in the whole trace; it is there. */
uint32_t thinned_pos(const struct thinned *thinned, uint32_t origin);

#endif
