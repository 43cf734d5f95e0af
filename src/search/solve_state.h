/* SPDX-License-Identifier: MIT */
/* What a chunk of tasks came to, as bytes that go to other processes and into checkpoints. */
#ifndef PREPLAY_SEARCH_SOLVE_STATE_H
#define PREPLAY_SEARCH_SOLVE_STATE_H

#include "base/deal.h"
#include "search/essence.h"
#include "search/solve.h"
#include "search/walls.h"

/* The tasks are those that `todo` numbers, from `begin` to `end`. */
struct solve_pack {
    const struct solve_task *tasks;
    struct solve_outcome *outcomes;
    const size_t *todo;
    size_t begin, end;
    uint32_t events;       /* positions of the history are below this */
    struct walls *learned; /* by rung */
    uint32_t rungs;
    uint64_t steps;
};

struct bytes solve_pack(const struct solve_pack *chunk);
/* Fills outcomes, learned and steps. False, and nothing is filled, if the bytes cannot be the
 * outcome of these tasks. */
bool solve_unpack(struct solve_pack *chunk, struct bytes bytes);
/* Stands for the tasks themselves: as good as never the same for others. */
uint64_t solve_print(const struct solve_task *tasks, const size_t *todo, size_t count,
                     uint64_t budget);

/* One rung, for one worker. */
struct climber {
    struct search *search;
    const struct essence *essence; /* NULL: the search is of the whole history */
    bool without_witnesses;
};

/* True if an instance has a witness; fills the outcome but for its model, which is set. */
bool climber_climb(const struct climber *climber, const struct solve_task *task, uint64_t budget,
                   struct solve_outcome *outcome);

#endif
