/* SPDX-License-Identifier: MIT */
/* Witness search: is there another schedule of the recorded run that stands at
 * this error? One question at a time, answered with a proof either way:
 *
 *   witness    a correct reordering (docs/design.md, "Words") that ends in the error
 *   refuted    no correct reordering under the model reaches it
 *   exhausted  the budget ended first
 *
 * What all questions about one history share is computed once and never changes
 * (struct search_index); what one question needs is scratch (struct search), one
 * a worker thread. Any number of searches may use one index at the same time.
 *
 *     struct search_index *index = search_index_create(history, MODEL_RF);
 *     struct search *search = search_create(index);
 *     uint32_t pair[2] = {first, second};
 *     struct search_query query = {SEARCH_RACE, pair, 2, 0};
 *     struct search_witness witness;
 *     if (search_reach(search, &query, &witness) == SEARCH_WITNESS) ...
 *
 * The method is described in order.c. */
#ifndef PREPLAY_SEARCH_SEARCH_H
#define PREPLAY_SEARCH_SEARCH_H

#include "trace/finding.h"
#include "trace/history.h"

enum search_answer { SEARCH_WITNESS, SEARCH_REFUTED, SEARCH_EXHAUSTED };

enum search_goal {
    /* Each event is the next one of its thread; any number, any kind. */
    SEARCH_NEXT,
    /* The same for two conflicting accesses. */
    SEARCH_RACE,
    /* The same for the blocking acquires and joins of a cycle, in its order: each
     * waits for a lock that the thread of the following one holds, or for its end. */
    SEARCH_DEADLOCK,
    /* Window begin, window end, culprit: the culprit runs after the begin and
     * before the end, which comes last. What the culprit and the end read need
     * not be kept. */
    SEARCH_ATOMICITY,
    /* Two events or more: all are executed before the last one, which is of another
     * thread and comes last. */
    SEARCH_PRECEDES,
};

struct search_query {
    enum search_goal goal;
    const uint32_t *events; /* pos values, as in struct finding */
    uint32_t count;
    uint64_t budget; /* events scheduled at most; 0: SEARCH_BUDGET */
};

#define SEARCH_BUDGET UINT64_C(20000000)

/* pos values, ending in the error's events: what witness_check() expects. Valid
 * until the next call for the same search. */
struct search_witness {
    const uint32_t *events;
    uint32_t length;
};

struct search_index;
struct search;

/* `model` as in the witness: MODEL_RF, MODEL_SYNC, MODEL_VALUE or MODEL_BRANCH. */
struct search_index *search_index_create(const struct history *history, enum model model);
void search_index_destroy(struct search_index *index);
/* The model in force: `rf` where `value` or `branch` was asked for but not recorded. */
enum model search_index_model(const struct search_index *index);

struct search *search_create(const struct search_index *index);
void search_destroy(struct search *search);

enum search_answer search_reach(struct search *search, const struct search_query *query,
                                struct search_witness *witness);

/* The same for SEARCH_NEXT with events that must have been executed as well, whenever. */
enum search_answer search_reach_after(struct search *search, const struct search_query *query,
                                      const uint32_t *executed, uint32_t executed_count,
                                      struct search_witness *witness);
/* The same for SEARCH_NEXT with events that must not be executed: one a thread at most, and none
 * of a thread of the query's events. */
enum search_answer search_reach_barring(struct search *search, const struct search_query *query,
                                        const uint32_t *barred, uint32_t barred_count,
                                        struct search_witness *witness);

/* What was learnt for one question helps with the next. Which witness is found, and what is
 * left open, depends on the questions since this was called, and on no others. */
void search_forget(struct search *search);

/* From now on what closures leave open is decided by visiting states alone where that can
 * be (visit.h), and every refutation is learned from: for tests. */
void search_by_states(struct search *search);
/* From now on every question that plans can answer (by_plans.h) is theirs alone: for tests. */
void search_by_plans(struct search *search);

/* Events scheduled by all questions so far: what budgets count. */
uint64_t search_steps(const struct search *search);

/* The independent checker's opinion on an answer (model/checker.h); for asserts
 * and tests. SEARCH_NEXT with two or more events is checked event by event. */
bool search_check(const struct search_index *index, const struct search_query *query,
                  const struct search_witness *witness);

#endif
