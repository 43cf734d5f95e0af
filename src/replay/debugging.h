/* SPDX-License-Identifier: MIT */
/* A replay under gdb or lldb, which stops where the error is. */
#ifndef PREPLAY_REPLAY_DEBUGGING_H
#define PREPLAY_REPLAY_DEBUGGING_H

#include "replay/replaying.h"

enum debugger {
    DEBUGGER_GDB,
    DEBUGGER_LLDB,
};

/* Becomes the debugger; returns only on an error. `words` go to it in front of the program
 * (for tests: -batch), NULL-terminated, or NULL. With --interpreter=mi gdb is an editor's, which
 * is to run the program. */
int debugging_run(enum debugger debugger, const struct replay_program *program,
                  const struct history *history, const struct finding *finding,
                  enum schedule_detail detail, const char *const *words, struct error *error);

#endif
