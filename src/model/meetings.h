/* SPDX-License-Identifier: MIT */
/* Edges that no reordering may turn, between threads that meet other than by
 * locks and memory: barriers, semaphores, condition variables, once-blocks.
 *
 * The relations that predict (sync-preserving, causally-precedes and its weaker
 * sisters) argue about locks and accesses only. For everything else they need
 * edges that are strong enough that any sequence which keeps them is possible:
 *
 *   barrier     all who enter an instance before anyone leaves it, and before
 *               anyone enters the next instance
 *   semaphore   every earlier post before a wait; every earlier successful wait
 *               before one that failed
 *   condition   every signal or broadcast that found the thread waiting before the
 *               return of its wait
 *   once        the end before those who pass
 *
 * What a moment is, is up to the caller: any vector clock that grows along
 * program order. */
#ifndef PREPLAY_MODEL_MEETINGS_H
#define PREPLAY_MODEL_MEETINGS_H

#include "model/vclock.h"
#include "trace/event.h"

#define OPS_MEETING                                                                                \
    (OP_BIT(EVENT_BARRIER_ENTER) | OP_BIT(EVENT_BARRIER_EXIT) | OP_BIT(EVENT_POST) |               \
     OP_BIT(EVENT_SEM_WAIT) | OP_BIT(EVENT_WAIT_BEGIN) | OP_BIT(EVENT_WAIT_END) |                  \
     OP_BIT(EVENT_SIGNAL) | OP_BIT(EVENT_BROADCAST) | OP_BIT(EVENT_ONCE_END) |                     \
     OP_BIT(EVENT_ONCE_PASS))

struct meetings;

struct meetings *meetings_create(void);
void meetings_destroy(struct meetings *meetings);

/* Joins into `clock` what must come before the event; true if it grew. */
bool meetings_arrive(struct meetings *meetings, const struct event *event, struct vclock *clock);
/* Keeps the event's moment for those who meet it later; true if somebody may. */
bool meetings_leave(struct meetings *meetings, const struct event *event,
                    const struct vclock *clock);

#endif
