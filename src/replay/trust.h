/* SPDX-License-Identifier: MIT */
/* May this recording's program be run? A replay runs whatever the manifest says with the user's
 * rights, and under a schedule that fits one build of the program. */
#ifndef PREPLAY_REPLAY_TRUST_H
#define PREPLAY_REPLAY_TRUST_H

#include "base/error.h"

/* ERROR_INPUT that names both sides if the recording is another user's, or if the program, or a
 * library of it, is gone or was built again since. */
int trust_check(const char *trace_path, struct error *error);

#endif
