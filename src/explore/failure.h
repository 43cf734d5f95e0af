/* SPDX-License-Identifier: MIT */
/* What a run did that no run should. */
#ifndef PREPLAY_EXPLORE_FAILURE_H
#define PREPLAY_EXPLORE_FAILURE_H

#include "base/array.h"
#include "explore/backend.h"
#include "explore/kept_run.h"
#include "symbols/symbols.h"

enum failure_kind {
    FAILURE_NONE,
    FAILURE_SIGNAL, /* `number` of it */
    FAILURE_EXIT,   /* another exit code: `number` */
    FAILURE_DEADLOCK,
    FAILURE_HANG,
    FAILURE_AFTER_FREE,
    FAILURE_DOUBLE_FREE,
    FAILURE_CHECK,  /* the command that looks at each run says so, with exit code `number` */
    FAILURE_OUTPUT, /* it printed something else */
};

enum { FAILURE_ID = 16, FAILURE_TEXT = 256, FAILURE_PLACES = 8, FAILURE_EXPLANATION = 1024 };

/* Where a thread was. */
struct failure_place {
    uint64_t thread;        /* its name */
    char path[64];          /* T0.1 */
    uint32_t number, count; /* in this run; of its events */
    uint8_t op;             /* that it stands before; STEP_NONE: it ran */
    uint32_t manner;        /* of what it does there: tells apart what else is alike */
    uint64_t pc, object;
};

/* What a thread did before another one ran: its last operation, and how many it were. */
struct failure_step {
    char path[64];
    uint8_t op;
    uint32_t events;
    uint64_t pc, object;
};

struct failure {
    char id[FAILURE_ID];       /* as reports have it; given when all is told */
    char identity[FAILURE_ID]; /* the same for what fails in the same way */
    enum failure_kind kind;
    int number;
    char text[FAILURE_TEXT];                     /* the line in which the program says why, or "" */
    struct failure_place places[FAILURE_PLACES]; /* who failed; of a deadlock who takes part */
    uint32_t place_count;
    struct failure_turns ARRAY_OF(struct step_turn) turns;    /* the schedule */
    struct failure_steps ARRAY_OF(struct failure_step) steps; /* the run */
    uint32_t run;   /* in which it was first seen, from 1 */
    uint32_t times; /* how many runs ended so */
    bool repeated;  /* the same schedule did it again */
    uint32_t preemptions;
    uint32_t events; /* of that run */
    struct kept_run kept;
    char explanation[FAILURE_EXPLANATION]; /* beside a run that went well; "": there is none */
};

/* What a run does that went well. */
struct failure_norm {
    int code;           /* its exit code */
    const char *output; /* a file with what it prints; NULL, or no file: that may be anything */
};

/* The failure of a run, of kind FAILURE_NONE if it went well. Its schedule is left empty. */
void failure_judge(struct failure *failure, const struct stepped_run *run,
                   const struct failure_norm *norm, const char *output, const char *modules);
/* "T0.1" */
void failure_path(const struct stepper_page *page, uint32_t thread, char *path, size_t size);
/* "deadlock", "crash", ... */
const char *failure_rule(const struct failure *failure);
void failure_free(struct failure *failure);

#endif
