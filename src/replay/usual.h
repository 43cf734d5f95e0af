/* SPDX-License-Identifier: MIT */
/* What the program usually does: two replays of the recorded order, made once, when a replay ends
 * in a way that can only be held against them. */
#ifndef PREPLAY_REPLAY_USUAL_H
#define PREPLAY_REPLAY_USUAL_H

#include "replay/settled.h"

/* An ending that has no failure yet: is what was printed (the output of the replay of that name,
 * or of the finding's id) different? One with another exit code: is that unusual? */
void usual_judge(struct settling *settling, const struct finding *finding,
                 struct run_ending *ending, const char *name, struct settled *settled);

#endif
