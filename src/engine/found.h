/* SPDX-License-Identifier: MIT */
/* A finding as engines begin it. Its verdict is what its model is worth: a prediction under one
 * that is sound, a candidate under `sync` or none. What else there is (a witness, a note, another
 * verdict) is the engine's to add. */
#ifndef PREPLAY_ENGINE_FOUND_H
#define PREPLAY_ENGINE_FOUND_H

#include "engine/engine.h"

/* `events` is borrowed, as it is from all of these. Without an object, nor a block. */
struct finding found_any(const struct engine_run *run, enum finding_kind kind, enum model model,
                         struct finding_event *events, uint32_t count);
struct finding found_race(const struct engine_run *run, enum model model, uint32_t variable,
                          struct finding_event events[2]);
/* On what `first` waits for. */
struct finding found_deadlock(const struct engine_run *run, enum model model,
                              const struct event *first, struct finding_event *events,
                              uint32_t count);

/* Events by their positions. */
void found_events(struct finding_event *events, const struct history *history, const uint32_t *pos,
                  uint32_t count);

#endif
