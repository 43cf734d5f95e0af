#include "oracle/reference_hb.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

struct reference {
    const struct history *history;
    size_t words;
    uint64_t *before;  /* row j: the events that happen before j */
    uint64_t *arrived; /* row j: the same without what j itself acquires */
};

static uint64_t *row(const struct reference *reference, uint32_t pos)
{
    return reference->before + pos * reference->words;
}

static bool in(const uint64_t *set, uint32_t pos)
{
    return set[pos / 64] >> (pos % 64) & 1;
}

bool reference_ordered(const struct reference *reference, uint32_t i, uint32_t j)
{
    return in(row(reference, j), i);
}

bool reference_races(const struct reference *reference, uint32_t i, uint32_t j)
{
    const struct event *events = reference->history->events;
    return event_conflict(&events[i], &events[j]) &&
           !in(reference->arrived + j * reference->words, i);
}

static void order(struct reference *reference, uint32_t i, uint32_t j)
{
    if (reference_ordered(reference, i, j))
        return;
    for (size_t word = 0; word < reference->words; word++)
        row(reference, j)[word] |= row(reference, i)[word];
    row(reference, j)[i / 64] |= UINT64_C(1) << (i % 64);
}

static bool failed(const struct event *event)
{
    return event->flags & EVENT_FAILED;
}

/* The last event of the same thread and condition before `pos`: its wait_begin. */
static uint32_t begin_of_wait(const struct history *history, uint32_t pos)
{
    const struct event *end = &history->events[pos];
    uint32_t begin = pos;
    while (begin-- > 0)
        if (history->events[begin].thread == end->thread)
            break;
    return begin;
}

/* Did the thread of event `i`, which acquires, still hold the lock at `j`? */
static bool still_held(const struct history *history, uint32_t i, uint32_t j)
{
    const struct event *acquire = &history->events[i];
    for (uint32_t pos = i + 1; pos < j; pos++) {
        const struct event *event = &history->events[pos];
        if (event->thread == acquire->thread && event_releases(event) &&
            event_lock(event) == event_lock(acquire))
            return false;
    }
    return true;
}

/* A failed try comes after the acquires of the holders. */
static bool holder_before_try(const struct history *history, uint32_t i, uint32_t j)
{
    const struct event *acquire = &history->events[i];
    return event_acquires(acquire) && event_lock(acquire) == history->events[j].object &&
           still_held(history, i, j);
}

static bool tied_by_lock(const struct history *history, uint32_t i, uint32_t j)
{
    const struct event *a = &history->events[i], *b = &history->events[j];
    if (!op_in(b->op, OPS_ACQUIRING))
        return false;
    if (failed(b) && b->op != EVENT_WAIT_END)
        return holder_before_try(history, i, j);
    if (!event_releases(a) || event_lock(a) != event_lock(b))
        return false;
    return !(a->op == EVENT_RELEASE_READ && b->op == EVENT_ACQUIRE_READ);
}

static bool previous_instance(const struct history *history, uint32_t i, uint32_t j)
{
    const struct event *a = &history->events[i], *b = &history->events[j];
    for (uint32_t pos = j; pos-- > 0;) {
        const struct event *between = &history->events[pos];
        if (between->op == EVENT_BARRIER_ENTER && between->object == b->object &&
            between->other != b->other)
            return between->other == a->other;
    }
    return false;
}

static bool tied_by_object(const struct history *history, uint32_t i, uint32_t j)
{
    const struct event *a = &history->events[i], *b = &history->events[j];
    if (a->object != b->object)
        return false;
    switch (b->op) {
    case EVENT_WAIT_END:
        return (a->op == EVENT_SIGNAL || a->op == EVENT_BROADCAST) && !failed(b) &&
               i > begin_of_wait(history, j);
    case EVENT_SEM_WAIT:
        return failed(b) ? a->op == EVENT_SEM_WAIT && !failed(a) : a->op == EVENT_POST;
    case EVENT_BARRIER_EXIT:
        return a->op == EVENT_BARRIER_ENTER && a->other == b->other;
    case EVENT_BARRIER_ENTER:
        return a->op == EVENT_BARRIER_ENTER && previous_instance(history, i, j);
    case EVENT_ONCE_PASS:
        return a->op == EVENT_ONCE_END;
    default:
        return false;
    }
}

static bool is_release(const struct event *event)
{
    return event->order >= ORDER_RELEASE;
}

static bool is_acquire(const struct event *event)
{
    return event->order != ORDER_RELAXED && event->order != ORDER_RELEASE;
}

/* Does the release at `i` (a write, or a fence before one) synchronise with a
 * load at `j`? Walks back the release sequence that the load saw. */
static bool released_to(const struct history *history, uint32_t i, uint32_t j)
{
    const struct event *source = &history->events[i];
    for (uint32_t pos = j; pos-- > 0;) {
        const struct event *write = &history->events[pos];
        if (!event_writes(write) || write->object != history->events[j].object)
            continue;
        if (write->op == EVENT_WRITE)
            return false;
        if (pos == i)
            return is_release(write);
        if (source->op == EVENT_FENCE && source->thread == write->thread && i < pos)
            return is_release(source);
        if (write->op == EVENT_ATOMIC_STORE)
            return false;
    }
    return false;
}

static bool loads(const struct event *event)
{
    return op_in(event->op, OPS_ATOMIC) && event_reads(event);
}

/* An acquire fence does late what the relaxed loads before it did not do. */
static bool tied_by_c11(const struct history *history, uint32_t i, uint32_t j)
{
    const struct event *b = &history->events[j];
    if (!is_acquire(b))
        return false;
    if (loads(b))
        return released_to(history, i, j);
    for (uint32_t pos = i + 1; b->op == EVENT_FENCE && pos < j; pos++)
        if (history->events[pos].thread == b->thread && loads(&history->events[pos]) &&
            released_to(history, i, pos))
            return true;
    return false;
}

static bool tied_by_last_write(const struct history *history, uint32_t i, uint32_t j)
{
    uint32_t object = history->events[j].object;
    if (!loads(&history->events[j]))
        return false;
    for (uint32_t pos = j; pos-- > 0;)
        if (event_writes(&history->events[pos]) && history->events[pos].object == object)
            return pos == i;
    return false;
}

static bool tied(const struct history *history, uint32_t i, uint32_t j)
{
    const struct event *a = &history->events[i], *b = &history->events[j];
    if (a->thread == b->thread || (a->op == EVENT_FORK && a->object == b->thread))
        return true;
    if (b->op == EVENT_JOIN)
        return b->object == a->thread || (a->op == EVENT_FORK && a->object == b->object);
    return tied_by_lock(history, i, j) || tied_by_object(history, i, j);
}

static bool tied_by_atomics(const struct history *history, enum reference_atomics atomics,
                            uint32_t i, uint32_t j)
{
    return atomics == REFERENCE_C11 ? tied_by_c11(history, i, j)
                                    : tied_by_last_write(history, i, j);
}

struct reference *reference_create(const struct history *history, enum reference_atomics atomics)
{
    struct reference *reference = NEW(struct reference);
    size_t words = (history->count + 63) / 64;
    reference->history = history;
    reference->words = words;
    reference->before = memory_zero(history->count * words, sizeof(uint64_t));
    reference->arrived = memory_zero(history->count * words, sizeof(uint64_t));
    for (uint32_t j = 0; j < history->count; j++) {
        for (uint32_t i = j; i-- > 0;)
            if (!reference_ordered(reference, i, j) && tied(history, i, j))
                order(reference, i, j);
        memcpy(reference->arrived + j * words, row(reference, j), words * sizeof(uint64_t));
        for (uint32_t i = j; i-- > 0;)
            if (!reference_ordered(reference, i, j) && tied_by_atomics(history, atomics, i, j))
                order(reference, i, j);
    }
    return reference;
}

void reference_destroy(struct reference *reference)
{
    if (!reference)
        return;
    free(reference->before);
    free(reference->arrived);
    free(reference);
}
