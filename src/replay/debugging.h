/* A replay under gdb, which stops where the error is. */
#ifndef PREPLAY_REPLAY_DEBUGGING_H
#define PREPLAY_REPLAY_DEBUGGING_H

#include "replay/replaying.h"

/* Becomes gdb; returns only on an error. `words` go to gdb in front of the program
 * (for tests: -batch), NULL-terminated, or NULL. */
int debugging_run(const struct replay_program *program, const struct history *history,
                  const struct finding *finding, enum schedule_detail detail,
                  const char *const *words, struct error *error);

#endif
