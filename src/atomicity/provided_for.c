/* SPDX-License-Identifier: MIT */
#include "atomicity/provided_for.h"

#include "base/map.h"

struct provided_for {
    const struct history *history;
    struct map early;   /* locations of reads that were early */
    struct map waits;   /* locations of reads that decide on a wait */
    struct map ended;   /* (location of the end, location of the read that saw it) */
    struct map races;   /* two locations, ascending */
    struct map writers; /* by variable: the one thread that writes it, or SEVERAL */
};

#define SEVERAL UINT64_MAX

static uint64_t both(uint32_t a, uint32_t b)
{
    return a < b ? map_pair(a, b) : map_pair(b, a);
}

static void add_races(struct provided_for *provided, const struct findings *findings)
{
    for (size_t i = 0; i < findings->count; i++) {
        const struct finding *finding = &findings->items[i];
        if (finding->kind == FINDING_RACE)
            map_at(&provided->races, both(finding->events[0].location, finding->events[1].location),
                   NULL);
    }
}

static void add_write(struct provided_for *provided, const struct event *event)
{
    bool first;
    uint64_t *writer = map_at(&provided->writers, event->object, &first);
    if (first)
        *writer = event->thread;
    else if (*writer != event->thread)
        *writer = SEVERAL;
}

/* Waits for a condition, or would have; NULL: the thread ends. */
static bool is_wait(const struct event *event)
{
    return event && (event->op == EVENT_WAIT_BEGIN ||
                     (event->op == EVENT_ONCE_PASS && event->flags & EVENT_IMPLIED));
}

/* `next` is the thread's next event that is no access, or NULL. */
static void add_read(struct provided_for *provided, uint32_t pos, const struct event *next,
                     const struct map *written)
{
    const struct history *history = provided->history;
    const struct event *event = &history->events[pos];
    uint32_t seen = history->reads_from[pos];
    if (seen == POS_NONE && map_find(written, event->object))
        map_at(&provided->early, event->location, NULL);
    if (event->op == EVENT_ATOMIC_LOAD || is_wait(next))
        map_at(&provided->waits, event->location, NULL);
    if (seen != POS_NONE && history->events[seen].thread != event->thread)
        map_at(&provided->ended, map_pair(history->events[seen].location, event->location), NULL);
}

struct provided_for *provided_for_create(const struct history *history,
                                         const struct findings *findings)
{
    struct provided_for *provided = NEW(struct provided_for);
    struct map written = {0}; /* variables that are written later */
    const struct event **next = NEW_ARRAY(const struct event *, history->threads);
    provided->history = history;
    add_races(provided, findings);
    for (uint32_t pos = history->count; pos-- > 0;) {
        const struct event *event = &history->events[pos];
        if (!op_in(event->op, OPS_ACCESS)) {
            next[event->thread] = event;
            continue;
        }
        if (event_reads(event))
            add_read(provided, pos, next[event->thread], &written);
        if (event_writes(event)) {
            add_write(provided, event);
            map_at(&written, event->object, NULL);
        }
    }
    map_free(&written);
    free(next);
    return provided;
}

void provided_for_destroy(struct provided_for *provided)
{
    map_free(&provided->early);
    map_free(&provided->waits);
    map_free(&provided->ended);
    map_free(&provided->races);
    map_free(&provided->writers);
    free(provided);
}

bool provided_for_has(const struct provided_for *provided, const struct untimely *read)
{
    const struct event *reader = &provided->history->events[read->read];
    const struct event *writer = &provided->history->events[read->write];
    const uint64_t *threads = map_find(&provided->writers, reader->object);
    if (map_find(&provided->races, both(reader->location, writer->location)) ||
        map_find(&provided->waits, reader->location))
        return true;
    if (!untimely_is_early(read))
        return map_find(&provided->ended, map_pair(writer->location, reader->location)) ||
               trace_updates(provided->history->trace, writer->location);
    return !threads || *threads != writer->thread || map_find(&provided->early, reader->location);
}
