/* SPDX-License-Identifier: MIT */
/* The edges of the observed order that causally-precedes, its weaker sister and
 * must-before take as unbreakable, besides program order and whatever they make of
 * mutexes and plain accesses:
 *
 *   - join, and the meetings of meetings.h (fork is for the caller: one clock
 *     starts where another stands);
 *   - a release of a readers-writer lock before every later acquire it excludes;
 *   - conflicting atomic accesses, as volatile ones are treated by
 *     Sadowski (Appendix A, Figure 16.1);
 *   - the acquire of a lock before a try that failed because of it, and the failed
 *     try before the release.
 *
 * As with meetings, the caller's clocks are any that grow along program order and
 * along these edges. */
#ifndef PREPLAY_RELATIONS_HARD_EDGES_H
#define PREPLAY_RELATIONS_HARD_EDGES_H

#include "model/vclock.h"
#include "trace/event.h"

struct hard_edges;

struct hard_edges *hard_edges_create(void);
void hard_edges_destroy(struct hard_edges *edges);

/* The clock of a thread, for edges that start at whatever it did last; its own entry
 * is advanced where its next event must count as later. */
typedef struct vclock *hard_edges_moment(void *context, uint32_t thread);

/* Joins into `clock` the sources of the edges that end in the event; true if it
 * grew. Call it before hard_edges_leave() for the same event. */
bool hard_edges_arrive(struct hard_edges *edges, const struct event *event,
                       hard_edges_moment *moment, void *context, struct vclock *clock);
/* Keeps the event's moment; true if an edge may start here. */
bool hard_edges_leave(struct hard_edges *edges, const struct event *event,
                      const struct vclock *clock);

/* A section of a mutex, as against one of a readers-writer lock. */
static inline bool op_is_mutex(unsigned op)
{
    return op_in(op, OP_BIT(EVENT_ACQUIRE) | OP_BIT(EVENT_RELEASE) | OP_BIT(EVENT_WAIT_BEGIN) |
                         OP_BIT(EVENT_WAIT_END));
}

#endif
