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
};

/* At most `most` steps (0: all), malloc-ed; *count of them. */
struct step *steps_create(const struct history *history, const struct finding *finding, size_t most,
                          size_t *count);

/* "locks m", "reads x", "creates T0.1": what an event does, in a few words; an acquire
 * that `blocks` only "wants m". Returns the length as snprintf does. */
int step_text(char *text, size_t size, const struct trace *trace, const struct event *event,
              bool blocks);
/* The verb alone. */
const char *step_verb(enum event_op op);

/* "T0 (main)", "T0.1". */
int thread_text(char *text, size_t size, const struct trace *trace, uint32_t thread);

#endif
