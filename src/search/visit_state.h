/* SPDX-License-Identifier: MIT */
/* The parts of visit.h. */
#ifndef PREPLAY_SEARCH_VISIT_STATE_H
#define PREPLAY_SEARCH_VISIT_STATE_H

#include "search/visit.h"

struct fingerprint {
    uint64_t words[2];
};

/* What one event changed. */
struct step_back {
    uint32_t pos, unread;
    struct lock_now lock;
    struct memory_now memory;
    struct count_now count;
    struct fingerprint fingerprint;
    size_t words; /* the condition variable before it, if there is one */
};

/* Reads within the limits that are bound to a variable's present value. */
struct unread {
    uint32_t question, count;
};

/* A state on the way: the steps before it, and the threads still to be tried there. */
struct place {
    size_t steps;
    uint64_t threads;
};

struct visit {
    struct search *search;
    struct uses uses;
    uint32_t *limit; /* by thread: events that may be of use */
    uint32_t *rank;  /* by pos: what came first in the last witness, 0 if it was not in it */
    struct ranked ARRAY_OF(uint32_t) ranked;
    uint32_t *furthest;    /* by thread: the most events executed so far */
    struct unread *unread; /* by variable */
    struct steps_back ARRAY_OF(struct step_back) steps;
    struct condition_words ARRAY_OF(uint32_t) words;
    struct places ARRAY_OF(struct place) places;
    struct fingerprint now;
    uint32_t question; /* fingerprints of different questions differ */
    struct fingerprint *seen;
    size_t seen_count, seen_room; /* room: a power of two */
};

/* visit_limits.c: how far threads may have to go. */
void visit_limit(struct visit *visit);

/* visit_steps.c: executing events and taking them back. */
void visit_begin(struct visit *visit);
enum block visit_blocked(const struct visit *visit, uint32_t pos, uint32_t *what);
void visit_execute(struct visit *visit, uint32_t pos);
void visit_undo(struct visit *visit, size_t steps);

/* visit_choice.c: the threads to be tried in the present state, as a set; 0 if nothing
 * that is needed can ever come. */
uint64_t visit_choose(struct visit *visit);
/* May the event be executed as soon as it is possible? */
bool visit_eager(const struct visit *visit, uint32_t pos);

static inline bool visit_goes_on(const struct visit *visit, uint32_t thread)
{
    return visit->search->done[thread] < visit->limit[thread];
}

static inline uint32_t visit_next(const struct visit *visit, uint32_t thread)
{
    return history_pos(visit->search->index->history, thread, visit->search->done[thread]);
}

#endif
