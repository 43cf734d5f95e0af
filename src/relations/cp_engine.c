/* SPDX-License-Identifier: MIT */
/* cp: causally-precedes races (relations/cp.h), on the whole trace at once.
 *
 * Two conflicting accesses race if causally-precedes orders them in neither
 * direction. Every happens-before race is one; those that are not are marked.
 *
 * Guarantee (Sadowski, Appendix B): if there is a cp race, then some correct
 * reordering has a race or a deadlock. The theorem speaks of the first race only, and with that
 * one taken as an edge of the next (cp_first.h): these come first and say so. They are candidates
 * like the others, for what there is may be the deadlock.
 *
 * With --window N the trace is cut into windows of N events, each looked at by itself;
 * sections that were open go on. Without it nothing is cut.
 *
 * Sadowski, part IV and appendices A and B. */
#include "relations/clock_races.h"
#include "engine/engine.h"
#include "relations/open_sections.h"
#include "relations/cp.h"
#include "relations/cp_first.h"
#include "engine/found.h"

/* Walks over the trace that the races are worth for which the theorem holds. */
enum { FIRST_WORK = 1 << 26 };

static void create(struct engine_run *run)
{
    run->state = NULL;
}

/* Reports the races that the theorem holds for. */
static void report_first(struct engine_run *run, struct clock_races *races)
{
    struct race_edges found = {0};
    cp_first_races(run->history, FIRST_WORK, &found);
    for (size_t i = 0; i < found.count; i++) {
        const struct race_edge *race = &found.items[i];
        struct finding_event events[2];
        found_events(events, run->history, (uint32_t[]){race->first, race->second}, 2);
        clock_races_report(races, run->history->events[race->first].object, events, race->observed,
                           i ? "sound, with the races above taken as ordered: in some order "
                               "this is a race, or a deadlock"
                             : "the first: in some order this is a race, or a deadlock");
    }
    array_free(&found);
}

/* The races of `window`, whose first `extra` events stand for sections that were open; its
 * others are those of the trace from `from` on. */
static void check(struct engine_run *run, const struct history *window, uint32_t extra,
                  uint32_t from)
{
    struct clock_races *races = clock_races_create(run, NULL);
    if (window == run->history)
        report_first(run, races);
    struct cp *cp = cp_create(window);
    for (uint32_t at = 0; at < window->count; at++) {
        const struct event *event = &window->events[at];
        clock_races_look_ahead(races, window->events, at, window->count);
        cp_enter(cp, at);
        if (op_in(event->op, OPS_ACCESS)) {
            uint32_t pos = from + at - extra;
            clock_races_check(races, event, pos, run->history->index[pos],
                              cp_before(cp, event->thread), cp_happened_before(cp, event->thread));
        }
        cp_leave(cp, at);
    }
    cp_destroy(cp);
    clock_races_destroy(races);
}

static void check_window(struct engine_run *run, const struct open_sections *open, uint32_t from,
                         uint32_t to)
{
    size_t extra = open->count, count = to - from;
    struct event *events = memory_alloc(extra + count, sizeof *events);
    if (extra)
        memcpy(events, open->items, extra * sizeof *events);
    memcpy(events + extra, run->history->events + from, count * sizeof *events);
    struct history *window = history_create(run->trace, events, (uint32_t)(extra + count));
    check(run, window, (uint32_t)extra, from);
    history_destroy(window);
}

static int finish(struct engine_run *run, struct error *error)
{
    (void)error;
    const struct history *history = run->history;
    uint32_t size = run->options->window;
    if (!size || size >= history->count) {
        check(run, history, 0, 0);
        return 0;
    }
    struct open_sections open = {0};
    for (uint32_t from = 0; from < history->count;) {
        uint32_t to = history->count - from > size ? from + size : history->count;
        check_window(run, &open, from, to);
        for (; from < to; from++)
            open_sections_step(&open, &history->events[from]);
    }
    array_free(&open);
    return 0;
}

const struct engine engine_cp = {
    .name = "cp",
    .summary = "causally-precedes races",
    .promise = "the first one stands for a race or a deadlock",
    .source = "Sadowski, Part IV, Appendix A",
    .finds = FINDS_RACES,
    .guarantee = GUARANTEE_HEURISTIC,
    .default_model = MODEL_NONE,
    .whole_trace = true,
    .create = create,
    .finish = finish,
};
