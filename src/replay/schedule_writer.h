/* SPDX-License-Identifier: MIT */
/* A witness as a schedule for the program it was found in (trace/schedule.h). */
#ifndef PREPLAY_REPLAY_SCHEDULE_WRITER_H
#define PREPLAY_REPLAY_SCHEDULE_WRITER_H

#include "trace/finding.h"
#include "trace/history.h"

#include <stdio.h>

/* Which accesses a schedule lists, besides all synchronisation. */
enum schedule_detail {
    SCHEDULE_NEEDED, /* those of a witness of a sound model that nothing else orders */
    SCHEDULE_PLAIN,  /* none */
    SCHEDULE_FINE,   /* all through which its threads see each other's writes */
};

/* Whose access is made first at a race. */
enum schedule_first {
    SCHEDULE_ANY,      /* both are let go at once */
    SCHEDULE_FLIPPED,  /* the one that came second in the recorded run */
    SCHEDULE_OBSERVED, /* the one that came first */
};

/* The event of the finding, from 0, whose access is then made first; UINT32_MAX if there are no
 * two accesses of which one could be. */
uint32_t schedule_first_event(const struct finding *finding, enum schedule_first first);

/* Writes the synchronisation of the finding's witness, and where its threads stand
 * at the end. *listed, if not NULL: are there accesses in it? -1 with an error if the
 * finding cannot be replayed. */
int schedule_write(FILE *out, const struct history *history, const struct finding *finding,
                   enum schedule_detail detail, enum schedule_first first, bool *listed,
                   struct error *error);

#endif
