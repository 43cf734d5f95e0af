#include "reference/reference.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

struct relation relation_create(uint32_t count)
{
    return (struct relation){count, NEW_ARRAY(uint8_t, (size_t)count * count)};
}

void relation_free(struct relation *relation)
{
    free(relation->before);
}

void relation_close(struct relation *relation)
{
    for (uint32_t via = 0; via < relation->count; via++)
        for (uint32_t a = 0; a < relation->count; a++)
            if (related(relation, a, via))
                for (uint32_t b = 0; b < relation->count; b++)
                    if (related(relation, via, b))
                        relate(relation, a, b);
}

uint32_t *reference_partners(const struct history *history)
{
    uint32_t *partners = memory_alloc(history->count, sizeof *partners);
    memset(partners, 0xff, history->count * sizeof *partners);
    for (uint32_t a = 0; a < history->count; a++) {
        const struct event *acquire = &history->events[a];
        for (uint32_t b = a + 1; event_acquires(acquire) && b < history->count; b++) {
            const struct event *release = &history->events[b];
            if (release->thread != acquire->thread || !event_releases(release) ||
                event_lock(release) != event_lock(acquire))
                continue;
            partners[a] = b;
            partners[b] = a;
            break;
        }
    }
    return partners;
}

bool reference_is_mutex(const struct event *event)
{
    return event->op == EVENT_ACQUIRE || event->op == EVENT_RELEASE ||
           event->op == EVENT_WAIT_BEGIN || event->op == EVENT_WAIT_END;
}

static bool signals(const struct event *event)
{
    return event->op == EVENT_SIGNAL || event->op == EVENT_BROADCAST;
}

static uint32_t wait_begin_of(const struct history *history, uint32_t end)
{
    const struct event *woken = &history->events[end];
    for (uint32_t pos = end; pos-- > 0;)
        if (history->events[pos].thread == woken->thread &&
            history->events[pos].op == EVENT_WAIT_BEGIN)
            return pos;
    return POS_NONE;
}

/* The instance of the barrier before the one entered at `enter`, or POS_NONE. */
static uint32_t instance_before(const struct history *history, uint32_t enter)
{
    const struct event *event = &history->events[enter];
    for (uint32_t pos = enter; pos-- > 0;) {
        const struct event *other = &history->events[pos];
        if (other->op == EVENT_BARRIER_ENTER && other->object == event->object &&
            other->other != event->other)
            return other->other;
    }
    return POS_NONE;
}

static bool meets(const struct history *history, uint32_t from, uint32_t to)
{
    const struct event *a = &history->events[from], *b = &history->events[to];
    bool failed = b->flags & EVENT_FAILED;
    if (b->op == EVENT_JOIN)
        return a->thread == b->object || (a->op == EVENT_FORK && a->object == b->object);
    if (a->op == EVENT_FORK)
        return b->thread == a->object;
    if (b->op == EVENT_BARRIER_EXIT)
        return a->op == EVENT_BARRIER_ENTER && a->other == b->other;
    if (b->op == EVENT_BARRIER_ENTER)
        return a->op == EVENT_BARRIER_ENTER && a->other == instance_before(history, to);
    if (a->object != b->object)
        return false;
    if (b->op == EVENT_SEM_WAIT && failed)
        return a->op == EVENT_SEM_WAIT && !(a->flags & EVENT_FAILED);
    if (b->op == EVENT_SEM_WAIT)
        return a->op == EVENT_POST;
    if (b->op == EVENT_WAIT_END)
        return !failed && signals(a) && from > wait_begin_of(history, to);
    return b->op == EVENT_ONCE_PASS && a->op == EVENT_ONCE_END;
}

void reference_add_meetings(const struct history *history, struct relation *relation)
{
    for (uint32_t b = 0; b < history->count; b++)
        for (uint32_t a = 0; a < b; a++)
            if (meets(history, a, b))
                relate(relation, a, b);
}

static bool excludes(const struct event *a, const struct event *b)
{
    bool shared_a = a->op == EVENT_ACQUIRE_READ || a->op == EVENT_RELEASE_READ;
    bool shared_b = b->op == EVENT_ACQUIRE_READ || b->op == EVENT_RELEASE_READ;
    return event_lock(a) == event_lock(b) && !(shared_a && shared_b);
}

static bool is_failed_try(const struct event *event)
{
    return op_in(event->op, OPS_ACQUIRING) && !event_acquires(event);
}

static bool hard(const struct history *history, const uint32_t *partners, uint32_t from,
                 uint32_t to)
{
    const struct event *a = &history->events[from], *b = &history->events[to];
    if (op_in(a->op, OPS_ATOMIC) && op_in(b->op, OPS_ATOMIC))
        return a->object == b->object && (event_writes(a) || event_writes(b));
    if (event_releases(a) && event_acquires(b))
        return excludes(a, b) && !(reference_is_mutex(a) && reference_is_mutex(b));
    if (is_failed_try(b) && event_acquires(a)) /* it made the try fail */
        return excludes(a, b) && partners[from] > to;
    if (is_failed_try(a) && event_releases(b))
        return excludes(a, b) && partners[to] < from;
    return false;
}

void reference_add_hard(const struct history *history, struct relation *relation)
{
    uint32_t *partners = reference_partners(history);
    reference_add_meetings(history, relation);
    for (uint32_t b = 0; b < history->count; b++)
        for (uint32_t a = 0; a < b; a++)
            if (history->events[a].thread != history->events[b].thread &&
                hard(history, partners, a, b))
                relate(relation, a, b);
    free(partners);
}
