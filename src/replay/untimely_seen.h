/* SPDX-License-Identifier: MIT */
/* Did a replayed run perform the read of an order violation when it was to? */
#ifndef PREPLAY_REPLAY_UNTIMELY_SEEN_H
#define PREPLAY_REPLAY_UNTIMELY_SEEN_H

#include "trace/finding.h"
#include "trace/history.h"

/* `path`: the trace of the replayed run. Looks for the read and the write by what they are in any
 * run (the thread, the place, the how manieth there), and whether the one came before the other. */
bool untimely_seen(const char *path, const struct history *history, const struct finding *finding);
/* What was seen, in words. */
const char *untimely_seen_text(const struct finding *finding);

#endif
