/* SPDX-License-Identifier: MIT */
/* A run's steps as events of a trace (trace/event.h), one after the other.
 *
 * Words become objects: accesses that overlap are of one. What is several steps of the stepper is
 * one event here: to wait for a condition is to queue, to unlock, to be woken and to lock. */
#ifndef PREPLAY_EXPLORE_RUN_EVENTS_H
#define PREPLAY_EXPLORE_RUN_EVENTS_H

#include "explore/kept_run.h"
#include "explore/run_code.h"
#include "symbols/symbols.h"
#include "trace/trace.h"

struct run_events;

/* Names go to `trace`; its wishes are what threads stood before at the end. The run and the symbols
 * must outlive it. */
struct run_events *run_events_create(const struct kept_run *run, struct symbols *symbols,
                                     struct trace *trace);
void run_events_destroy(struct run_events *events);

/* False after the last. */
bool run_events_next(struct run_events *events, struct event *event);
/* The event given last got this place in the trace. */
void run_events_delivered(struct run_events *events, uint32_t pos);
/* By the run's steps: the place of the event that a step became, POS_NONE if it became none. */
void run_events_positions(const struct run_events *events, uint32_t *positions);

/* What is asked of the program's code goes there; NULL at first. */
void run_events_use_code(struct run_events *events, struct run_code *code);
struct run_code *run_events_code(const struct run_events *events);
struct symbols *run_events_symbols(const struct run_events *events);
uint32_t run_events_location(struct run_events *events, uint64_t pc);
uint64_t run_events_pc(const struct run_events *events, uint32_t location);

#endif
