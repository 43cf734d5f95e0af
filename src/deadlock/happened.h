/* SPDX-License-Identifier: MIT */
/* Deadlocks that happened: what the threads of a run that hung were stuck in when it was
 * ended (model/hang.h). Their events are wishes, behind the last event of the trace; their
 * witness is the recorded run itself. */
#ifndef PREPLAY_DEADLOCK_HAPPENED_H
#define PREPLAY_DEADLOCK_HAPPENED_H

#include "engine/engine.h"

/* Adds them to the run's findings, for engines that predict deadlocks too. Needs the run's
 * history. */
void happened_find(struct engine_run *run);

#endif
