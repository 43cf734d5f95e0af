/* SPDX-License-Identifier: MIT */
/* The predictive atomicity check, for the engine `atomicity` and for `auto`. */
#ifndef PREPLAY_ATOMICITY_ATOMICITY_H
#define PREPLAY_ATOMICITY_ATOMICITY_H

#include "engine/engine.h"
#include "search/solve.h"

/* Decides every strike (strikes.h) on the blocks of run->history, and adds findings
 * with witnesses to the run. */
void atomicity_find(struct engine_run *run, const struct ladder *ladder);

#endif
