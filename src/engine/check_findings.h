/* SPDX-License-Identifier: MIT */
/* Every witness of a run's findings, held against the independent checker. */
#ifndef PREPLAY_ENGINE_CHECK_FINDINGS_H
#define PREPLAY_ENGINE_CHECK_FINDINGS_H

#include "engine/engine.h"

/* -1 if one is refused: a mistake of the engine's. The run has a history. */
int check_findings(const struct engine_run *run, struct error *error);

#endif
