/* SPDX-License-Identifier: MIT */
/* What the runs of an exploration show of errors that none of them failed by: each run is a trace,
 * and what the engines find in it is told once, whichever run shows it. A schedule of the stepper
 * says whether it happens. */
#ifndef PREPLAY_CLI_EXPLORE_PREDICTED_H
#define PREPLAY_CLI_EXPLORE_PREDICTED_H

#include "cli/options.h"
#include "explore/exploring.h"
#include "explore/run_code.h"
#include "trace/finding_id.h"

/* A run in which something was found that none before it had shown. */
struct predicted_run {
    uint32_t number;
    struct kept_run run;
    struct findings *findings;
};

/* A finding; of the same id there are a few, of several runs. */
struct predicted {
    char id[FINDING_ID_SIZE];
    struct predicted_run *run;
    struct finding *finding;
    char block[64]; /* the name of the finding's, or "" */
    bool happened;  /* its schedule showed it */
    bool ended;     /* ... and the program came to an end by it: no thread can go on */
    bool told;      /* the one of its id that is told */
};

struct predictions {
    const struct options *options;
    char modules[PATH_MAX];
    struct symbols *symbols; /* NULL before the first run */
    struct run_code *code;
    struct predicted_runs ARRAY_OF(struct predicted_run *) runs;
    struct predicted_list ARRAY_OF(struct predicted) list;
    struct map times;   /* by id: how many instances */
    double spent;       /* seconds */
    uint32_t not_asked; /* runs that were left out, for it took too long */
};

/* `directory`: of the exploration, absolute. */
void predictions_create(struct predictions *self, const char *directory,
                        const struct options *options);
/* To be told of each run (exploring.h); `context` is a struct predictions. */
void predictions_watch(void *context, const struct kept_run *run, uint32_t number);
/* Runs the schedule of each: what happens is confirmed. One of each id is `told` then. Not while
 * an exploration runs. 0, or -1 with an error. */
int predictions_confirm(struct predictions *self, const struct explore_backend *backend,
                        const char *output, struct error *error);
void predictions_free(struct predictions *self);

#endif
