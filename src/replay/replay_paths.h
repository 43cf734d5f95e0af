/* SPDX-License-Identifier: MIT */
/* Where the files of a replay lie: in `replays/` of the trace, by its name, the finding's id. */
#ifndef PREPLAY_REPLAY_REPLAY_PATHS_H
#define PREPLAY_REPLAY_REPLAY_PATHS_H

#include "replay/schedule_writer.h"

#include <limits.h>

enum { REPLAY_PATH = PATH_MAX + 64 };

struct watch;

struct replay_paths {
    char schedule[REPLAY_PATH];                   /* what the target follows */
    char control[REPLAY_PATH];                    /* shared with it while it runs */
    char output[REPLAY_PATH];                     /* what it printed */
    char record[REPLAY_PATH];                     /* the trace of the replayed run */
    char story[REPLAY_PATH], script[REPLAY_PATH]; /* for gdb */
    char input[REPLAY_PATH];                      /* the recorded standard input, or /dev/null */
    char inputs[REPLAY_PATH];                     /* what else it was told (runtime/inputs.h) */
};

/* Replays that run side by side have a `lane` each, from 0. */
int replay_paths_make(struct replay_paths *paths, const struct history *history, const char *name,
                      unsigned lane, struct error *error);
/* The trace of a replay that nobody will look at again. */
void replay_remove_record(const char *record);

/* *listed, if not NULL: does it order accesses, too? */
int replay_write_schedule(const char *path, const struct history *history,
                          const struct finding *finding, enum schedule_detail detail,
                          enum schedule_first first, bool *listed, struct error *error);
/* What `watch` must know of the schedule at `path`, which is one for the finding. */
int replay_read_schedule(const char *path, const struct history *history,
                         const struct finding *finding, struct watch *watch, struct error *error);

#endif
