/* What never changes while one history is searched under one model. */
#ifndef PREPLAY_SEARCH_INDEX_H
#define PREPLAY_SEARCH_INDEX_H

#include "base/map.h"
#include "model/machine.h"
#include "search/by_values.h"
#include "search/search.h"

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

struct search_index {
    const struct history *history;
    struct rules *rules;
    enum model model;
    bool has_failed_tries;
    /* Condition variables, semaphores, failed tries or kept values: whether an event may come next
     * is more than a matter of what came before it and of the locks. */
    bool has_states;
    uint8_t *keep;      /* by pos: enum keep */
    uint32_t *before;   /* by pos: an event that must come first, or POS_NONE: the write of a
                         * kept read, the last event of a joined thread, the end of a once */
    uint32_t *partner;  /* by pos: the release of an acquire and the reverse, or POS_NONE */
    uint32_t *held;     /* by pos: locks held by the thread before the event */
    struct held *nodes; /* of `held` */
    struct event_lists readers;  /* by write: reads bound to it, ascending */
    struct event_lists initial;  /* by variable: reads bound to the initial value */
    struct event_lists enters;   /* by barrier instance */
    struct event_lists sections; /* by slot: successful acquires of one lock by one thread */
    uint32_t *soft;              /* by pos: soft.c; NULL without has_states */
    struct clocks *soft_clocks;  /* with these as well; NULL without */
    struct clocks *clocks;       /* NULL where they would need too much memory */
    struct values_index *values; /* under `value`, else NULL */
    struct map slots;            /* (lock, thread) -> slot + 1 */
    uint32_t *held_last;         /* by thread: locks held after its last event */
    struct event_lists stateful; /* by thread: operations of semaphores and conditions */
    struct event_lists users;    /* by lock: threads that acquire it */
};

static inline const struct event *event_at(const struct search_index *index, uint32_t pos)
{
    return &index->history->events[pos];
}

static inline uint32_t thread_at(const struct search_index *index, uint32_t pos)
{
    return index->history->events[pos].thread;
}

/* Do two sections of one lock exclude each other? */
static inline bool sections_exclude(const struct event *a, const struct event *b)
{
    return a->op != EVENT_ACQUIRE_READ || b->op != EVENT_ACQUIRE_READ;
}

/* soft.c: fills `soft`. */
void index_find_soft(struct search_index *index);

/* The last section of `lock` in `thread` that begins before the thread's event
 * number `limit` and excludes `acquire`; POS_NONE if there is none. */
uint32_t index_last_section(const struct search_index *index, uint32_t lock, uint32_t thread,
                            uint32_t limit, const struct event *acquire);

#endif
