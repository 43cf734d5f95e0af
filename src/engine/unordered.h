/* Races that are no matter of order: the observed run performed both accesses one after the
 * other, and no other order is possible, but nothing that it did makes the second wait for
 * what the first did. A relaxed atomic is seen by another thread without making visible what
 * was written before it; the processor and the compiler may do the two in any order.
 *
 * Happens-before by locks, signals, atomics as far as their memory orders go, and plain reads of
 * what was written (so that one race does not bring others with it) finds them in the observed
 * order, which is their witness. */
#ifndef PREPLAY_ENGINE_UNORDERED_H
#define PREPLAY_ENGINE_UNORDERED_H

#include "engine/engine.h"

/* Adds those races that the run's findings do not have yet. */
void unordered_find(struct engine_run *run, enum model model);

#endif
