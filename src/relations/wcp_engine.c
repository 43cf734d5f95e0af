/* SPDX-License-Identifier: MIT */
/* wcp: weak-causally-precedes races, in linear time (relations/wcp.h).
 *
 * Two conflicting accesses race if weak-causally-precedes orders them in neither
 * direction. It orders less than causally-precedes, so it finds more, and it needs
 * no look back.
 *
 * Guarantee: if there is a wcp race, then some correct reordering has a race or a
 * deadlock; the theorem speaks of the first race only, so findings are candidates.
 *
 * Kini, Mathur, Viswanathan: Dynamic race prediction in linear time, PLDI 2017. */
#include "base/array.h"
#include "relations/clock_races.h"
#include "engine/engine.h"
#include "relations/open_sections.h"
#include "relations/wcp.h"

struct wcp_engine {
    struct wcp *wcp;
    struct clock_races *races;
    struct indices ARRAY_OF(uint32_t) next_index; /* by thread */
    struct open_sections open;
    uint32_t until; /* pos at which the next window begins */
};

static void create(struct engine_run *run)
{
    struct wcp_engine *state = NEW(struct wcp_engine);
    state->wcp = wcp_create();
    state->races = clock_races_create(run, NULL);
    state->until = run->options->window;
    run->state = state;
}

/* Forgets all but the sections that are open. */
static void begin_window(struct engine_run *run, struct wcp_engine *state)
{
    wcp_destroy(state->wcp);
    clock_races_destroy(state->races);
    state->wcp = wcp_create();
    state->races = clock_races_create(run, NULL);
    for (size_t i = 0; i < state->open.count; i++) {
        wcp_enter(state->wcp, &state->open.items[i]);
        wcp_leave(state->wcp, &state->open.items[i]);
    }
    state->until += run->options->window;
}

static void on_events(struct engine_run *run, const struct event *events, size_t count,
                      uint32_t first)
{
    struct wcp_engine *state = run->state;
    for (size_t i = 0; i < count; i++) {
        const struct event *event = &events[i];
        if (run->options->window) {
            if (first + i == state->until)
                begin_window(run, state);
            open_sections_step(&state->open, event);
        }
        clock_races_look_ahead(state->races, events, i, count);
        array_grow(&state->next_index, event->thread + 1);
        uint32_t index = state->next_index.items[event->thread]++;
        wcp_enter(state->wcp, event);
        if (op_in(event->op, OPS_ACCESS))
            clock_races_check(state->races, event, first + (uint32_t)i, index,
                              wcp_before(state->wcp, event->thread),
                              wcp_happened_before(state->wcp, event->thread));
        wcp_leave(state->wcp, event);
    }
}

static void destroy(struct engine_run *run)
{
    struct wcp_engine *state = run->state;
    wcp_destroy(state->wcp);
    clock_races_destroy(state->races);
    array_free(&state->next_index);
    array_free(&state->open);
    free(state);
}

const struct engine engine_wcp = {
    .name = "wcp",
    .summary = "weak-causally-precedes races",
    .promise = "the first one stands for a race or a deadlock",
    .source = "weak-causally-precedes (Kini, Mathur, Viswanathan 2017)",
    .finds = FINDS_RACES,
    .guarantee = GUARANTEE_HEURISTIC,
    .default_model = MODEL_NONE,
    .create = create,
    .events = on_events,
    .destroy = destroy,
};
