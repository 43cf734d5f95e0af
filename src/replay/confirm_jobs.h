/* SPDX-License-Identifier: MIT */
/* What is to be replayed, in the order in which it pays: sound predictions before candidates, one
 * of each root cause before the second of any, short schedules before long ones; order violations
 * at last. */
#ifndef PREPLAY_REPLAY_CONFIRM_JOBS_H
#define PREPLAY_REPLAY_CONFIRM_JOBS_H

#include "base/array.h"
#include "trace/finding_id.h"
#include "trace/history.h"

struct confirm_job {
    struct finding *finding;
    char id[FINDING_ID_SIZE];
    uint64_t cause;  /* the same for those of one root cause */
    uint32_t rank;   /* how many of the same cause, and as sound, come before it */
    uint32_t length; /* of the schedule, in events */
    uint32_t order;  /* as found */
    bool put_off;    /* another one's replay speaks against it: it comes last */
    bool settled;
};

struct confirm_jobs ARRAY_OF(struct confirm_job);

bool confirm_is_sound(const struct finding *finding);

/* The predictions and candidates with a witness, of all lists. */
void confirm_jobs_collect(struct confirm_jobs *jobs, const struct history *history,
                          struct findings **lists, size_t count);

#endif
