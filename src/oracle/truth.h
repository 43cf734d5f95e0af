/* SPDX-License-Identifier: MIT */
/* What is true of a trace under a model: every pair of events that races and
 * every set of acquires that deadlocks in some correct reordering. */
#ifndef PREPLAY_ORACLE_TRUTH_H
#define PREPLAY_ORACLE_TRUTH_H

#include "base/array.h"
#include "trace/finding.h"
#include "trace/history.h"

struct true_race {
    uint32_t events[2]; /* pos, ascending */
    uint32_t *witness;  /* NULL unless asked for */
    uint32_t witness_length;
};

/* A set of events whose threads are stuck because of each other (model/blocking.h) in some state
 * in which no part of them is by itself. */
struct true_deadlock {
    uint32_t *events; /* pos; in the order of the cycle, if it is one */
    uint32_t count;
    uint32_t *witness;
    uint32_t witness_length;
};

struct truth {
    enum model model;
    struct true_races ARRAY_OF(struct true_race) races; /* sorted by pos, once finished */
    struct true_deadlocks ARRAY_OF(struct true_deadlock) deadlocks;
    uint64_t states; /* distinct ones */
    bool complete;   /* false: the limit of states was reached, more may be true */
    uint8_t *raced;  /* count * count flags */
    uint32_t count;
};

void truth_init(struct truth *truth, enum model model, uint32_t events);
void truth_free(struct truth *truth);

bool truth_races(const struct truth *truth, uint32_t a, uint32_t b);
/* By the set of its events, in any order; NULL if it is none. */
const struct true_deadlock *truth_deadlock(const struct truth *truth, const uint32_t *events,
                                           uint32_t count);

/* The same errors, whatever their witnesses. */
bool truth_equal(const struct truth *a, const struct truth *b);

/* For explorers: adds what is not known yet. The witness is `path` followed by
 * the events; NULL for none. */
void truth_add_race(struct truth *truth, uint32_t a, uint32_t b, const uint32_t *path,
                    uint32_t length);
void truth_add_deadlock(struct truth *truth, const uint32_t *events, uint32_t count,
                        const uint32_t *path, uint32_t length);
/* What the threads stand before in a state. Of those that wait, `others` is a set of
 * threads: one of them must be stuck for the thread to be, or, with `all`, each of
 * them, and there may be none. */
struct standing {
    uint32_t event;
    uint16_t others;
    bool waits, all;
};

/* Adds every smallest set of threads that are stuck because of each other. */
void truth_add_stuck(struct truth *truth, uint32_t threads, const struct standing *standing,
                     const uint32_t *path, uint32_t length);
/* Sorts what was found. */
void truth_finish(struct truth *truth);

#endif
