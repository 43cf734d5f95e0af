/* SPDX-License-Identifier: MIT */
/* The inside of nearby.h, for its two questions. */
#ifndef PREPLAY_SEARCH_NEARBY_STATE_H
#define PREPLAY_SEARCH_NEARBY_STATE_H

#include "base/array.h"
#include "base/map.h"
#include "search/nearby.h"

enum {
    CHECKPOINTS = 32,
    INTERVAL_LEAST = 1 << 14,
    PASSES = 3,
    SPAN_LIMIT = 1 << 20, /* acquires further apart are not near */
    SCAN_LIMIT = 4096,    /* events of a thread searched for where its locks were taken */
};

struct machines ARRAY_OF(struct machine *);
struct positions ARRAY_OF(uint32_t);

struct nearby {
    struct rules *rules;
    uint32_t interval;
    struct machines checkpoints; /* [i] has executed i * interval events as observed */
    struct machine *front;       /* the furthest state reached */
    uint32_t front_at;
    struct machine *trail; /* the state last asked for: the next is often a bit later */
    uint32_t trail_at;
    uint32_t *stop_at; /* by thread: the event it stops at, or POS_NONE */
    bool *stuck;       /* by thread */
    uint32_t *needed;  /* by thread: its events before this pos are worth executing */
    struct map wanted; /* locks acquired later on, in a pass of find_needs() */
    uint64_t work;
    uint32_t copied;        /* objects in a machine */
    struct positions order; /* the disorder after the observed prefix */
};

/* A machine that has executed the events before `pos` as observed; the caller destroys it. */
struct machine *nearby_observed_until(struct nearby *nearby, uint32_t pos);

/* Where the thread began to hold what it holds at `pos`, as far as a short look back
 * tells. */
uint32_t nearby_outermost_acquire(const struct history *history, uint32_t pos);

/* Observed up to `from`, then the disorder, then the last events. */
uint32_t *nearby_witness(const struct nearby *nearby, const uint32_t *last, uint32_t count,
                         uint32_t from, uint32_t *length);

#endif
