/* Tiddle programs as something that can be explored: an interpreter that keeps a schedule, as a
 * stepped program does. */
#ifndef PREPLAY_ORACLE_CODE_RUNS_H
#define PREPLAY_ORACLE_CODE_RUNS_H

#include "explore/backend.h"
#include "oracle/code_truth.h"

struct code_runs {
    const struct machine_code *code;
    struct stepper_page *page;
    struct code_seen *seen; /* by all runs */
};

/* `runs` must outlive it. */
struct explore_backend code_runs_backend(struct code_runs *runs);

#endif
