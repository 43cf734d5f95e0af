/* SPDX-License-Identifier: MIT */
/* tlh among synchronisation and candidates (sync_projection.h): what it costs depends on how much
 * threads have to do with each other, not on how much they do. */
#ifndef PREPLAY_TLH_TLH_PROJECTED_H
#define PREPLAY_TLH_TLH_PROJECTED_H

#include "relations/lockset_pairs.h"

/* Tries the pairs of locations that are not found yet, in the trace as far as `limit`;
 * found[i] says it of the i-th. */
void tlh_projected_try(struct engine_run *run, const struct sync_log *log, uint32_t limit,
                       bool *found);

#endif
