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

/* Writes the synchronisation of the finding's witness, and where its threads stand
 * at the end. *listed, if not NULL: are there accesses in it? -1 with an error if the
 * finding cannot be replayed. */
int schedule_write(FILE *out, const struct history *history, const struct finding *finding,
                   enum schedule_detail detail, bool *listed, struct error *error);

#endif
