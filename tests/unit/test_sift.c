/* What is left of a history when it was sifted, against the whole of it, on random traces with
 * all kinds of synchronisation: what a sound model or happens-before says of two accesses that
 * conflict, it says of what is left, with a witness, and of nothing that was left out. Under
 * `sync` the same is true of pairs of places. */
#include "base/map.h"
#include "model/order.h"
#include "model/sift.h"
#include "search/search.h"
#include "tiddle/generator.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
/* cmocka wants the headers above first */
#include <cmocka.h>

#include "campaign.h"

struct setup {
    const struct sample *sample;
    struct history *part;
    uint32_t *where; /* by pos: pos in the part, or POS_NONE */
};

struct seen {
    uint32_t witnesses, refuted, left_out, sampled;
};

/* As the reader of recordings selects. */
static bool is_left(const struct selection *selection, const struct event *event,
                    const uint32_t *segments)
{
    return !op_in(event->op, OPS_ACCESS) || op_in(event->op, OPS_SYNC) ||
           selection_keeps(selection, event->object) ||
           selection_has_sample(selection, event->thread, segments[event->thread], event->location,
                                event->object);
}

static void sift(struct setup *setup, const struct selection *selection, struct seen *seen)
{
    const struct history *whole = setup->sample->history;
    struct event *events = memory_alloc(whole->count, sizeof *events);
    uint32_t *segments = NEW_ARRAY(uint32_t, whole->threads), count = 0;
    setup->where = memory_alloc(whole->count, sizeof *setup->where);
    for (uint32_t pos = 0; pos < whole->count; pos++) {
        const struct event *event = &whole->events[pos];
        bool left = is_left(selection, event, segments);
        setup->where[pos] = left ? count : POS_NONE;
        seen->left_out += !left;
        seen->sampled += left && op_in(event->op, OPS_ACCESS) && !op_in(event->op, OPS_SYNC) &&
                         !selection_keeps(selection, event->object);
        if (left)
            events[count++] = *event;
        segments[event->thread] += op_in(event->op, OPS_SYNC);
    }
    setup->part = history_create_with(whole->trace, events, count, whole->variables);
    free(segments);
}

static enum search_answer ask(struct search *search, enum search_goal goal, uint32_t a, uint32_t b)
{
    const uint32_t events[2] = {a, b};
    struct search_query query = {goal, events, 2, 0};
    struct search_witness witness;
    return search_reach(search, &query, &witness);
}

static void compare(const struct setup *setup, struct search *whole, struct search *part,
                    enum search_goal goal, uint32_t a, uint32_t b, bool sampled, struct seen *seen)
{
    enum search_answer truth = ask(whole, goal, a, b), answer = SEARCH_REFUTED;
    uint32_t x = setup->where[a], y = setup->where[b];
    bool left = x != POS_NONE && y != POS_NONE;
    seen->witnesses += truth == SEARCH_WITNESS;
    seen->refuted += truth == SEARCH_REFUTED;
    if (left)
        answer = ask(part, goal, x, y);
    else if (sampled)
        return;
    if (answer != truth)
        fail_msg("%u and %u (%s): %d of the whole, %d of what is left\n%s", a, b,
                 left ? "left" : "left out", (int)truth, (int)answer, setup->sample->text);
}

static bool is_blocking(const struct event *event)
{
    return event_acquires(event) && !(event->flags & EVENT_TRY) && event->op != EVENT_WAIT_END;
}

static void compare_all(const struct setup *setup, enum model model, struct seen *seen)
{
    const struct history *history = setup->sample->history;
    struct search_index *indices[2] = {search_index_create(history, model),
                                       search_index_create(setup->part, model)};
    struct search *whole = search_create(indices[0]), *part = search_create(indices[1]);
    const struct event *events = history->events;
    for (uint32_t a = 0; a < history->count; a++)
        for (uint32_t b = a + 1; b < history->count; b++)
            if (event_conflict(&events[a], &events[b]))
                compare(setup, whole, part, SEARCH_RACE, a, b, model == MODEL_SYNC, seen);
            else if (is_blocking(&events[a]) && is_blocking(&events[b]) &&
                     events[a].thread != events[b].thread)
                compare(setup, whole, part, SEARCH_DEADLOCK, a, b, false, seen);
    search_destroy(whole);
    search_destroy(part);
    search_index_destroy(indices[0]);
    search_index_destroy(indices[1]);
}

static uint64_t places_of(const struct event *a, const struct event *b)
{
    return a->location < b->location ? map_pair(a->location, b->location)
                                     : map_pair(b->location, a->location);
}

/* Pairs of places that `sync` has a witness for. */
static void find_places(const struct history *history, struct map *places)
{
    struct search_index *index = search_index_create(history, MODEL_SYNC);
    struct search *search = search_create(index);
    const struct event *events = history->events;
    for (uint32_t a = 0; a < history->count; a++)
        for (uint32_t b = a + 1; b < history->count; b++)
            if (event_conflict(&events[a], &events[b]) &&
                ask(search, SEARCH_RACE, a, b) == SEARCH_WITNESS)
                map_at(places, places_of(&events[a], &events[b]), NULL);
    search_destroy(search);
    search_index_destroy(index);
}

static void compare_places(const struct setup *setup)
{
    struct map whole = {0}, part = {0};
    find_places(setup->sample->history, &whole);
    find_places(setup->part, &part);
    for (size_t i = map_first(&whole); i < whole.capacity; i = map_following(&whole, i))
        if (!map_find(&part, whole.entries[i].key))
            fail_msg("places %u and %u do not meet any more\n%s",
                     (uint32_t)(whole.entries[i].key >> 32), (uint32_t)whole.entries[i].key,
                     setup->sample->text);
    map_free(&whole);
    map_free(&part);
}

/* Accesses that happen-before does not order are all left. */
static void compare_observed(const struct setup *setup)
{
    const struct history *history = setup->sample->history;
    struct order *order = order_create(ORDER_LOCKS | ORDER_SIGNALS | ORDER_C11);
    struct epoch *when = NEW_ARRAY(struct epoch, history->count);
    for (uint32_t b = 0; b < history->count; b++) {
        const struct event *event = &history->events[b];
        const struct vclock *clock = order_clock(order, event->thread);
        when[b] = (struct epoch){event->thread, vclock_get(clock, event->thread)};
        for (uint32_t a = 0; a < b; a++)
            if (event_conflict(&history->events[a], event) && !vclock_saw(clock, when[a]) &&
                (setup->where[a] == POS_NONE || setup->where[b] == POS_NONE))
                fail_msg("%u and %u raced and are left out\n%s", a, b, setup->sample->text);
        order_step(order, event);
    }
    order_destroy(order);
    free(when);
}

static void check(const struct sample *sample, uint64_t seed, void *context)
{
    (void)seed;
    struct setup setup = {.sample = sample};
    const struct history *history = sample->history;
    struct selection *selection = sift_events(history->events, history->count);
    if (!selection)
        return;
    sift(&setup, selection, context);
    for (enum model model = MODEL_SYNC; model < MODEL_COUNT; model++)
        compare_all(&setup, model, context);
    compare_places(&setup);
    compare_observed(&setup);
    history_destroy(setup.part);
    free(setup.where);
    selection_release(selection);
}

static void test_shape(void **state)
{
    struct seen seen = {0};
    campaign("SIFT", *state, 60, check, &seen);
    assert_true(seen.witnesses > 0 && seen.refuted > 0 && seen.left_out > 0);
}

static void test_samples(void **state)
{
    struct seen seen = {0};
    campaign("SIFT", *state, 60, check, &seen);
    assert_true(seen.sampled > 0 && seen.left_out > 0);
}

int main(void)
{
    static const char *const shapes[] = {
        "basic:forks,variables=12,events=40,locations=3",
        "locks:variables=8,events=40,locations=3",
        "locks:forks,variables=10,events=50,locations=2,guarded=80",
        "deadlock:forks,variables=10,events=40",
        "tries:forks,variables=10,events=30",
        "rwlocks:forks,variables=10,events=40,locations=3",
        "conditions:variables=10,events=30",
        "barriers:variables=10,events=40,locations=3",
        "semaphores:variables=10,events=40",
        "once:variables=10,events=40",
        "atomics:forks,variables=10,events=40,locations=3",
        "values:forks,variables=12,events=30",
        "all:-blocks,-branches,forks,variables=12,events=30",
    };
    enum { SHAPES = sizeof shapes / sizeof *shapes };
    struct CMUnitTest tests[SHAPES + 1];
    for (size_t i = 0; i < SHAPES; i++)
        tests[i] = (struct CMUnitTest){shapes[i], test_shape, NULL, NULL, (void *)shapes[i]};
    tests[SHAPES] = (struct CMUnitTest){"samples", test_samples, NULL, NULL,
                                        (void *)"locks:forks,variables=6,events=60,guarded=60"};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
