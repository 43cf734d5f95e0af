/* SPDX-License-Identifier: MIT */
/* Which of the races that were found happened in the observed run itself: those between events
 * that it did not order. What orders them is schedulable happens-before. */
#ifndef PREPLAY_AUTO_OBSERVED_RACES_H
#define PREPLAY_AUTO_OBSERVED_RACES_H

#include "engine/engine.h"

/* Makes their verdict `observed`, but for candidates of `sync`. Needs the run's history. */
void observed_races_mark(struct engine_run *run);

#endif
