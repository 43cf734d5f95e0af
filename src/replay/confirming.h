/* SPDX-License-Identifier: MIT */
/* Replays predictions, the most promising first, until each is settled or the
 * budget is spent. One replay often settles several: a race that happens-before
 * sees twice under the same schedule needs no replay of its own. */
#ifndef PREPLAY_REPLAY_CONFIRMING_H
#define PREPLAY_REPLAY_CONFIRMING_H

#include "trace/finding.h"
#include "trace/history.h"

/* Without a budget: seconds, and times the recorded run, whichever is more. */
#define CONFIRMING_SECONDS 5.0
#define CONFIRMING_TIMES   5.0

struct confirming_progress {
    size_t settled, total, confirmed;
    double left;         /* seconds of the budget */
    const char *current; /* id of what is replayed */
};

struct confirming {
    const struct history *history;
    struct findings **lists; /* whose verdicts are settled */
    size_t list_count;
    uint64_t most;    /* replays, at most */
    double budget;    /* seconds for all replays together; 0: in proportion to the recorded run, for
                         those that show nothing */
    double spent;     /* of that, by other processes of the run */
    double timeout;   /* seconds, each; 0: the standard */
    size_t lanes;     /* replays side by side, at most; 0: as many as processors are free */
    bool in_place;    /* on the user's own files */
    bool live_inputs; /* not those of the recorded run */
    /* Called before each replay, and with NULL at the end; may be NULL. */
    void (*progress)(void *context, const struct confirming_progress *progress);
    void *progress_context;
    /* What came of it. */
    uint32_t replays;
    uint32_t at_once;  /* so many of them ran side by side */
    uint32_t left;     /* not replayed, for lack of budget */
    uint32_t foretold; /* not replayed: like another one that left its schedule */
    bool interrupted;  /* by the user: the rest was not replayed */
    char note[512];    /* on how it was replayed, or why not; "" if there is nothing to say */
    double seconds;    /* of all replays */
    double fruitless;  /* of those that showed nothing */
    double budget_was; /* seconds */
};

/* `path` is the trace directory. 0, also if nothing can be replayed (then the note says why); -1 if
 * it is no recording. */
int confirming_run(struct confirming *confirming, const char *path, struct error *error);

#endif
