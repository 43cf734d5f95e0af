/* SPDX-License-Identifier: MIT */
/* From a finding's witness to a run that shows it.
 *
 * A witness is an order of a run's events; here it becomes turns for the stepper. Whoever runs them
 * sees whether it happened: the two accesses of a race directly one after the other, all events of
 * a broken block in the order of the witness, the threads of a deadlock standing before what they
 * wait for. */
#ifndef PREPLAY_EXPLORE_WITNESS_RUN_H
#define PREPLAY_EXPLORE_WITNESS_RUN_H

#include "base/array.h"
#include "explore/failure.h"
#include "explore/run_trace.h"
#include "trace/finding.h"

enum { WITNESS_EVENTS = 64 };

/* An event of the error: the count-th of its thread. */
struct witness_event {
    uint64_t thread, pc;
    uint32_t count;
};

struct witness_run {
    struct failure_turns turns;
    struct witness_event events[WITNESS_EVENTS]; /* in the order in which they happen */
    uint32_t event_count;
    enum finding_kind kind;
    bool adjacent; /* they come directly one after the other */
};

/* False if the finding has no witness, or none that turns can say: then it is empty. */
bool witness_run_create(struct witness_run *self, const struct finding *finding,
                        const struct run_trace *trace, const struct kept_run *run);
/* The same, but its threads come to stand right before the error. */
bool witness_run_before(struct witness_run *self, const struct finding *finding,
                        const struct run_trace *trace, const struct kept_run *run);
/* Did the run of these turns show it? */
bool witness_run_happened(const struct witness_run *self, const struct stepper_page *page);
void witness_run_free(struct witness_run *self);

#endif
