/* SPDX-License-Identifier: MIT */
/* The scratch of one search. A question is answered over a set S of events that
 * every witness must contain: the first cut[t] events of each thread t. Some
 * pairs of events of S are ordered by force or by decision (edges). The
 * scheduler tries to execute S greedily within these orders; where it gets
 * stuck, a clause says which orders or additions a witness may have instead. */
#ifndef PREPLAY_SEARCH_STATE_H
#define PREPLAY_SEARCH_STATE_H

#include "base/array.h"
#include "search/index.h"
#include "search/walls.h"
#include "trace/condition.h"

/* A set of decision levels: on which decisions a conclusion rests. */
#define LEVELS_MAX 512
struct levels {
    uint64_t words[LEVELS_MAX / 64];
};

/* `before` must be executed before `after`. */
struct edge {
    uint32_t before, after;
    struct levels why;
};

/* One way out of a conflict: an order, or one more event in S. Both may be given;
 * an edge adds both of its events. */
struct option {
    uint32_t before, after; /* POS_NONE: no order */
    uint32_t include;       /* POS_NONE: nothing */
};

struct clause {
    struct options ARRAY_OF(struct option) options;
    struct levels why;
};

/* Why the next event of a thread may not be executed now. */
enum block {
    BLOCK_NONE,
    BLOCK_EVENT,  /* an event must come first */
    BLOCK_LOCK,   /* the lock is held */
    BLOCK_READER, /* a kept read of the present value is still to come */
    BLOCK_TRY,    /* a failed try, and the lock is free */
    BLOCK_COUNT,  /* the semaphore's count is wrong */
    BLOCK_SIGNAL, /* no signal for this wait */
    BLOCK_VALUE,  /* the read would return another value */
    BLOCK_NEVER,  /* what it must see was overwritten */
};

struct lock_now {
    uint32_t stamp;
    uint32_t owner; /* acquire of the exclusive section, or POS_NONE */
    uint32_t readers;
};

struct memory_now {
    uint32_t stamp;
    uint32_t last;    /* write, or POS_NONE */
    uint32_t pending; /* kept reads of it, in S, not yet executed */
};

struct count_now {
    uint32_t stamp;
    uint32_t count;
};

struct condition_now {
    uint32_t stamp;
    struct condition condition;
};

struct parked {
    uint32_t thread;
    enum block block;
    uint32_t what; /* the event, lock, variable, semaphore or condition */
};

struct search {
    const struct search_index *index;
    struct search_query query;
    const uint32_t *wanted; /* events that must have been executed as well */
    uint32_t wanted_count;
    const uint32_t *barred; /* events that must not be */
    uint32_t barred_count;
    uint64_t steps, limit;

    /* The set S. */
    bool with_partners; /* clocks with observed partners instead */
    bool by_clocks;     /* clocks.h says what is needed; else events are looked at */
    uint32_t *ceiling;  /* by thread: S never has more of it */
    bool *stays;        /* by thread: it stands at its ceiling in the end, and so has started */
    uint32_t *cut;
    uint32_t *scanned; /* by thread: events whose needs were added already */
    uint32_t *kept;    /* `branch`: reads among the first kept[t] are kept */
    uint32_t *kept_scanned;
    struct cone ARRAY_OF(uint32_t) cone; /* threads of which there may be more than nothing in the
                                            arrays above: few, of many that ever were */
    bool *in_cone;
    struct edges ARRAY_OF(struct edge) edges;
    uint8_t *has_edge; /* by pos: may be the `after` of an edge */
    struct marked ARRAY_OF(uint32_t) marked;
    /* Locks the stopped threads hold for good: their sections come last. */
    struct finals ARRAY_OF(uint32_t) finals;
    uint32_t waived[2]; /* events whose reads need not be kept */
    uint32_t last;      /* the event that comes last, or POS_NONE */
    uint32_t level;
    struct snapshots ARRAY_OF(uint32_t) snapshots; /* cut, scanned, kept, kept_scanned a level */
    struct edge_counts ARRAY_OF(uint32_t) edge_counts;

    /* The scheduler. */
    uint32_t stamp;
    uint32_t began;  /* the events before it, all in S, were executed as observed */
    uint32_t *begun; /* by thread: how many of them */
    uint32_t listed; /* order[i] is i below it */
    uint32_t *done;  /* by thread: events executed */
    uint32_t *order;
    uint32_t executed;
    uint32_t *heap; /* threads to try, least pos first */
    uint32_t heap_size;
    struct parked *parked;
    uint32_t parked_count;
    struct lock_now *locks;
    struct memory_now *memory;
    struct count_now *counts;  /* by semaphore */
    struct count_now *entered; /* by barrier instance */
    struct condition_now *conditions;

    struct by_plans *plans;    /* NULL: not needed so far */
    bool plans_only;           /* by_plans.h alone where it can */
    bool by_states;            /* visit.h alone */
    struct visit *visit;       /* visit.h; NULL until it is needed */
    const struct walls *walls; /* known before, or NULL */
    struct walls learned;
};

static inline void levels_add(struct levels *to, const struct levels *from)
{
    for (unsigned i = 0; i < LEVELS_MAX / 64; i++)
        to->words[i] |= from->words[i];
}

static inline void levels_set(struct levels *levels, uint32_t level)
{
    levels->words[level / 64] |= UINT64_C(1) << (level % 64);
}

static inline void levels_clear(struct levels *levels, uint32_t level)
{
    levels->words[level / 64] &= ~(UINT64_C(1) << (level % 64));
}

static inline bool levels_has(const struct levels *levels, uint32_t level)
{
    return levels->words[level / 64] >> (level % 64) & 1;
}

/* All levels up to `level`; level 0 holds whatever the decisions. */
static inline void levels_set_up_to(struct levels *levels, uint32_t level)
{
    for (uint32_t i = 1; i <= level; i++)
        levels_set(levels, i);
}

static inline bool in_set(const struct search *search, uint32_t pos)
{
    return search->index->history->index[pos] < search->cut[thread_at(search->index, pos)];
}

static inline bool was_executed(const struct search *search, uint32_t pos)
{
    return search->index->history->index[pos] < search->done[thread_at(search->index, pos)];
}

static inline void cone_add(struct search *search, uint32_t thread)
{
    if (!search->in_cone[thread])
        array_push(&search->cone, thread);
    search->in_cone[thread] = true;
}

/* Is the event excused from the rules of memory? */
static inline bool is_waived(const struct search *search, uint32_t pos)
{
    return pos == search->waived[0] || pos == search->waived[1];
}

/* Must the read at `pos` see the write it saw? A read that a branch depends on
 * must, even one that is excused. */
static inline bool is_bound(const struct search *search, uint32_t pos)
{
    const struct search_index *index = search->index;
    enum keep keep = index_keep(index, pos);
    if (keep == KEEP_NOT || keep == KEEP_VALUE)
        return false;
    if (keep == KEEP_WRITE && !is_waived(search, pos))
        return true;
    return index->history->index[pos] < search->kept[thread_at(index, pos)];
}

/* search.c: a new question; and a thread that stops before the event, for good. */
void search_begin(struct search *search, const struct search_query *query);
bool search_stop(struct search *search, uint32_t pos);

/* closure.c: S, and what must be in it. All return false if S would contain an
 * event that no witness of this question has. */
bool closure_include(struct search *search, uint32_t pos);
bool closure_order(struct search *search, uint32_t before, uint32_t after,
                   const struct levels *why);
bool closure_complete(struct search *search);
bool closure_has_order(const struct search *search, uint32_t before, uint32_t after);
/* section_order.c: adds what edges that end in critical sections ask of other sections. */
bool sections_follow(struct search *search);
/* counts.c: adds what semaphores and condition variables ask for by number. */
bool counts_suffice(struct search *search);
/* wakers.c: adds what the returns from waits in S ask of those who can still signal. */
bool wakers_suffice(struct search *search);
/* Adds what makes the observed order of S respect every lock: a section that
 * another of S follows is left. False if a stopped thread would have to. */
bool closure_preserve(struct search *search);
/* Does must-order, with the edges, say that the first comes before the second, or is it? */
bool closure_precedes(const struct search *search, uint32_t first, uint32_t second);
/* True if the edges contradict what comes before what in any case. */
bool closure_contradicts(const struct search *search);
/* The decisions because of which the event is in S. */
void closure_why(const struct search *search, uint32_t pos, struct levels *why);
void closure_push(struct search *search);
void closure_pop(struct search *search);

/* schedule.c: executes S; false if it got stuck before all of S was executed. */
bool schedule_run(struct search *search);
/* Executes S with everything else that was observed before the last of the question's events, as
 * far as the rules let it; false if not all of S came. */
bool schedule_go_on(struct search *search);
/* How many events it would have to execute: it begins where the observed order is left. */
uint64_t schedule_left(const struct search *search);
/* Takes the observed order of S, which must be known to be possible. */
void schedule_observed(struct search *search);
/* Why the event, next of its thread, is not executed; `what` as in struct parked. */
enum block schedule_blocked(const struct search *search, uint32_t pos, uint32_t *what);
/* One event at a time: nothing executed; a variable's value and whom a condition variable may wake;
 * and the event executed. */
void schedule_clear(struct search *search);
struct memory_now *schedule_memory(const struct search *search, uint32_t variable);
struct condition *schedule_condition(const struct search *search, uint32_t id);
void schedule_execute(struct search *search, uint32_t pos);

/* clause.c: what a witness may have that the stuck schedule does not. */
void clause_find(struct search *search, struct clause *clause);
/* The same for a schedule that executed all of S, but leaves no signal for the
 * target, a return from a wait. */
void clause_unwoken(struct search *search, uint32_t target, struct clause *clause);

/* order.c: the search itself. */
enum search_answer order_solve(struct search *search);
/* A target of a deadlock, a return from a wait, that has no signal where the schedule
 * ends; POS_NONE if there is none. */
uint32_t order_unwoken(const struct search *search);

#endif
