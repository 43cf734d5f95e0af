/* SPDX-License-Identifier: MIT */
#include "deadlock/monitor_order.h"

#include "base/sorted.h"
#include "base/array.h"
#include "search/clocks.h"

enum { SECTION_MAX = 64 }; /* events of a section that are looked at */

struct write_list ARRAY_OF(uint32_t); /* indices in their thread, ascending */

struct monitor_order {
    const struct search_index *index;
    bool *in_predicate;   /* by variable */
    struct map writes_of; /* (variable, thread) -> number + 1 */
    struct write_lists ARRAY_OF(struct write_list) writes;
};

static bool is_kept_read(const struct search_index *index, uint32_t pos)
{
    return index_keep(index, pos) == KEEP_WRITE &&
           op_in(index->history->events[pos].op, OPS_READING);
}

/* Calls on each kept read of the section that the wait ends, from the last one on. */
static uint32_t read_before(const struct search_index *index, uint32_t begin, uint32_t from)
{
    const struct history *history = index->history;
    uint32_t thread = history->events[begin].thread, lock = event_lock(&history->events[begin]);
    uint32_t last = history->index[begin];
    for (uint32_t at = from; at-- > 0 && last - at < SECTION_MAX;) {
        uint32_t pos = history_pos(history, thread, at);
        const struct event *event = &history->events[pos];
        if (op_in(event->op, OPS_ACQUIRING | OPS_RELEASING) && event_lock(event) == lock)
            return POS_NONE;
        if (is_kept_read(index, pos))
            return pos;
    }
    return POS_NONE;
}

static void note_write(struct monitor_order *order, uint32_t pos)
{
    const struct event *event = &order->index->history->events[pos];
    bool added;
    uint64_t *number = map_at(&order->writes_of, map_pair(event->object, event->thread), &added);
    if (added) {
        array_grow(&order->writes, order->writes.count + 1);
        *number = order->writes.count;
    }
    array_push(&order->writes.items[*number - 1], order->index->history->index[pos]);
}

struct monitor_order *monitor_order_create(const struct search_index *index)
{
    const struct history *history = index->history;
    struct monitor_order *order = NEW(struct monitor_order);
    order->index = index;
    order->in_predicate = NEW_ARRAY(bool, trace_count(history->trace, CLASS_VARIABLE));
    for (uint32_t pos = 0; pos < history->count; pos++) {
        if (history->events[pos].op != EVENT_WAIT_BEGIN)
            continue;
        uint32_t read = read_before(index, pos, history->index[pos]);
        for (; read != POS_NONE; read = read_before(index, pos, history->index[read]))
            order->in_predicate[history->events[read].object] = true;
    }
    for (uint32_t pos = 0; pos < history->count; pos++)
        if (op_in(history->events[pos].op, OPS_ACCESS) && event_writes(&history->events[pos]) &&
            order->in_predicate[history->events[pos].object])
            note_write(order, pos);
    return order;
}

void monitor_order_destroy(struct monitor_order *order)
{
    if (!order)
        return;
    for (size_t i = 0; i < order->writes.count; i++)
        array_free(&order->writes.items[i]);
    array_free(&order->writes);
    map_free(&order->writes_of);
    free(order->in_predicate);
    free(order);
}

/* Does the write come after the other, in any case? */
static bool follows(const struct monitor_order *order, uint32_t write, uint32_t other)
{
    return other == POS_NONE || (write != other && clocks_ordered(order->index, other, write));
}

/* The first write of the thread that follows what was read; POS_NONE if there is none. */
static uint32_t first_after(const struct monitor_order *order, uint32_t read, uint32_t thread)
{
    const struct history *history = order->index->history;
    const uint64_t *number =
        map_find(&order->writes_of, map_pair(history->events[read].object, thread));
    uint32_t seen = order->index->rules->reads_from[read];
    if (!number)
        return POS_NONE;
    const struct write_list *writes = &order->writes.items[*number - 1];
    size_t low =
        SORTED_POINT(middle, 0, writes->count,
                     !follows(order, history_pos(history, thread, writes->items[middle]), seen));
    return low < writes->count ? history_pos(history, thread, writes->items[low]) : POS_NONE;
}

/* The acquire of the lock under which the event happens; POS_NONE if under none. */
static uint32_t acquire_of(const struct search_index *index, uint32_t pos, uint32_t lock)
{
    for (uint32_t node = index_held(index, pos); node != HELD_NONE; node = index->nodes[node].next)
        if (event_lock(event_at(index, index->nodes[node].acquire)) == lock)
            return index->nodes[node].acquire;
    return POS_NONE;
}

uint32_t monitor_order_after(const struct monitor_order *order, uint32_t begin, uint32_t thread,
                             uint32_t executed)
{
    const struct search_index *index = order->index;
    const struct history *history = index->history;
    uint32_t least = UINT32_MAX;
    uint32_t read = read_before(index, begin, history->index[begin]);
    for (; read != POS_NONE; read = read_before(index, begin, history->index[read])) {
        uint32_t write = first_after(order, read, thread);
        if (write == POS_NONE || history->index[write] >= executed)
            continue;
        uint32_t acquire = acquire_of(index, write, event_lock(&history->events[begin]));
        if (acquire != POS_NONE && history->index[acquire] < least)
            least = history->index[acquire];
    }
    return least;
}
