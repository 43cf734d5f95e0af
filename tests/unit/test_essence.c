/* What of a history matters, against the whole of it: on random traces with all kinds of
 * synchronisation every race and deadlock has the same answer, and the turns that were found in
 * the one are accepted as a schedule of the other. */
#include "base/random.h"
#include "model/checker.h"
#include "search/essence.h"
#include "search/solve.h"
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
    struct search_index *index;
    struct essence *essence;
    struct search *whole, *part;
};

/* What the tests came across, so that none of it is never tried. */
struct seen {
    uint32_t witnesses, refuted, left_out;
};

static bool accepted(const struct setup *setup, const struct search_query *query,
                     const struct search_witness *witness)
{
    struct complaint complaint;
    uint32_t length, *turns = essence_turns(setup->essence, witness, query->count, &length);
    struct claim claim = {query->goal == SEARCH_RACE ? FINDING_RACE : FINDING_DEADLOCK,
                          query->events,
                          query->count,
                          turns,
                          length,
                          true};
    bool good = witness_check(setup->index->rules, &claim, &complaint);
    if (!good)
        fprintf(stderr, "at %u, event %u: %s\n", complaint.at, complaint.pos, complaint.rule);
    free(turns);
    return good;
}

static enum search_answer ask_part(const struct setup *setup, const struct search_query *query,
                                   struct search_witness *witness)
{
    uint32_t events[2];
    for (uint32_t i = 0; i < 2; i++)
        if ((events[i] = essence_pos(setup->essence, query->events[i])) == POS_NONE)
            return SEARCH_REFUTED;
    struct search_query inner = {query->goal, events, 2, query->budget};
    return search_reach(setup->part, &inner, witness);
}

static void compare(const struct setup *setup, enum search_goal goal, uint32_t a, uint32_t b,
                    struct seen *seen)
{
    const uint32_t events[2] = {a, b};
    struct search_query query = {goal, events, 2, 0};
    struct search_witness one, other;
    enum search_answer truth = search_reach(setup->whole, &query, &one);
    enum search_answer answer = ask_part(setup, &query, &other);
    seen->witnesses += truth == SEARCH_WITNESS;
    seen->refuted += truth == SEARCH_REFUTED;
    if (answer == truth && (answer != SEARCH_WITNESS || accepted(setup, &query, &other)))
        return;
    fail_msg("%u and %u under %s: %d of the whole, %d of a part\n%s", a, b,
             model_text(setup->index->model), (int)truth, (int)answer, setup->sample->text);
}

static bool is_blocking(const struct event *event)
{
    return event_acquires(event) && !(event->flags & EVENT_TRY) && event->op != EVENT_WAIT_END;
}

static void compare_all(const struct setup *setup, const bool *asked, struct seen *seen)
{
    const struct history *history = setup->sample->history;
    const struct event *events = history->events;
    for (uint32_t a = 0; a < history->count; a++)
        for (uint32_t b = a + 1; b < history->count; b++)
            if (asked[a] && asked[b] && event_conflict(&events[a], &events[b]))
                compare(setup, SEARCH_RACE, a, b, seen);
            else if (is_blocking(&events[a]) && is_blocking(&events[b]) &&
                     events[a].thread != events[b].thread)
                compare(setup, SEARCH_DEADLOCK, a, b, seen);
}

/* Some of the accesses are asked for, as in a run in which most are no candidates. */
static void check(const struct sample *sample, uint64_t seed, void *context)
{
    struct seen *seen = context;
    struct random random = {seed};
    const struct history *history = sample->history;
    bool *asked = NEW_ARRAY(bool, history->count);
    for (uint32_t pos = 0; pos < history->count; pos++)
        asked[pos] = random_below(&random, 3) != 0;
    for (enum model model = MODEL_SYNC; model < MODEL_COUNT; model++) {
        struct setup setup = {.sample = sample, .index = search_index_create(history, model)};
        setup.essence = essence_create(setup.index, asked, UINT32_MAX);
        if (setup.essence) {
            seen->left_out += history->count - setup.essence->history->count;
            setup.whole = search_create(setup.index);
            setup.part = search_create(setup.essence->index);
            compare_all(&setup, asked, seen);
            search_destroy(setup.whole);
            search_destroy(setup.part);
        }
        essence_destroy(setup.essence);
        search_index_destroy(setup.index);
    }
    free(asked);
}

static void test_shape(void **state)
{
    struct seen seen = {0};
    campaign("ESSENCE", *state, 60, check, &seen);
    assert_true(seen.witnesses > 0 && seen.refuted > 0 && seen.left_out > 0);
}

int main(void)
{
    static const char *const shapes[] = {
        "basic:variables=6,events=40",    "locks:variables=6,events=40",
        "deadlock:variables=6,events=40", "tries:variables=6,events=30",
        "rwlocks:variables=6,events=40",  "conditions:variables=6,events=30",
        "barriers:variables=6,events=30", "semaphores:variables=6,events=30",
        "once:variables=6,events=40",     "atomics:variables=6,events=40",
        "values:variables=6,events=30",   "branches:variables=6,events=30",
        "all:variables=6,events=30",
    };
    struct CMUnitTest tests[sizeof shapes / sizeof *shapes];
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        tests[i] = (struct CMUnitTest){shapes[i], test_shape, NULL, NULL, (void *)shapes[i]};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
