/* SPDX-License-Identifier: MIT */
/* Who waits for whom: why a thread cannot go on, and who could change that.
 *
 *   acquire               each thread that holds the lock must let go of it
 *   join                  the joined thread must end
 *   barrier               each party that has not entered yet must enter
 *   once                  the thread inside the block must leave it
 *   return from a wait    the same as an acquire, if a signal chose the thread; if not,
 *                         any thread that has a signal of the condition left may give it
 *   semaphore wait        any thread that has a post left may do it; of a semaphore that is
 *                         used as a lock, the thread that took it must post
 *
 * So a thread is stuck if one of those that must act is stuck, or if all of those that
 * may help are. A deadlock is a set of threads that are stuck because of each other. A
 * single thread is one if it waits for a signal and nobody has one left: a lost wake-up.
 * Tries end by themselves, and so do timed waits, but not their wish for the mutex.
 *
 * Who has what left is told by the recorded run: a thread of the set will never do it,
 * and of the others that it does no more than it did is what every model assumes. */
#ifndef PREPLAY_MODEL_BLOCKING_H
#define PREPLAY_MODEL_BLOCKING_H

#include "base/map.h"
#include "model/machine.h"

enum waiting {
    WAITING_NOT,    /* it may go on, or waits for nobody in particular */
    WAITING_ON_ONE, /* one that is stuck is enough */
    WAITING_ON_ALL, /* all of them must be stuck, and there may be none */
};

/* What the history tells once and for all. */
struct blocking {
    const struct history *history;
    bool *semaphore_locks; /* by semaphore, or NULL if there are none */
    struct map last_help;  /* (condition or semaphore, thread) -> its last help's index + 1 */
    struct map enters;     /* (barrier instance, thread) -> index */
    uint32_t *once_begin;  /* by once: pos, or POS_NONE */
    uint32_t *once_end;    /* by once: pos, or POS_NONE */
    uint32_t *previous;    /* by barrier instance: the one before, or POS_NONE */
};

/* Key of last_help: conditions and semaphores are numbered apart. */
static inline uint64_t blocking_help_key(bool condition, uint32_t object, uint32_t thread)
{
    return map_pair(object << 1 | condition, thread);
}

struct blocking *blocking_create(const struct rules *rules);
void blocking_destroy(struct blocking *blocking);

/* How the event, its thread's next, waits; `chosen` matters to returns from waits only: a
 * signal has chosen the thread. WAITING_NOT if it may be executed. */
enum waiting blocking_kind(const struct blocking *blocking, const struct machine *machine,
                           uint32_t pos, bool chosen);
/* Is `thread` one of those that the event waits for? */
bool blocking_by(const struct blocking *blocking, const struct machine *machine, uint32_t pos,
                 bool chosen, uint32_t thread);

/* Do the events, each the next of its thread, make a deadlock, and no part of them does?
 * Whom signals chose is left
 * open by the machine: any choice that makes it one will do. */
bool blocking_deadlock(const struct blocking *blocking, const struct machine *machine,
                       const uint32_t *events, uint32_t count);

/* Calls `found` for every set of which blocking_deadlock() is true, among the next events of all
 * threads that lie before `to`; perhaps twice for the same. False if too many wait to tell. */
typedef void blocking_found(void *context, const uint32_t *events, uint32_t count);
bool blocking_each_deadlock(const struct blocking *blocking, const struct machine *machine,
                            uint32_t to, blocking_found *found, void *context);

#endif
