/* SPDX-License-Identifier: MIT */
#include "search/exposed.h"

#include "base/memory.h"

#include <stdlib.h>

/* What all accesses of a variable have in common. */
struct screen {
    uint32_t thread;
    bool touched, shared, written, plain; /* by a second thread; at all; not atomically */
    uint8_t guard_count;
    uint32_t guards[2]; /* locks held exclusively at each of them */
};

static bool holds_guard(const struct search_index *index, uint32_t node, uint32_t lock)
{
    for (; node != HELD_NONE; node = index->nodes[node].next) {
        const struct event *acquire = event_at(index, index->nodes[node].acquire);
        if (event_lock(acquire) == lock && acquire->op != EVENT_ACQUIRE_READ)
            return true;
    }
    return false;
}

static void first_guards(const struct search_index *index, uint32_t node, struct screen *screen)
{
    const uint8_t room = sizeof screen->guards / sizeof *screen->guards;
    for (; node != HELD_NONE && screen->guard_count < room; node = index->nodes[node].next) {
        const struct event *acquire = event_at(index, index->nodes[node].acquire);
        if (acquire->op != EVENT_ACQUIRE_READ)
            screen->guards[screen->guard_count++] = event_lock(acquire);
    }
}

static void screen_access(const struct search_index *index, struct screen *screen,
                          const struct event *event, uint32_t held)
{
    if (!screen->touched) {
        screen->touched = true;
        screen->thread = event->thread;
        first_guards(index, held, screen);
    }
    screen->shared |= event->thread != screen->thread;
    screen->written |= event_writes(event);
    screen->plain |= !op_in(event->op, OPS_ATOMIC);
    for (uint8_t i = 0; i < screen->guard_count;) {
        if (holds_guard(index, held, screen->guards[i]))
            i++;
        else
            screen->guards[i] = screen->guards[--screen->guard_count];
    }
}

/* One pass in the order of the trace finds the few variables that are worth one in
 * the order of their accesses, which are all over the memory. */
static struct screen *screen_variables(const struct search_index *index, uint32_t variables)
{
    const struct history *history = index->history;
    struct screen *screens = NEW_ARRAY(struct screen, (size_t)variables + 1);
    for (uint32_t pos = 0; pos < history->count; pos++) {
        const struct event *event = &history->events[pos];
        if (op_in(event->op, OPS_ACCESS))
            screen_access(index, &screens[event->object], event,
                          index_with(index, INDEX_HELD)->held[pos]);
    }
    return screens;
}

static bool is_exposed(const struct screen *screen)
{
    return screen->shared && screen->written && screen->plain && !screen->guard_count;
}

static bool is_collected(const struct screen *screens, const struct event *event)
{
    return op_in(event->op, OPS_ACCESS) && is_exposed(&screens[event->object]);
}

void exposed_find(struct exposed *exposed, const struct search_index *index)
{
    const struct history *history = index->history;
    uint32_t variables = trace_count(history->trace, CLASS_VARIABLE);
    struct screen *screens = screen_variables(index, variables);
    exposed->start = NEW_ARRAY(uint32_t, (size_t)variables + 2);
    for (uint32_t pos = 0; pos < history->count; pos++)
        if (is_collected(screens, &history->events[pos]))
            exposed->start[history->events[pos].object + 2]++;
    for (uint32_t i = 0; i < variables; i++)
        exposed->start[i + 2] += exposed->start[i + 1];
    exposed->accesses = memory_alloc(exposed->start[variables + 1], sizeof *exposed->accesses);
    for (uint32_t pos = 0; pos < history->count; pos++)
        if (is_collected(screens, &history->events[pos]))
            exposed->accesses[exposed->start[history->events[pos].object + 1]++] = pos;
    free(screens);
}

void exposed_free(struct exposed *exposed)
{
    free(exposed->start);
    free(exposed->accesses);
}
