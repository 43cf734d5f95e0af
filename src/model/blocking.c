/* SPDX-License-Identifier: MIT */
#include "model/blocking.h"

#include "base/memory.h"
#include "model/semaphore_locks.h"

#include <stdlib.h>
#include <string.h>

enum {
    KNOT_MAX = 16, /* events of a deadlock that is more than a cycle */
    EACH_MAX = 10, /* events of which all deadlocks are found */
};

static uint64_t help_key(const struct event *event, uint32_t thread)
{
    return blocking_help_key(event_object_class(event->op) == CLASS_CONDITION, event->object,
                             thread);
}

static void note(struct blocking *blocking, const struct event *event, uint32_t pos)
{
    uint32_t index = blocking->history->index[pos];
    switch (event->op) {
    case EVENT_POST:
    case EVENT_SIGNAL:
    case EVENT_BROADCAST:
        *map_at(&blocking->last_help, help_key(event, event->thread), NULL) = index + 1;
        break;
    case EVENT_BARRIER_ENTER:
        *map_at(&blocking->enters, map_pair(event->other, event->thread), NULL) = index;
        break;
    case EVENT_ONCE_BEGIN:
        blocking->once_begin[event->object] = pos;
        break;
    case EVENT_ONCE_END:
        blocking->once_end[event->object] = pos;
        break;
    default:
        break;
    }
}

struct blocking *blocking_create(const struct rules *rules)
{
    const struct history *history = rules->history;
    struct blocking *blocking = NEW(struct blocking);
    uint32_t onces = trace_count(history->trace, CLASS_ONCE);
    blocking->history = history;
    blocking->previous = rules->previous_instance;
    blocking->semaphore_locks = semaphore_locks(history);
    blocking->once_begin = memory_alloc(onces, sizeof(uint32_t));
    blocking->once_end = memory_alloc(onces, sizeof(uint32_t));
    memset(blocking->once_begin, 0xff, onces * sizeof(uint32_t));
    memset(blocking->once_end, 0xff, onces * sizeof(uint32_t));
    for (uint32_t pos = 0; pos < history->count; pos++)
        if (op_in(history->events[pos].op, OPS_SYNC))
            note(blocking, &history->events[pos], pos);
    return blocking;
}

void blocking_destroy(struct blocking *blocking)
{
    if (!blocking)
        return;
    map_free(&blocking->last_help);
    map_free(&blocking->enters);
    free(blocking->semaphore_locks);
    free(blocking->once_begin);
    free(blocking->once_end);
    free(blocking);
}

static bool is_lock(const struct blocking *blocking, uint32_t semaphore)
{
    return blocking->semaphore_locks && blocking->semaphore_locks[semaphore];
}

static enum waiting if_rule(const struct machine *machine, uint32_t pos, enum rule rule)
{
    return machine_forbids_sync(machine, pos) == rule ? WAITING_ON_ONE : WAITING_NOT;
}

static enum waiting waits_to_return(const struct machine *machine, uint32_t pos,
                                    const struct event *event, bool chosen)
{
    if (chosen || event->flags & EVENT_FAILED)
        return if_rule(machine, pos, RULE_LOCK_HELD);
    return event->flags & EVENT_TRY ? WAITING_NOT : WAITING_ON_ALL;
}

enum waiting blocking_kind(const struct blocking *blocking, const struct machine *machine,
                           uint32_t pos, bool chosen)
{
    const struct event *event = &blocking->history->events[pos];
    if (event->op == EVENT_WAIT_END)
        return waits_to_return(machine, pos, event, chosen);
    if (event->flags & (EVENT_TRY | EVENT_FAILED))
        return WAITING_NOT;
    switch (event->op) {
    case EVENT_ACQUIRE:
    case EVENT_ACQUIRE_READ:
    case EVENT_ACQUIRE_WRITE:
        return if_rule(machine, pos, RULE_LOCK_HELD);
    case EVENT_JOIN:
        return if_rule(machine, pos, RULE_JOIN);
    case EVENT_BARRIER_ENTER:
    case EVENT_BARRIER_EXIT:
        return if_rule(machine, pos, RULE_BARRIER);
    case EVENT_ONCE_PASS:
        return if_rule(machine, pos, RULE_ONCE);
    case EVENT_SEM_WAIT:
        if (machine_forbids_sync(machine, pos) != RULE_SEMAPHORE)
            return WAITING_NOT;
        return is_lock(blocking, event->object) ? WAITING_ON_ONE : WAITING_ON_ALL;
    default:
        return WAITING_NOT;
    }
}

/* How many events the thread has executed. */
static uint32_t done(const struct blocking *blocking, const struct machine *machine,
                     uint32_t thread)
{
    uint32_t next = machine_next(machine, thread);
    return next == POS_NONE ? history_thread_length(blocking->history, thread)
                            : blocking->history->index[next];
}

/* The semaphore is the thread's, which has not ended with it. */
static bool has_taken(const struct blocking *blocking, const struct machine *machine,
                      uint32_t thread, uint32_t semaphore)
{
    uint32_t next = machine_next(machine, thread);
    return next != POS_NONE && semaphore_held_before(blocking->history, next, semaphore);
}

bool blocking_by(const struct blocking *blocking, const struct machine *machine, uint32_t pos,
                 bool chosen, uint32_t thread)
{
    const struct event *event = &blocking->history->events[pos];
    const uint64_t *place;
    if (thread == event->thread)
        return false;
    switch (event->op) {
    case EVENT_JOIN:
        return event->object == thread;
    case EVENT_BARRIER_ENTER:
    case EVENT_BARRIER_EXIT:
        place = map_find(&blocking->enters, map_pair(event->op == EVENT_BARRIER_EXIT
                                                         ? event->other
                                                         : blocking->previous[event->other],
                                                     thread));
        return place && *place >= done(blocking, machine, thread);
    case EVENT_ONCE_PASS:
        return blocking->once_begin[event->object] != POS_NONE &&
               blocking->history->events[blocking->once_begin[event->object]].thread == thread &&
               machine_executed(machine, blocking->once_begin[event->object]);
    case EVENT_SEM_WAIT:
        if (is_lock(blocking, event->object))
            return has_taken(blocking, machine, thread, event->object);
        break;
    case EVENT_WAIT_END:
        if (chosen || event->flags & EVENT_FAILED)
            return machine_blocked_by(machine, pos, thread);
        break;
    case EVENT_ACQUIRE:
    case EVENT_ACQUIRE_READ:
    case EVENT_ACQUIRE_WRITE:
        return machine_blocked_by(machine, pos, thread);
    default:
        return false; /* it waits for nobody */
    }
    place = map_find(&blocking->last_help, help_key(event, thread));
    return place && *place > done(blocking, machine, thread);
}

/* Events, each the next of its thread, and for whom each waits: `others` are events of
 * the set, `outside` says that somebody else could help. */
struct knot {
    uint32_t count;
    struct {
        enum waiting waiting;
        uint32_t others;
        bool outside;
    } events[KNOT_MAX];
};

static void look_at(const struct blocking *blocking, const struct machine *machine,
                    const uint32_t *events, uint32_t at, bool chosen, struct knot *knot)
{
    const struct history *history = blocking->history;
    uint32_t others = 0, among = 0;
    for (uint32_t i = 0; i < knot->count; i++)
        if (blocking_by(blocking, machine, events[at], chosen, history->events[events[i]].thread))
            others |= 1u << i;
    knot->events[at].waiting = blocking_kind(blocking, machine, events[at], chosen);
    knot->events[at].others = others;
    knot->events[at].outside = false;
    if (knot->events[at].waiting != WAITING_ON_ALL)
        return;
    for (uint32_t thread = 0; thread < history->threads; thread++)
        among += blocking_by(blocking, machine, events[at], chosen, thread);
    knot->events[at].outside = among > (uint32_t)__builtin_popcount(others);
}

/* All of the set are stuck if all of them are. */
static bool is_stuck(const struct knot *knot, uint32_t set)
{
    for (uint32_t left = set; left; left &= left - 1) {
        uint32_t at = (uint32_t)__builtin_ctz(left), others = knot->events[at].others;
        if (knot->events[at].waiting == WAITING_NOT || knot->events[at].outside ||
            (knot->events[at].waiting == WAITING_ON_ALL ? others & ~set : !(others & set)))
            return false;
    }
    return true;
}

static bool is_minimal(const struct knot *knot)
{
    uint32_t all = (1u << knot->count) - 1;
    for (uint32_t set = (all - 1) & all; set; set = (set - 1) & all)
        if (is_stuck(knot, set))
            return false;
    return true;
}

/* Returns from waits, which a signal may have chosen. */
struct returns {
    uint32_t events[KNOT_MAX], count;
};

static void find_returns(const struct blocking *blocking, const uint32_t *events, uint32_t count,
                         struct returns *returns)
{
    returns->count = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct event *event = &blocking->history->events[events[i]];
        if (event->op == EVENT_WAIT_END && !(event->flags & EVENT_FAILED))
            returns->events[returns->count++] = events[i];
    }
}

/* Looks at the events as they wait if signals chose these of the returns; false if they
 * cannot have. */
static bool tie(const struct blocking *blocking, const struct machine *machine,
                const uint32_t *events, const struct returns *returns, uint32_t choice,
                struct knot *knot)
{
    if (!machine_may_choose(machine, returns->events, returns->count, choice))
        return false;
    for (uint32_t at = 0; at < knot->count; at++) {
        bool chosen = false;
        for (uint32_t i = 0; i < returns->count; i++)
            chosen |= returns->events[i] == events[at] && choice >> i & 1;
        look_at(blocking, machine, events, at, chosen, knot);
    }
    return true;
}

bool blocking_deadlock(const struct blocking *blocking, const struct machine *machine,
                       const uint32_t *events, uint32_t count)
{
    struct returns returns;
    struct knot knot = {.count = count};
    if (count > KNOT_MAX)
        return false;
    find_returns(blocking, events, count, &returns);
    for (uint32_t choice = 0; choice < 1u << returns.count; choice++)
        if (tie(blocking, machine, events, &returns, choice, &knot) &&
            is_stuck(&knot, (1u << count) - 1) && is_minimal(&knot))
            return true;
    return false;
}

/* The largest set whose threads are stuck if all of them are. */
static uint32_t largest_stuck(const struct knot *knot)
{
    uint32_t set = (1u << knot->count) - 1, before;
    do {
        before = set;
        for (uint32_t left = set; left; left &= left - 1) {
            uint32_t at = (uint32_t)__builtin_ctz(left), others = knot->events[at].others;
            if (knot->events[at].waiting == WAITING_NOT || knot->events[at].outside ||
                (knot->events[at].waiting == WAITING_ON_ALL ? others & ~set : !(others & set)))
                set &= ~(1u << at);
        }
    } while (set != before);
    return set;
}

struct each {
    const uint32_t *events;
    blocking_found *found;
    void *context;
};

/* A part of a set has a smaller number than the set: smallest ones come before those that they
 * are part of. */
static void find_smallest(const struct knot *knot, const struct each *each)
{
    uint32_t smallest[1u << EACH_MAX], count = 0, all = largest_stuck(knot);
    for (uint32_t set = all & -all; set; set = (set - all) & all) {
        bool smaller = false;
        for (uint32_t i = 0; i < count && !smaller; i++)
            smaller = !(smallest[i] & ~set);
        if (smaller || !is_stuck(knot, set))
            continue;
        smallest[count++] = set;
        uint32_t events[EACH_MAX], members = 0;
        for (uint32_t left = set; left; left &= left - 1)
            events[members++] = each->events[__builtin_ctz(left)];
        each->found(each->context, events, members);
    }
}

bool blocking_each_deadlock(const struct blocking *blocking, const struct machine *machine,
                            uint32_t to, blocking_found *found, void *context)
{
    uint32_t events[EACH_MAX], count = 0;
    struct each each = {events, found, context};
    struct returns returns;
    for (uint32_t thread = 0; thread < blocking->history->threads; thread++) {
        uint32_t pos = machine_next(machine, thread);
        if (pos >= to || machine_forbids_sync(machine, pos) == RULE_FORK ||
            (blocking_kind(blocking, machine, pos, false) == WAITING_NOT &&
             blocking_kind(blocking, machine, pos, true) == WAITING_NOT))
            continue;
        if (count == EACH_MAX)
            return false;
        events[count++] = pos;
    }
    if (!count)
        return true;
    struct knot knot = {.count = count};
    find_returns(blocking, events, count, &returns);
    for (uint32_t choice = 0; choice < 1u << returns.count; choice++)
        if (tie(blocking, machine, events, &returns, choice, &knot))
            find_smallest(&knot, &each);
    return true;
}
