/* Races of a relation that is given as vector clocks: two conflicting accesses race
 * if the clock of the later one has not seen the tick of the earlier one.
 *
 * While a variable has no race, its last write stands for all before it, and one
 * comparison of an epoch settles an access, as in hb.c; the relation must be
 * transitive and contain program order. */
#ifndef PREPLAY_ENGINE_CLOCK_RACES_H
#define PREPLAY_ENGINE_CLOCK_RACES_H

#include "engine/engine.h"
#include "model/vclock.h"

struct clock_races;

struct clock_races *clock_races_create(struct engine_run *run);
void clock_races_destroy(struct clock_races *races);

/* The access `event`: `before` is what the relation orders before it, `happened`
 * what happens before it, with the event's own tick. A race of the relation that
 * is none of happens-before is marked as such. */
void clock_races_check(struct clock_races *races, const struct event *event, uint32_t pos,
                       uint32_t index, const struct vclock *before, const struct vclock *happened);

/* Hides the latency of memory from the accesses that follow events[at]. */
void clock_races_look_ahead(const struct clock_races *races, const struct event *events, size_t at,
                            size_t count);

#endif
