/* What misuse happened in the recorded run: one pass over its events, with the state that the
 * rules ask for, and no more: who holds which lock since when, and what was destroyed. */
#ifndef PREPLAY_MISUSE_OBSERVED_H
#define PREPLAY_MISUSE_OBSERVED_H

#include "misuse/told.h"

struct observed;

/* `tell` is called for each misuse of the trace, when its event comes; with `advise` also for what
 * is dubious. */
struct observed *observed_create(const struct trace *trace, bool advise, misuse_tell *tell,
                                 void *context);
void observed_destroy(struct observed *observed);

/* The next event of the run. */
void observed_step(struct observed *observed, const struct event *event, uint32_t pos);
/* After the last one. */
void observed_finish(struct observed *observed);

#endif
