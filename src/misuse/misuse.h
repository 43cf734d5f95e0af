/* SPDX-License-Identifier: MIT */
/* Misuse of threads and locks (trace/misuse_rules.h), for the engine `misuse` and for `auto`. */
#ifndef PREPLAY_MISUSE_MISUSE_H
#define PREPLAY_MISUSE_MISUSE_H

#include "engine/engine.h"

/* Adds to the run's findings what misuse happened in run->history, and with a witness what
 * other schedules of it do. */
void misuse_add_findings(struct engine_run *run);
/* The first half of it: what happened. */
void misuse_add_observed(struct engine_run *run);

#endif
