/* SPDX-License-Identifier: MIT */
/* What never changes while one history is searched under one model. */
#ifndef PREPLAY_SEARCH_INDEX_H
#define PREPLAY_SEARCH_INDEX_H

#include "base/array.h"
#include "base/map.h"
#include "model/machine.h"
#include "search/by_plans.h"
#include "search/past_states.h"
#include "search/search.h"

#include <pthread.h>
#include <stdatomic.h>

/* How a reading event is bound to what it saw. */
enum keep {
    KEEP_NOT,    /* it may see anything (or it does not read) */
    KEEP_WRITE,  /* the same write */
    KEEP_VALUE,  /* the same value */
    KEEP_BRANCH, /* the same write, once a branch or a kept read depends on it */
};

/* A lock that a thread holds, innermost first; lists share their tails. */
struct held {
    uint32_t acquire; /* pos */
    uint32_t next;    /* node, HELD_NONE at the end */
};
#define HELD_NONE 0

/* Lists of events, by key: items[start[key] .. start[key + 1]). */
struct event_lists {
    uint32_t *start, *items;
};

/* From event `index` of a thread on, the locks it holds. */
struct held_change {
    uint32_t index, node;
};
struct held_changes ARRAY_OF(struct held_change);

/* What not every question needs, and what takes a pass over the whole trace: it is made
 * when somebody asks for it, whoever comes first. */
enum index_part {
    INDEX_CLOCKS = 1 << 0,
    INDEX_PARTNER_CLOCKS = 1 << 1,
    INDEX_READERS = 1 << 2, /* readers and initial */
    INDEX_HELD = 1 << 3,
    INDEX_RELEVANT = 1 << 4,
    INDEX_WRITES = 1 << 5,
};
struct index_parts {
    pthread_mutex_t lock;
    _Atomic unsigned made;         /* enum index_part, or-ed */
    struct clocks *clocks;         /* NULL where they would need too much memory */
    struct clocks *partner_clocks; /* with observed partners as well; NULL without has_states */
    struct event_lists readers;    /* by write: reads bound to it, ascending */
    struct event_lists initial;    /* by variable: reads bound to the initial value */
    struct event_lists writes;     /* by variable */
    uint32_t *held;                /* by pos: locks held by the thread before the event */
    uint8_t *relevance;            /* by variable: relevant_variables.h; NULL if it is not known */
};

struct search_index {
    const struct history *history;
    struct rules *rules;
    enum model model;
    bool has_failed_tries;
    /* Condition variables, semaphores, failed tries or kept values: whether an event may come next
     * is more than a matter of what came before it and of the locks. */
    bool has_states;
    uint8_t keeps[EVENT_COUNT][2]; /* by operation, and whether there is a value: enum keep */
    uint32_t *before;   /* by pos, of joins and passed onces: the last event of the joined thread,
                         * the end of the once; index_before() for all */
    uint32_t *partner;  /* by pos, of what acquires and releases: the release of an acquire and the
                         * reverse, or POS_NONE */
    struct held *nodes; /* of locks held */
    struct held_changes *held;   /* by thread */
    struct event_lists enters;   /* by barrier instance */
    struct event_lists sections; /* by slot: successful acquires of one lock by one thread */
    uint32_t *observed_partners; /* by pos, of synchronisation; NULL without has_states */
    struct past_states *past;    /* NULL without has_states */
    struct plans_index *plans;   /* for by_plans.h */
    struct map slots;            /* (lock, thread) -> slot + 1 */
    struct event_lists stateful; /* by thread: operations of semaphores and conditions */
    struct event_lists users;    /* by lock: threads that acquire it */
    struct index_parts *parts;
};

void index_make(const struct search_index *index, enum index_part part);

static inline const struct index_parts *index_with(const struct search_index *index,
                                                   enum index_part part)
{
    if (!(atomic_load_explicit(&index->parts->made, memory_order_acquire) & part))
        index_make(index, part);
    return index->parts;
}

static inline const struct clocks *index_clocks(const struct search_index *index)
{
    return index_with(index, INDEX_CLOCKS)->clocks;
}

static inline const struct event *event_at(const struct search_index *index, uint32_t pos)
{
    return &index->history->events[pos];
}

static inline uint32_t thread_at(const struct search_index *index, uint32_t pos)
{
    return index->history->events[pos].thread;
}

static inline enum keep index_keep(const struct search_index *index, uint32_t pos)
{
    const struct event *event = event_at(index, pos);
    return (enum keep)index->keeps[event->op][!!(event->flags & EVENT_HAS_VALUE)];
}

/* An event that must come first, or POS_NONE: the write of a kept read, the last event of
 * a joined thread, the end of a once. */
static inline uint32_t index_before(const struct search_index *index, uint32_t pos)
{
    unsigned op = event_at(index, pos)->op;
    if (op_in(op, OP_BIT(EVENT_JOIN) | OP_BIT(EVENT_ONCE_PASS)))
        return index->before[pos];
    enum keep keep = index_keep(index, pos);
    return keep == KEEP_WRITE || keep == KEEP_BRANCH ? index->rules->reads_from[pos] : POS_NONE;
}

/* What the event had in the observed run, as observed_partners.c says. */
static inline uint32_t index_observed_partner(const struct search_index *index, uint32_t pos)
{
    unsigned op = event_at(index, pos)->op;
    if (op_in(op, OPS_SYNC & ~OPS_ACCESS))
        return index->observed_partners[pos];
    return index_keep(index, pos) == KEEP_VALUE ? index->rules->reads_from[pos] : POS_NONE;
}

/* Locks that the thread holds before its event number `number`: a node. */
uint32_t index_held_before(const struct search_index *index, uint32_t thread, uint32_t number);

static inline uint32_t index_held(const struct search_index *index, uint32_t pos)
{
    return index_held_before(index, thread_at(index, pos), index->history->index[pos]);
}

/* Do two sections of one lock exclude each other? */
static inline bool sections_exclude(const struct event *a, const struct event *b)
{
    return a->op != EVENT_ACQUIRE_READ || b->op != EVENT_ACQUIRE_READ;
}

/* observed_partners.c: fills `observed_partners`. */
void index_find_observed_partners(struct search_index *index);

/* The last section of `lock` in `thread` that begins before the thread's event
 * number `limit` and excludes `acquire`; POS_NONE if there is none. */
uint32_t index_last_section(const struct search_index *index, uint32_t lock, uint32_t thread,
                            uint32_t limit, const struct event *acquire);

#endif
