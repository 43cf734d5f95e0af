/* Sync-preserving races: the least set of events that must run before the two. */
#include "base/memory.h"
#include "reference/reference.h"

#include <stdlib.h>
#include <string.h>

struct closing {
    const struct history *history;
    const uint32_t *partners, *reads_from;
    struct relation meetings;
    bool *in;
};

static bool add(struct closing *closing, uint32_t pos)
{
    bool fresh = pos != POS_NONE && !closing->in[pos];
    if (fresh)
        closing->in[pos] = true;
    return fresh;
}

static bool excludes(const struct event *a, const struct event *b)
{
    return event_lock(a) == event_lock(b) &&
           !(a->op == EVENT_ACQUIRE_READ && b->op == EVENT_ACQUIRE_READ);
}

static bool is_failed_try(const struct event *event)
{
    return op_in(event->op, OPS_ACQUIRING) && !event_acquires(event);
}

/* The latest acquire that made the try fail. */
static uint32_t holder_of(const struct closing *closing, uint32_t try)
{
    const struct event *events = closing->history->events;
    for (uint32_t pos = try; pos-- > 0;)
        if (event_acquires(&events[pos]) && events[pos].thread != events[try].thread &&
            excludes(&events[pos], &events[try]) && closing->partners[pos] > try)
            return pos;
    return POS_NONE;
}

static bool add_needs(struct closing *closing, uint32_t pos)
{
    const struct history *history = closing->history;
    const struct event *event = &history->events[pos];
    bool grew = false;
    for (uint32_t other = 0; other < pos; other++) {
        const struct event *earlier = &history->events[other];
        if (earlier->thread == event->thread || related(&closing->meetings, other, pos))
            grew |= add(closing, other);
        if (event_acquires(earlier) && event_acquires(event) && earlier->thread != event->thread &&
            closing->in[other] && excludes(earlier, event))
            grew |= add(closing, closing->partners[other]);
    }
    if (event_reads(event))
        grew |= add(closing, closing->reads_from[pos]);
    if (is_failed_try(event))
        grew |= add(closing, holder_of(closing, pos));
    return grew;
}

static void add_past(struct closing *closing, uint32_t event)
{
    const struct history *history = closing->history;
    uint32_t thread = history->events[event].thread;
    for (uint32_t pos = 0; pos < event; pos++)
        if (history->events[pos].thread == thread)
            add(closing, pos);
    add(closing, history->fork_of[thread]);
}

static bool races(struct closing *closing, uint32_t a, uint32_t b)
{
    uint32_t count = closing->history->count;
    memset(closing->in, 0, count * sizeof *closing->in);
    add_past(closing, a);
    add_past(closing, b);
    for (bool again = true; again;) {
        again = false;
        for (uint32_t pos = 0; pos < count; pos++)
            if (closing->in[pos])
                again |= add_needs(closing, pos);
    }
    return !closing->in[a] && !closing->in[b];
}

void reference_syncp(const struct history *history, struct relation *out)
{
    uint32_t *partners = reference_partners(history);
    struct closing closing = {
        .history = history,
        .partners = partners,
        .reads_from = history->reads_from,
        .meetings = relation_create(history->count),
        .in = NEW_ARRAY(bool, history->count),
    };
    reference_add_meetings(history, &closing.meetings);
    for (uint32_t b = 0; b < history->count; b++)
        for (uint32_t a = 0; a < b; a++)
            if (event_conflict(&history->events[a], &history->events[b]) && races(&closing, a, b))
                relate(out, a, b);
    relation_free(&closing.meetings);
    free(closing.in);
    free(partners);
}
