/* SPDX-License-Identifier: MIT */
/* A whole trace in memory, for engines that look at it more than once. */
#ifndef PREPLAY_TRACE_HISTORY_H
#define PREPLAY_TRACE_HISTORY_H

#include "trace/trace.h"

#define POS_NONE UINT32_MAX

struct history {
    const struct trace *trace; /* names, semaphore counts, barrier parties */
    /* By pos. Behind the `count` events that happened stand the `wishes` that did not (trace.h):
     * their pos goes on, so that findings and witnesses can name them. */
    struct event *events;
    uint32_t count, wishes;
    uint32_t threads;
    uint32_t variables;  /* ids of variables in the events are below this */
    uint32_t *index;     /* by pos: position within its own thread */
    uint32_t *positions; /* all pos values, thread by thread, each in program order */
    uint32_t *first;     /* by thread, threads + 1 entries: start in `positions` */
    uint32_t *fork_of;   /* by thread: pos of its fork, or POS_NONE */
    uint32_t *join_of;   /* by thread: pos of its first join, or POS_NONE */
    /* By pos: for each event that reads, the pos of the write it saw in the observed order,
     * POS_NONE for the initial value; POS_NONE for all other events. */
    uint32_t *reads_from;
    /* Events that are neither accesses nor local, ascending: often few. */
    uint32_t *syncs;
    uint32_t sync_count;
    uint64_t ops;            /* the operations there are, as bits */
    bool has_values;         /* some event has one; only then: */
    uint64_t *initial_value; /* by variable, where initial_known: somebody read it, or the program
                                tells */
    bool *initial_known;
};

/* Reads the rest of `trace`, which must outlive the history. NULL on an error. */
struct history *history_read(struct trace *trace, struct error *error);
/* Builds one from events already in memory; takes over `events` (malloc-ed). */
struct history *history_create(const struct trace *trace, struct event *events, uint32_t count);
/* The same for events with numbers of their own for variables, from 0 to `variables`. */
struct history *history_create_with(const struct trace *trace, struct event *events, uint32_t count,
                                    uint32_t variables);
void history_destroy(struct history *history);

/* All positions there are. */
static inline uint32_t history_total(const struct history *history)
{
    return history->count + history->wishes;
}

static inline uint32_t history_thread_length(const struct history *history, uint32_t thread)
{
    return history->first[thread + 1] - history->first[thread];
}

/* How many events of the thread come before `pos`. */
uint32_t history_count_before(const struct history *history, uint32_t thread, uint32_t pos);

static inline uint32_t history_pos(const struct history *history, uint32_t thread, uint32_t index)
{
    return history->positions[history->first[thread] + index];
}

#endif
