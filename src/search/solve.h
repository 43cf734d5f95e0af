/* SPDX-License-Identifier: MIT */
/* Decides many candidates on several threads, and in several processes. Every candidate is
 * decided by itself, so the outcome does not depend on how many there are. */
#ifndef PREPLAY_SEARCH_SOLVE_H
#define PREPLAY_SEARCH_SOLVE_H

#include "search/search.h"

/* The models to try, the strongest first: a finding carries the first that has a
 * witness. */
struct progress;
struct deal;

struct ladder {
    struct search_index *rungs[MODEL_COUNT];
    struct essence *essences[MODEL_COUNT]; /* ladder_focus(); NULL: the whole history */
    uint32_t count;
    bool without_witnesses;    /* outcomes do not keep them */
    struct progress *progress; /* who watches, or NULL */
    struct deal *deal; /* other processes that decide some of the tasks (base/deal.h), or NULL */
};

/* MODEL_NONE: rf, then value and branch where recorded, then sync. */
void ladder_create(struct ladder *ladder, const struct history *history, enum model model,
                   uint32_t jobs);
void ladder_free(struct ladder *ladder);
struct solve_task;
/* From now on these tasks, races and deadlocks, are decided, and no others: by what of the history
 * matters to them (essence.h). That takes a pass over the history for each model. */
void ladder_focus(struct ladder *ladder, const struct solve_task *tasks, size_t count);
/* The end of that. */
void ladder_widen(struct ladder *ladder);
/* The processes of the ladder's deal have the same ladder, and those of a machine keep its large
 * arrays once. Where all have asked the same of it so far. */
void ladder_alike(const struct ladder *ladder);
/* The most events that a witness lists. */
uint32_t ladder_length(const struct ladder *ladder);
/* The index of the weakest model: what it orders is ordered in all, but for what atomic loads
 * saw, which `value` does not keep. */
const struct search_index *ladder_weakest(const struct ladder *ladder);
/* The index of `value` where that makes a difference, or NULL. */
const struct search_index *ladder_value(const struct ladder *ladder);

/* One candidate: instances of the same error, each of `size` events. */
struct solve_task {
    enum search_goal goal;
    const uint32_t *events; /* count * size */
    uint32_t size, count;
    bool sound_only; /* not under `sync` */
};

struct solve_outcome {
    enum search_answer answer;
    enum model model;
    uint32_t instance; /* the one with the witness */
    uint32_t *witness; /* malloc-ed, the caller's; NULL without one */
    uint32_t length;
    bool in_turns; /* as in struct finding */
};

/* Tasks under `value` that one thread takes at a time: what is learnt from one saves more
 * with the next than a second thread would. */
#define SOLVE_BATCH 512

/* The budget that suits the trace and the number of tasks. */
uint64_t solve_budget(const struct ladder *ladder, size_t count);

/* `budget` is that of one instance under one model; 0 for one that suits the
 * trace and the number of tasks. */
void solve_all(const struct ladder *ladder, const struct solve_task *tasks,
               struct solve_outcome *outcomes, size_t count, uint32_t jobs, uint64_t budget);

#endif
