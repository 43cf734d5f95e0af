/* A witness as a schedule for the program it was found in (trace/schedule.h). */
#ifndef PREPLAY_REPLAY_SCHEDULE_WRITER_H
#define PREPLAY_REPLAY_SCHEDULE_WRITER_H

#include "trace/finding.h"
#include "trace/history.h"

#include <stdio.h>

/* Writes the synchronisation of the finding's witness, and where its threads stand
 * at the end; with `fine` also the accesses through which its threads see each
 * other's writes. -1 with an error if the finding cannot be replayed. */
int schedule_write(FILE *out, const struct history *history, const struct finding *finding,
                   bool fine, struct error *error);

#endif
