/* SPDX-License-Identifier: MIT */
/* From a finding of a real program to the smallest trace that still shows it
 * (Sadowski's Chapter 25 asks for this). One starts from what the witness
 * executes, in its order, so that the error happens in the trace itself; a
 * deadlock, which no trace can contain, and what is not found there, from the
 * observed order. Then events are
 * left out, in ever smaller groups, as long as the caller's test says that the
 * finding is still there (delta debugging). Kept in any case: the events of the
 * error, and the locks that their threads hold at that moment, without which it
 * would be another error. */
#ifndef PREPLAY_TIDDLE_SLICE_H
#define PREPLAY_TIDDLE_SLICE_H

#include "trace/finding.h"
#include "trace/history.h"

struct slice {
    const struct history *history;
    const struct finding *finding;
    /* Does this sequence of events still show the finding? False also if it is no
     * well-formed trace. */
    bool (*shows)(const struct event *events, uint32_t count, void *context);
    void *context;
    uint32_t tests; /* calls of shows() that are left */
};

/* The events of the slice, in order, which the caller frees; NULL if not even the
 * whole sequence shows the finding. */
struct event *slice_finding(struct slice *slice, uint32_t *count);

#endif
