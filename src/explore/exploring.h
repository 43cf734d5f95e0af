/* SPDX-License-Identifier: MIT */
/* From one run to every behaviour of a program on this input.
 *
 * Each run adds to what is known of the threads (knowledge.h); the model made of that is asked for
 * outcomes that no run has shown (space.h); each answer is a schedule, and the next run takes it.
 * It ends when no schedule leads to anything new. That is a proof for this input under sequential
 * consistency, as far as everything that threads share was seen: `doubts` says what was not. */
#ifndef PREPLAY_EXPLORE_EXPLORING_H
#define PREPLAY_EXPLORE_EXPLORING_H

#include "explore/failure.h"

struct exploring_limits {
    uint64_t runs;        /* 0: none */
    double seconds;       /* 0: none */
    uint32_t preemptions; /* UINT32_MAX: none */
    bool until_failure;   /* the first one is enough */
    bool same_output;     /* as the first run that goes well, or it is a failure */
};

enum { DOUBTS_TEXT = 1024 };

struct exploration {
    struct exploration_failures ARRAY_OF(struct failure) failures; /* as they were found */
    uint32_t runs, behaviours, threads;
    uint64_t events, objects;  /* of all runs; that threads share */
    uint64_t open;             /* questions that were not asked: at least so many */
    uint32_t to_first_failure; /* runs up to it; 0: there was none */
    uint32_t diverged;         /* runs that left their schedule */
    uint64_t states;           /* visited by the last look */
    struct kept_run first;     /* the first run, whatever it did */
    int usual;                 /* exit code of the first run that did not fail */
    bool complete, interrupted;
    bool unstepped; /* the program takes no notice of us: nothing was explored */
    double seconds;
    char doubts[DOUBTS_TEXT]; /* sentences; "" if there are none */
};

enum { EXPLORING_WORKERS = 64 };

/* Backends that run the same program, one or more, up to EXPLORING_WORKERS: so many questions are
 * asked at a time, and their answers taken in the same order whoever is first. What there is to be
 * found is the same for any number of them; how many runs it takes may differ. */
struct exploring_workers {
    const struct explore_backend *backends;
    size_t count;
    /* Told of each run, in their order, `number` from 1; may be NULL. */
    void (*watch)(void *context, const struct kept_run *run, uint32_t number);
    void *context;
};

/* `directory`: of the exploration, absolute. 0, or -1 with an error. */
int exploring_run(const struct exploring_workers *workers, const char *directory,
                  const struct exploring_limits *limits, struct exploration *exploration,
                  struct error *error);
void exploration_free(struct exploration *exploration);

#endif
