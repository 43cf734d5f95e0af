/* SPDX-License-Identifier: MIT */
/* A run under the stepper as a trace: for engines, and for reports on what happened in it. All
 * accesses are in it, in the order in which they were performed, with what they saw and wrote. */
#ifndef PREPLAY_EXPLORE_RUN_TRACE_H
#define PREPLAY_EXPLORE_RUN_TRACE_H

#include "explore/kept_run.h"
#include "explore/run_code.h"
#include "symbols/symbols.h"
#include "trace/history.h"

struct run_trace {
    struct trace *trace;
    struct history *history;
    uint32_t *pos;  /* by the run's events: where in the history, POS_NONE: not told */
    uint32_t *wish; /* by its threads: the pos of what it stood before, POS_NONE: it did not */
};

/* `symbols` must outlive it. `path` is what errors and reports call it. */
void run_trace_create(struct run_trace *run_trace, const struct kept_run *run,
                      struct symbols *symbols, const char *path);
/* Of an instruction, also where no event is. */
uint32_t run_trace_location(const struct run_trace *run_trace, uint64_t pc);
void run_trace_free(struct run_trace *run_trace);
/* The same events to be read by engines, as trace_open() gives them. `code`, which must outlive the
 * trace, answers what engines ask of the program's code; NULL: nobody does. */
struct trace *run_trace_open(const struct kept_run *run, struct symbols *symbols,
                             struct run_code *code, const char *path);

#endif
