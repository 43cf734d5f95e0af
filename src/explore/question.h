/* SPDX-License-Identifier: MIT */
/* An outcome that no run has shown: a read that can see another value, a try that can end
 * otherwise, a thread that has not been followed so far, a state in which no thread can go on. Its
 * schedule leads there. */
#ifndef PREPLAY_EXPLORE_QUESTION_H
#define PREPLAY_EXPLORE_QUESTION_H

#include "explore/knowledge.h"

struct question {
    uint64_t identity; /* the same whenever it is found again */
    uint32_t node;     /* NODE_NONE: a deadlock */
    uint64_t seen;     /* the outcome */
    uint32_t cost;     /* preemptions */
    struct question_turns ARRAY_OF(struct step_turn) turns;
};

struct questions ARRAY_OF(struct question);

/* The same whenever the question is found again. */
uint64_t question_identity(const struct knowledge *knowledge, uint32_t node, uint64_t seen);
uint64_t question_mix(uint64_t hash, uint64_t value);
/* Adds a step to its schedule; `woken` is the thread that it wakes, UINT32_MAX: none. */
void question_turn(struct question *question, const struct knowledge *knowledge, uint32_t node,
                   uint32_t woken);
void questions_free(struct questions *questions);

#endif
