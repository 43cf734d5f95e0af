/* SPDX-License-Identifier: MIT */
/* A witness as turns: only the events at which threads' turns end are listed. In a turn
 * a thread goes on from where it stood, up to the listed event and with it. The events
 * of the error that are not performed come last; before them each of their threads, in
 * their order, goes on as far as right before its own.
 *
 * A schedule of millions of events has few turns where there is little synchronisation,
 * and an engine that knows only the synchronisation can write one: what its threads do in
 * between follows from their order. Every list of events, shortened to its turns, can be
 * had back. */
#ifndef PREPLAY_TRACE_TURNS_H
#define PREPLAY_TRACE_TURNS_H

#include "trace/finding.h"
#include "trace/history.h"

/* Witnesses of more events than this are kept as turns. */
#define TURNS_FROM ((uint32_t)1 << 16)

/* Leaves out what the turn of the next one includes; returns the new length. The last
 * `kept` of them stay. Only threads of events matter, so that `history` may be a part of
 * a trace. */
uint32_t turns_fold(const struct history *history, uint32_t *witness, uint32_t length,
                    uint32_t kept);
/* How many events these turns stand for, those of the error included. */
uint32_t turns_events(const struct history *history, const uint32_t *turns, uint32_t length);
/* All of them, malloc-ed, *count long. The last `ends` turns are of events that are not
 * performed. Positions must be in the history; nothing else is taken for granted. */
uint32_t *turns_unfold(const struct history *history, const uint32_t *turns, uint32_t length,
                       uint32_t ends, uint32_t *count);

/* Keeps the witness of a finding as turns from now on. */
void finding_fold(struct finding *finding, const struct history *history);
/* The finding with every event of its witness; finding_full_free() when done with it. */
struct finding finding_in_full(const struct finding *finding, const struct history *history);
void finding_full_free(struct finding *full, const struct finding *finding);

#endif
