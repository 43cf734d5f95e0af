/* SPDX-License-Identifier: MIT */
#include "tiddle/slice.h"

#include "base/array.h"
#include "base/map.h"
#include "trace/turns.h"

struct sequence ARRAY_OF(uint32_t); /* pos values */

struct cut {
    struct slice *slice;
    struct sequence sequence;
    uint32_t *unit; /* by place in the sequence: what is left out together */
    bool *kept;     /* by unit: must stay */
    bool *gone;     /* by unit: left out */
};

static const struct event *event_at(const struct cut *cut, uint32_t place)
{
    return &cut->slice->history->events[cut->sequence.items[place]];
}

/* What the witness executes, or the observed events up to the last of the error. */
static void choose_sequence(struct cut *cut, bool observed)
{
    const struct finding *finding = cut->slice->finding;
    if (!observed) {
        struct finding full = finding_in_full(finding, cut->slice->history);
        for (uint32_t i = 0; i < full.witness_length; i++)
            array_push(&cut->sequence, full.witness[i]);
        finding_full_free(&full, finding);
        return;
    }
    uint32_t last = 0;
    for (uint32_t i = 0; i < finding->event_count; i++)
        if (finding->events[i].pos > last)
            last = finding->events[i].pos;
    for (uint32_t pos = 0; pos <= last; pos++)
        array_push(&cut->sequence, pos);
}

/* The end that belongs to a begin: "l" for locks, blocks and once-blocks. */
static bool opens(const struct event *event)
{
    return event_acquires(event) || event->op == EVENT_BLOCK_BEGIN || event->op == EVENT_ONCE_BEGIN;
}

static bool closes(const struct event *end, const struct event *begin)
{
    if (event_acquires(begin))
        return event_releases(end) && event_lock(end) == event_lock(begin);
    return end->op == (begin->op == EVENT_BLOCK_BEGIN ? EVENT_BLOCK_END : EVENT_ONCE_END) &&
           (begin->op == EVENT_BLOCK_BEGIN || end->object == begin->object);
}

/* The thread's events after the sequence that close what it has open there. */
static void close_thread(struct cut *cut, uint32_t thread, uint32_t executed)
{
    const struct history *history = cut->slice->history;
    struct sequence open = {0};
    for (uint32_t i = 0; i < history_thread_length(history, thread); i++) {
        uint32_t pos = history_pos(history, thread, i);
        const struct event *event = &history->events[pos];
        if (i >= executed && !open.count)
            break;
        if (i < executed && opens(event))
            array_push(&open, pos);
        for (size_t k = open.count; k-- > 0;) {
            if (open.items[k] == pos || !closes(event, &history->events[open.items[k]]))
                continue;
            memmove(open.items + k, open.items + k + 1, (open.count - k - 1) * sizeof *open.items);
            open.count--;
            if (i >= executed && event->op != EVENT_WAIT_BEGIN)
                array_push(&cut->sequence, pos);
            break;
        }
    }
    array_free(&open);
}

static void close_threads(struct cut *cut)
{
    const struct history *history = cut->slice->history;
    uint32_t *executed = NEW_ARRAY(uint32_t, history->threads);
    uint32_t *last = NEW_ARRAY(uint32_t, history->threads);
    for (size_t i = 0; i < cut->sequence.count; i++) {
        uint32_t thread = event_at(cut, (uint32_t)i)->thread;
        executed[thread]++;
        last[thread] = cut->sequence.items[i];
    }
    for (uint32_t thread = 0; thread < history->threads; thread++) {
        uint8_t op = executed[thread] ? history->events[last[thread]].op : EVENT_COUNT;
        if (op != EVENT_COUNT && op != EVENT_WAIT_BEGIN && op != EVENT_BARRIER_ENTER)
            close_thread(cut, thread, executed[thread]);
    }
    free(executed);
    free(last);
}

/* The key under which a place finds the rest of its unit: whole uses of barriers
 * and once-blocks go together. 0: on its own. */
static uint64_t group_of(const struct event *event)
{
    switch (event->op) {
    case EVENT_BARRIER_ENTER:
    case EVENT_BARRIER_EXIT:
        return map_pair(1, event->other);
    case EVENT_ONCE_BEGIN:
    case EVENT_ONCE_END:
    case EVENT_ONCE_PASS:
        return map_pair(2, event->object);
    default:
        return 0;
    }
}

/* Begin and end, a wait and its return, belong together. */
static void find_units(struct cut *cut)
{
    const struct history *history = cut->slice->history;
    struct open_places {
        uint32_t *items;
        size_t count, capacity;
    } *open = NEW_ARRAY(struct open_places, history->threads);
    struct map groups = {0};
    for (uint32_t place = 0; place < cut->sequence.count; place++) {
        const struct event *event = event_at(cut, place);
        struct open_places *mine = &open[event->thread];
        uint64_t group = group_of(event);
        cut->unit[place] = place;
        if (group) {
            bool added;
            uint64_t *first = map_at(&groups, group, &added);
            if (added)
                *first = place;
            cut->unit[place] = (uint32_t)*first;
            continue;
        }
        for (size_t k = mine->count; k-- > 0;) {
            const struct event *begin = event_at(cut, mine->items[k]);
            if (!closes(event, begin) &&
                !(event->op == EVENT_WAIT_END && begin->op == EVENT_WAIT_BEGIN))
                continue;
            cut->unit[place] = cut->unit[mine->items[k]];
            memmove(mine->items + k, mine->items + k + 1,
                    (mine->count - k - 1) * sizeof *mine->items);
            mine->count--;
            break;
        }
        if (opens(event) || event->op == EVENT_WAIT_BEGIN)
            array_push(mine, place);
    }
    for (uint32_t thread = 0; thread < history->threads; thread++)
        array_free(&open[thread]);
    free(open);
    map_free(&groups);
}

/* Keeps the events of the error and what their threads hold at that moment. */
static void keep_error(struct cut *cut)
{
    const struct finding *finding = cut->slice->finding;
    for (uint32_t i = 0; i < finding->event_count; i++) {
        struct map held = {0}; /* lock -> place of its acquire */
        for (uint32_t place = 0; place < cut->sequence.count; place++) {
            const struct event *event = event_at(cut, place);
            if (cut->sequence.items[place] == finding->events[i].pos) {
                cut->kept[cut->unit[place]] = true;
                break;
            }
            if (event->thread != finding->events[i].thread)
                continue;
            if (event_acquires(event))
                *map_at(&held, event_lock(event), NULL) = place;
            else if (event_releases(event))
                map_remove(&held, event_lock(event));
        }
        for (size_t k = map_first(&held); k < held.capacity; k = map_following(&held, k))
            cut->kept[cut->unit[held.entries[k].value]] = true;
        map_free(&held);
    }
}

static struct event *collect(const struct cut *cut, uint32_t *count)
{
    struct event *events = NEW_ARRAY(struct event, cut->sequence.count);
    *count = 0;
    for (uint32_t place = 0; place < cut->sequence.count; place++)
        if (!cut->gone[cut->unit[place]])
            events[(*count)++] = *event_at(cut, place);
    return events;
}

static bool still_shows(struct cut *cut)
{
    uint32_t count;
    if (!cut->slice->tests)
        return false;
    cut->slice->tests--;
    struct event *events = collect(cut, &count);
    bool shows = cut->slice->shows(events, count, cut->slice->context);
    free(events);
    return shows;
}

/* Leaves out units[from .. to) if the finding stays. */
static bool try_without(struct cut *cut, const struct sequence *units, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        cut->gone[units->items[i]] = true;
    if (still_shows(cut))
        return true;
    for (size_t i = from; i < to; i++)
        cut->gone[units->items[i]] = false;
    return false;
}

static void remaining_units(const struct cut *cut, struct sequence *units)
{
    units->count = 0;
    for (uint32_t place = 0; place < cut->sequence.count; place++)
        if (cut->unit[place] == place && !cut->kept[place] && !cut->gone[place])
            array_push(units, place);
}

static void reduce(struct cut *cut)
{
    struct sequence units = {0};
    remaining_units(cut, &units);
    for (size_t size = units.count; size > 0;) {
        bool smaller = false;
        for (size_t from = 0; from < units.count; from += size) {
            size_t to = from + size < units.count ? from + size : units.count;
            smaller |= try_without(cut, &units, from, to);
        }
        remaining_units(cut, &units);
        if (size == 1 && !smaller)
            break;
        size = size > 1 ? size / 2 : 1;
        if (!units.count || !cut->slice->tests)
            break;
    }
    array_free(&units);
}

/* A read whose write was left out no longer says what it read. */
static void forget_values(const struct history *history, struct event *events, uint32_t count)
{
    uint32_t variables = trace_count(history->trace, CLASS_VARIABLE);
    uint64_t *value = NEW_ARRAY(uint64_t, variables);
    bool *known = NEW_ARRAY(bool, variables), *written = NEW_ARRAY(bool, variables);
    for (uint32_t i = 0; i < count; i++) {
        struct event *event = &events[i];
        uint32_t object = event->object;
        bool has_value = event->flags & EVENT_HAS_VALUE;
        if (!op_in(event->op, OPS_ACCESS))
            continue;
        if (event_writes(event)) {
            written[object] = true;
            known[object] = has_value;
            value[object] = event->value;
        } else if (has_value && (known[object] ? value[object] != event->value : written[object])) {
            event->flags &= (uint8_t)~EVENT_HAS_VALUE;
        } else if (has_value && !known[object]) {
            known[object] = true;
            value[object] = event->value;
        }
    }
    free(value);
    free(known);
    free(written);
}

static struct event *cut_sequence(struct slice *slice, bool observed, bool closed, uint32_t *count)
{
    struct cut cut = {.slice = slice};
    struct event *events = NULL;
    choose_sequence(&cut, observed);
    if (closed)
        close_threads(&cut);
    cut.unit = NEW_ARRAY(uint32_t, cut.sequence.count);
    cut.kept = NEW_ARRAY(bool, cut.sequence.count);
    cut.gone = NEW_ARRAY(bool, cut.sequence.count);
    find_units(&cut);
    keep_error(&cut);
    if (still_shows(&cut)) {
        reduce(&cut);
        events = collect(&cut, count);
        forget_values(slice->history, events, *count);
    }
    array_free(&cut.sequence);
    free(cut.unit);
    free(cut.kept);
    free(cut.gone);
    return events;
}

struct event *slice_finding(struct slice *slice, uint32_t *count)
{
    const struct finding *finding = slice->finding;
    struct event *events = NULL;
    /* A trace that ends in the middle of things shows the error as well, but makes
     * a poorer program. */
    if (finding->witness && finding->kind != FINDING_DEADLOCK) {
        events = cut_sequence(slice, false, true, count);
        if (!events)
            events = cut_sequence(slice, false, false, count);
    }
    if (!events)
        events = cut_sequence(slice, true, true, count);
    return events ? events : cut_sequence(slice, true, false, count);
}
