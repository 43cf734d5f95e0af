/* SPDX-License-Identifier: MIT */
/* What misuse other schedules of the recorded run do: each candidate (candidates.h) is a goal of
 * the witness search, under the strongest model first. Exact under its model but for what the
 * budget left open, which is counted. Not under `sync` unasked: without what threads read,
 * nearly every use could come after the destroy. */
#ifndef PREPLAY_MISUSE_PREDICTED_H
#define PREPLAY_MISUSE_PREDICTED_H

#include "engine/engine.h"
#include "model/misuse.h"

void misuse_predict(struct engine_run *run, const struct misuse_index *index);

#endif
