/* Happens-before, causally-precedes (Sadowski, Definition 5) and
 * weak-causally-precedes (Kini, Mathur, Viswanathan, PLDI 2017), as fixpoints. */
#include "reference/reference.h"

#include <stdlib.h>

struct state {
    const struct history *history;
    uint32_t count;
    uint32_t *partners;
    struct relation hb; /* reflexive and transitive */
    struct relation before;
};

static struct state begin(const struct history *history)
{
    struct state state = {
        .history = history,
        .count = history->count,
        .partners = reference_partners(history),
        .hb = relation_create(history->count),
        .before = relation_create(history->count),
    };
    const struct event *events = history->events;
    reference_add_hard(history, &state.before);
    reference_add_hard(history, &state.hb);
    for (uint32_t a = 0; a < state.count; a++)
        for (uint32_t b = a; b < state.count; b++)
            if (events[a].thread == events[b].thread ||
                (event_releases(&events[a]) && event_acquires(&events[b]) &&
                 reference_is_mutex(&events[a]) && reference_is_mutex(&events[b]) &&
                 event_lock(&events[a]) == event_lock(&events[b])))
                relate(&state.hb, a, b);
    relation_close(&state.hb);
    return state;
}

static void end(struct state *state)
{
    relation_free(&state->hb);
    relation_free(&state->before);
    free(state->partners);
}

/* before := hb . before . hb */
static bool compose(struct state *state)
{
    bool grew = false;
    for (uint32_t a = 0; a < state->count; a++)
        for (uint32_t b = 0; b < state->count; b++) {
            if (!related(&state->before, a, b))
                continue;
            for (uint32_t c = 0; c < state->count; c++) {
                if (related(&state->hb, c, a))
                    grew |= relate(&state->before, c, b);
                if (related(&state->hb, b, c))
                    grew |= relate(&state->before, a, c);
            }
        }
    return grew;
}

static bool is_inside(const struct state *state, uint32_t pos, uint32_t acquire)
{
    const struct event *events = state->history->events;
    return events[pos].thread == events[acquire].thread && pos > acquire &&
           pos < state->partners[acquire];
}

/* Two sections of one mutex, the first of which has ended. */
static bool are_sections(const struct state *state, uint32_t first, uint32_t second)
{
    const struct event *a = &state->history->events[first], *b = &state->history->events[second];
    return first < second && event_acquires(a) && event_acquires(b) && reference_is_mutex(a) &&
           reference_is_mutex(b) && event_lock(a) == event_lock(b) &&
           state->partners[first] != POS_NONE;
}

/* Sadowski's word; unlike a conflict, both may be atomic. */
static bool clash(const struct event *a, const struct event *b)
{
    return a->thread != b->thread && a->object == b->object && op_in(a->op, OPS_ACCESS) &&
           op_in(b->op, OPS_ACCESS) && (event_writes(a) || event_writes(b));
}

static bool contain_clash(const struct state *state, uint32_t first, uint32_t second)
{
    for (uint32_t a = first; a < state->partners[first]; a++)
        for (uint32_t b = second; b < state->count; b++)
            if (is_inside(state, a, first) && is_inside(state, b, second) &&
                clash(&state->history->events[a], &state->history->events[b]))
                return true;
    return false;
}

static bool apply_cp(struct state *state, uint32_t first, uint32_t second)
{
    uint32_t release = state->partners[second];
    if (contain_clash(state, first, second) ||
        (release != POS_NONE && related(&state->before, first, release)))
        return relate(&state->before, state->partners[first], second);
    return false;
}

static bool apply_wcp(struct state *state, uint32_t first, uint32_t second)
{
    bool grew = false;
    for (uint32_t a = first; a < state->partners[first]; a++)
        for (uint32_t b = second; b < state->count; b++)
            if (is_inside(state, a, first) && is_inside(state, b, second) &&
                clash(&state->history->events[a], &state->history->events[b]))
                grew |= relate(&state->before, state->partners[first], b);
    uint32_t release = state->partners[second];
    if (release != POS_NONE && related(&state->before, first, release))
        grew |= relate(&state->before, state->partners[first], release);
    return grew;
}

static void fixpoint(struct state *state, bool (*apply)(struct state *, uint32_t, uint32_t))
{
    for (bool again = true; again;) {
        again = compose(state);
        for (uint32_t first = 0; first < state->count; first++)
            for (uint32_t second = first + 1; second < state->count; second++)
                if (are_sections(state, first, second))
                    again |= apply(state, first, second);
    }
}

static void unordered(const struct state *state, const struct relation *order,
                      struct relation *races)
{
    for (uint32_t b = 0; b < state->count; b++)
        for (uint32_t a = 0; a < b; a++)
            if (event_conflict(&state->history->events[a], &state->history->events[b]) &&
                !related(order, a, b))
                relate(races, a, b);
}

void reference_hb(const struct history *history, struct relation *races)
{
    struct state state = begin(history);
    unordered(&state, &state.hb, races);
    end(&state);
}

void reference_cp(const struct history *history, struct relation *races)
{
    struct state state = begin(history);
    fixpoint(&state, apply_cp);
    unordered(&state, &state.before, races);
    end(&state);
}

static bool first_race(const struct state *state, uint32_t *first, uint32_t *second)
{
    for (uint32_t b = 0; b < state->count; b++)
        for (uint32_t a = b; a-- > 0;)
            if (event_conflict(&state->history->events[a], &state->history->events[b]) &&
                !related(&state->before, a, b)) {
                *first = a;
                *second = b;
                return true;
            }
    return false;
}

void reference_cp_first(const struct history *history, struct relation *races)
{
    struct state state = begin(history);
    uint32_t first, second;
    fixpoint(&state, apply_cp);
    while (first_race(&state, &first, &second)) {
        relate(races, first, second);
        relate(&state.hb, first, second);
        relate(&state.before, first, second);
        relation_close(&state.hb);
        fixpoint(&state, apply_cp);
    }
    end(&state);
}

void reference_wcp(const struct history *history, struct relation *races)
{
    struct state state = begin(history);
    fixpoint(&state, apply_wcp);
    unordered(&state, &state.before, races);
    end(&state);
}
