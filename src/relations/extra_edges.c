/* SPDX-License-Identifier: MIT */
#include "relations/extra_edges.h"

#include "base/sorted.h"
#include "base/array.h"

#include <string.h>

void extra_edges_free(struct extra_edges *extra)
{
    for (size_t i = 0; i < extra->count; i++) {
        for (size_t k = 0; k < extra->items[i].count; k++)
            vclock_free(&extra->items[i].items[k].before);
        free(extra->items[i].items);
    }
    free(extra->items);
    free(extra->raised.items);
    free(extra->pending);
}

/* How many edges of the list end at acquires below `tick`. */
static size_t count_below(const struct extra_edge_list *list, uint32_t tick)
{
    if (list->count && array_last(list).tick < tick)
        return list->count;
    return SORTED_POINT(middle, 0, list->count, list->items[middle].tick < tick);
}

void extra_edges_add(struct extra_edges *extra, uint32_t thread, uint32_t tick,
                     const struct vclock *from)
{
    if (thread >= extra->count) {
        extra->pending = memory_resize(extra->pending, thread + 1, sizeof *extra->pending);
        memset(extra->pending + extra->count, 0, thread + 1 - extra->count);
    }
    array_grow(extra, thread + 1);
    struct extra_edge_list *list = &extra->items[thread];
    size_t at = count_below(list, tick);
    if (at == list->count || list->items[at].tick != tick) {
        struct extra_edge edge = {.tick = tick};
        if (at)
            vclock_copy(&edge.before, &list->items[at - 1].before);
        array_reserve(list, list->count + 1);
        memmove(list->items + at + 1, list->items + at, (list->count - at) * sizeof edge);
        list->items[at] = edge;
        list->count++;
    }
    for (; at < list->count; at++)
        vclock_join(&list->items[at].before, from);
}

const struct vclock *extra_edges_seen(const struct extra_edges *extra, uint32_t thread,
                                      uint32_t tick)
{
    if (thread >= extra->count)
        return NULL;
    size_t below = count_below(&extra->items[thread], tick);
    return below ? &extra->items[thread].items[below - 1].before : NULL;
}

/* The thread's entry was raised: are there edges that it has seen now? */
static void look_at(struct extra_edges *extra, uint32_t thread)
{
    if (thread >= extra->count || extra->pending[thread] || !extra->items[thread].count)
        return;
    extra->pending[thread] = true;
    array_push(&extra->raised, thread);
}

static bool raise_by(struct extra_edges *extra, struct vclock *clock, const struct vclock *other)
{
    bool grew = false;
    for (uint32_t thread = 0; (thread = vclock_next_above(clock, other, thread)) < other->size;
         thread++) {
        clock->ticks[thread] = other->ticks[thread];
        look_at(extra, thread);
        grew = true;
    }
    return grew;
}

static bool settle(struct extra_edges *extra, struct vclock *clock)
{
    bool grew = false;
    while (extra->raised.count) {
        uint32_t thread = array_pop(&extra->raised);
        extra->pending[thread] = false;
        const struct vclock *before = extra_edges_seen(extra, thread, vclock_get(clock, thread));
        if (before)
            grew |= raise_by(extra, clock, before);
    }
    return grew;
}

bool extra_edges_join(struct extra_edges *extra, struct vclock *clock, const struct vclock *other)
{
    bool grew = raise_by(extra, clock, other);
    return settle(extra, clock) | grew;
}

bool extra_edges_adjust(struct extra_edges *extra, struct vclock *clock)
{
    for (uint32_t thread = 0; thread < clock->size; thread++)
        if (clock->ticks[thread])
            look_at(extra, thread);
    return settle(extra, clock);
}
