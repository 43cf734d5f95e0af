/* SPDX-License-Identifier: MIT */
/* Replays made ahead, side by side, where processors are free: the next candidates are replayed
 * before it is known what the ones before them say of them. Each outcome is looked at in its turn,
 * and dropped if by then nobody would have asked for it; so the verdicts are those of one replay at
 * a time. */
#ifndef PREPLAY_REPLAY_CONFIRM_AHEAD_H
#define PREPLAY_REPLAY_CONFIRM_AHEAD_H

#include "replay/confirm_jobs.h"
#include "replay/settled.h"

enum { CONFIRM_AHEAD_MOST = 64 };

/* One candidate, replayed by a process of its own. */
struct ahead_run {
    const struct confirm_job *job; /* NULL: none */
    bool consequences;             /* as in struct settling */
    bool done;
    double seconds; /* its share of the time that all took together */
    struct settled settled;
};

struct confirm_ahead {
    struct ahead_run *runs; /* shared with those processes; NULL: not made yet */
    size_t count;
    double dropped_seconds; /* of runs that nobody asked for, and their replays */
    uint32_t dropped;
};

/* The place for the next run of a batch; NULL if there is none left, or no memory. */
struct ahead_run *confirm_ahead_add(struct confirm_ahead *ahead, const struct confirm_job *job,
                                    bool consequences);
/* Runs all that were added, with `settling` but for the consequences. */
void confirm_ahead_make(struct confirm_ahead *ahead, const struct settling *settling);
/* What came of `job`; false if it was not run so, or is to be run by the caller. */
bool confirm_ahead_take(struct confirm_ahead *ahead, const struct confirm_job *job,
                        bool consequences, struct settled *settled, double *seconds);
/* Forgets what is left. */
void confirm_ahead_drop(struct confirm_ahead *ahead);
void confirm_ahead_free(struct confirm_ahead *ahead);

#endif
