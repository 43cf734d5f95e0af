/* SPDX-License-Identifier: MIT */
/* A witness as steps for a reader: one a line, runs of unremarkable accesses of one
 * thread taken together, and of a long schedule the beginning and the end. */
#ifndef PREPLAY_REPORT_STEPS_H
#define PREPLAY_REPORT_STEPS_H

#include "trace/finding.h"
#include "trace/history.h"

struct step {
    uint32_t pos;   /* the event, or the first of several */
    uint32_t count; /* more than one: so many accesses */
    uint32_t place; /* its place in the witness, from 0 */
    bool error;     /* an event of the error itself */
    bool gap;       /* `count` steps are left out here */
    bool segment;   /* `count` events of one thread, synchronisation among them */
    bool outside;   /* of the recorded order alone: the witness does not have it */
};

/* At most `most` steps (0: all), malloc-ed; *count of them. */
struct step *steps_create(const struct history *history, const struct finding *finding, size_t most,
                          size_t *count);
/* The recorded order of the witness's threads, up to the last event that the witness has;
 * a step of `steps`, which are all of the witness, begins a step here too. malloc-ed. */
struct step *steps_recorded(const struct history *history, const struct finding *finding,
                            const struct step *steps, size_t step_count, size_t *count);
/* Makes many steps few: what one thread does in a row becomes a segment, but for the end,
 * where the error is; and if that is not enough, some are left out. */
void steps_collapse(const struct history *history, struct step *steps, size_t *count, size_t most);

/* "locks m", "reads x", "creates T0.1": what an event does, in a few words; one that
 * `blocks` only "wants m" or "waits for T0.1". Returns the length as snprintf does. */
int step_text(char *text, size_t size, const struct trace *trace, const struct event *event,
              bool blocks);
/* The verb alone. */
const char *step_verb(enum event_op op);

/* An operation that blocks does so for something that happens, not for a lock. */
bool step_waits(enum event_op op);

#endif
