/* What misuse happened in the recorded run: one pass over its events, with the state that the
 * rules ask for, and no more: who holds which lock since when, and what was destroyed. */
#ifndef PREPLAY_MISUSE_OBSERVED_H
#define PREPLAY_MISUSE_OBSERVED_H

#include "trace/history.h"
#include "trace/misuse_rules.h"

/* One misuse: the operation, and the one because of which it is (POS_NONE: not known). */
struct misuse_seen {
    enum misuse rule;
    uint32_t partner, pos;
};

typedef void observed_tell(void *context, const struct misuse_seen *seen);

struct observed;

/* `tell` is called for each misuse, when its event comes. */
struct observed *observed_create(observed_tell *tell, void *context);
void observed_destroy(struct observed *observed);

/* The next event of the run. */
void observed_step(struct observed *observed, const struct event *event, uint32_t pos);

#endif
