/* SPDX-License-Identifier: MIT */
/* Visits the states that correct reorderings reach, on any number of threads with the same
 * outcome.
 *
 * Several walkers go depth first, each by itself for a round. Then all learn which states the
 * others saw, and who has no way left takes half of the ways of one who has many. What a walker
 * does in a round depends on the rounds before alone, not on who runs beside it. Two walkers may
 * come to a state in the same round; that takes time, and is no error. */
#ifndef PREPLAY_DEADLOCK_WALK_H
#define PREPLAY_DEADLOCK_WALK_H

#include "model/machine.h"

/* Many would spread thin: where not all states can be visited, most deadlocks are found far down
 * one way, at the ends of threads. */
enum { WALKERS = 4 };

/* The events before `to` are reordered, beginning as observed up to `from`, which `start` has
 * executed. All that it names is the caller's and outlives the walk. */
struct walk_space {
    const struct rules *rules;
    const struct machine *start;
    uint32_t from, to;
    const bool *eager;       /* eager.h */
    const uint32_t *stop_at; /* by thread: the event that it does not execute, or POS_NONE */
};

/* A state that walker number `walker` came to first, for all it knows, and the way to it. True
 * if that is what was looked for. Walkers call it at the same time. */
typedef bool walk_visitor(void *context, uint32_t walker, const struct machine *machine,
                          const uint32_t *way, uint32_t length);

enum walk_end {
    WALK_ALL,   /* every state was visited */
    WALK_FOUND, /* what was looked for, by at least one walker */
    WALK_LIMIT, /* as many states as were allowed */
};

struct walk;

struct walk *walk_create(const struct walk_space *space, uint32_t jobs);
void walk_destroy(struct walk *walk);

/* From the start on. Visits about `states` at most. */
enum walk_end walk_run(struct walk *walk, uint64_t states, walk_visitor *visitor, void *context);
/* After WALK_FOUND: the way to the state, of the first walker that found one. Valid until the
 * next run. */
const uint32_t *walk_way(const struct walk *walk, uint32_t *length);
/* States that the last run visited. */
uint64_t walk_states(const struct walk *walk);

#endif
