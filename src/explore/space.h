/* SPDX-License-Identifier: MIT */
/* The states that a program can reach, as far as it is known (knowledge.h), and where they lead to
 * what is not.
 *
 * A state says where each thread stands in its tree, and what memory and locks hold. From the
 * first one on, states are visited by what it costs to reach them: how often a thread is stopped
 * that could have gone on. Where a thread's next operation concerns no other thread, now or later,
 * it is the only one tried (a persistent set of one): orders that differ in nothing are visited
 * once.
 *
 * A visit that came to its end without a question (question.h) is a proof that there is nothing
 * else to see. */
#ifndef PREPLAY_EXPLORE_SPACE_H
#define PREPLAY_EXPLORE_SPACE_H

#include "explore/question.h"

struct space_limits {
    uint64_t bytes;          /* of states that are made in all; UINT64_MAX: no limit */
    uint32_t cost;           /* of a state; UINT32_MAX: no limit. With one, nothing is left out. */
    uint32_t most;           /* questions */
    const struct map *asked; /* identities that are not to be asked again */
    const bool *focus;       /* of each thread; NULL: all. The others run on only when none of these
                                can: fewer states, and what is found is as true */
    double until;            /* monotonic clock; 0: no limit */
};

struct space_answer {
    struct questions questions; /* by cost */
    bool whole;                 /* every state was visited */
    uint64_t states;
};

void space_visit(const struct knowledge *knowledge, const struct space_limits *limits,
                 struct space_answer *answer);

#endif
