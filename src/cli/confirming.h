/* Replays predictions, the most promising first, until each is settled or the
 * budget is spent. One replay often settles several: a race that happens-before
 * sees in it needs no replay of its own. */
#ifndef PREPLAY_CLI_CONFIRMING_H
#define PREPLAY_CLI_CONFIRMING_H

#include "trace/finding.h"
#include "trace/history.h"

struct confirming {
    const struct history *history;
    struct findings **lists; /* whose verdicts are settled */
    size_t list_count;
    uint64_t most;  /* replays, at most */
    double budget;  /* seconds, all together */
    double timeout; /* seconds, each; 0: ten times the recorded run, at least 10 s */
    bool progress;  /* show it on the terminal */
    /* What came of it. */
    uint32_t replays;
    uint32_t left;    /* not replayed, for lack of budget */
    bool interrupted; /* by the user: the rest was not replayed */
    double seconds;
};

/* `path` is the trace directory. 0, or -1 if nothing can be replayed at all. */
int confirming_run(struct confirming *confirming, const char *path, struct error *error);

#endif
