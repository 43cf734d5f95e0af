/* SPDX-License-Identifier: MIT */
/* Races of a relation that is given as vector clocks: two conflicting accesses race
 * if the clock of the later one has not seen the tick of the earlier one.
 *
 * As in FastTrack, while a variable is free of races its last write is an epoch that
 * comes after everything before it, so one comparison settles nearly every access.
 * Unlike FastTrack all racing pairs of locations are reported, not only a variable's
 * first race: the first race of a variable sends its later accesses through the
 * whole access history. The relation must be transitive and contain program order. */
#ifndef PREPLAY_RELATIONS_CLOCK_RACES_H
#define PREPLAY_RELATIONS_CLOCK_RACES_H

#include "engine/engine.h"
#include "model/order.h"

struct clock_races;

/* `order`, if not NULL, is contained in the relation: an access that every thread
 * has seen by it is forgotten. */
struct clock_races *clock_races_create(struct engine_run *run, struct order *order);
void clock_races_destroy(struct clock_races *races);

/* The access `event`: `before` is what the relation orders before it, `happened`
 * what happens before it, with the event's own tick. A race of the relation that
 * is none of happens-before is marked as such. */
void clock_races_check(struct clock_races *races, const struct event *event, uint32_t pos,
                       uint32_t index, const struct vclock *before, const struct vclock *happened);

/* Reports this race of the relation now and not again, with what is to be said of it. */
void clock_races_report(struct clock_races *races, uint32_t variable,
                        struct finding_event events[2], bool observed, const char *note);

/* After a batch of `trace`: the variables that it mentioned last. */
void clock_races_forget(struct clock_races *races, const struct trace *trace);

/* Hides the latency of memory from the accesses that follow events[at]. */
void clock_races_look_ahead(const struct clock_races *races, const struct event *events, size_t at,
                            size_t count);

#endif
