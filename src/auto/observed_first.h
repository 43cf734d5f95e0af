/* SPDX-License-Identifier: MIT */
/* First things first: what happened in the recorded run (races, deadlocks, misuse) is known after
 * one pass, long before all predictions of a long recording are. Who wants it told by then names
 * an observer among the engine's options. */
#ifndef PREPLAY_AUTO_OBSERVED_FIRST_H
#define PREPLAY_AUTO_OBSERVED_FIRST_H

#include "engine/engine.h"

/* Of shorter histories everything is known soon enough: nobody reads the same thing twice. */
#define OBSERVED_FIRST_FROM (UINT32_C(1) << 17)

/* Tells the observer, if there is one, of what happened in the run's history. The findings are not
 * the run's: it finds them again, with what prediction adds. */
void observed_first_tell(const struct engine_run *run);

#endif
