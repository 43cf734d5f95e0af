/* SPDX-License-Identifier: MIT */
/* What replays that left their schedules say of other schedules.
 *
 * A thread goes another way than it was recorded to because of what it has read. So if it does not
 * come to an event of its own, the reads before that which saw other writes than in the recorded
 * run (flips) are to blame: a schedule that wants the same event of it after the same flips would
 * be left at the same place, and need not be run. One that flips a read of the same code, elsewhere
 * in the run, may be left, too: it can wait until others have been tried.
 *
 * Schedules of sound models flip nothing that matters; only candidates are judged. */
#ifndef PREPLAY_REPLAY_FORETOLD_H
#define PREPLAY_REPLAY_FORETOLD_H

#include "base/map.h"
#include "trace/finding.h"
#include "trace/history.h"

/* A zeroed one knows nothing. */
struct foretold {
    struct map lessons; /* (event that did not come, flips before it) */
    struct map blamed;  /* locations of reads: the last flip before such an event */
};

/* In a replay of `finding` the thread of that name did not perform its operation `index`, or an
 * access that was to come before it. False if it had read nothing else than in the recorded run:
 * then that had another reason, and says nothing of others. */
bool foretold_learn(struct foretold *foretold, const struct history *history,
                    const struct finding *finding, const char *thread, uint32_t index);

enum foretelling {
    FORETOLD_NOTHING,
    FORETOLD_DOUBTFUL, /* it flips a read that was to blame once */
    FORETOLD_LEFT,     /* its schedule would be left */
};
enum foretelling foretold_ask(const struct foretold *foretold, const struct history *history,
                              const struct finding *finding);
void foretold_free(struct foretold *foretold);

#endif
