/* SPDX-License-Identifier: MIT */
/* Pairwise reachability over the lock histories of one trace, pair by pair: the two
 * strategies of Ganai and the schedules that come of them (tlh.c has the idea).
 *
 *     struct tlh_search search;
 *     tlh_search_open(&search, run, history);
 *     found = tlh_search_pair(&search, pos, object, events);
 *     tlh_search_close(&search); */
#ifndef PREPLAY_TLH_TLH_SEARCH_H
#define PREPLAY_TLH_TLH_SEARCH_H

#include "base/array.h"
#include "base/map.h"
#include "engine/engine.h"
#include "model/observed_run.h"
#include "tlh/lattice.h"
#include "tlh/rendezvous.h"

#define TLH_WITHOUT "strategy I: not refuted by the two threads' lock histories"

/* Witnesses of one run list at most this many events, 1 GB; later findings go without. */
#define TLH_WITNESS_EVENTS_MAX (UINT64_C(1) << 28)

struct tlh_search {
    struct engine_run *run;
    const struct history *history; /* a projection (sync_projection.h), or the whole trace */
    struct rules *rules;
    struct observed_run observed; /* as far as the last schedule follows it */
    struct search_index *index;
    struct lock_histories *histories;
    struct rendezvous *rendezvous;
    struct map lattices; /* (threads, start) -> lattice */
    struct all_lattices ARRAY_OF(struct lattice *) all;
    struct snapshots ARRAY_OF(uint32_t) snapshots; /* pos after each unblocking event */
    struct witness_events ARRAY_OF(uint32_t) witness;
    uint64_t stored; /* events in witnesses so far */
    bool in_turns;   /* witnesses list turns only (trace/turns.h) */
};

void tlh_search_open(struct tlh_search *search, struct engine_run *run,
                     const struct history *history);
void tlh_search_close(struct tlh_search *search);

/* Asks for one pair: `events` are the two accesses as they are to be reported, `pos`
 * where they stand in the history that is searched, which is what a witness lists. True
 * if its places are found, now or before. */
bool tlh_search_pair(struct tlh_search *search, const uint32_t pos[2], uint32_t object,
                     struct finding_event events[2]);

#endif
