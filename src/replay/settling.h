/* SPDX-License-Identifier: MIT */
/* Settles one finding: runs the program under its schedule, and if that shows something, finds out
 * what the error does and whether it can be had again.
 *
 * A race is run on in both orders of its two accesses, and how the program ends is held against
 * the recorded run; against what it printed only where two replays of the recorded order print the
 * same. The schedule that is kept (`replays/ID.schedule`) is one that was executed, in the order
 * that fails if one does; it is run once more, as `preplay replay TRACE ID` does, and only if it
 * shows the same again the finding is confirmed. A run that fails before the error is reached is a
 * failure of the program, whatever the schedule was meant for: schedules only delay. */
#ifndef PREPLAY_REPLAY_SETTLING_H
#define PREPLAY_REPLAY_SETTLING_H

#include "replay/settled.h"

/* One schedule for the finding. 0, or -1 if nothing could be run. */
int settling_try(struct settling *settling, const struct finding *finding,
                 enum schedule_detail detail, struct settled *settled, struct error *error);
/* The schedule that was kept for it, once. */
int settling_again(struct settling *settling, const struct finding *finding,
                   struct settled *settled, struct error *error);
/* Is there one? */
bool settling_has_kept(const struct settling *settling, const struct finding *finding);
/* What a lane left of a schedule that is kept lies where everybody looks. */
void settling_bring_home(const struct settling *settling, const char *id);
void settling_free(struct settling *settling);

/* Puts it into the finding. */
void settled_apply(const struct settled *settled, struct finding *finding);

#endif
