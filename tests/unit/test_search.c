/* The search against the oracle: every pair, cycle and window of small random
 * traces with all kinds of synchronisation, under every model. A witness counts
 * only if the checker accepts it, and a refutation only if there is none. */
#include "base/map.h"
#include "base/random.h"
#include "model/machine.h"
#include "tiddle/generator.h"
#include "oracle/oracle.h"
#include "search/search.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
/* cmocka wants the headers above first */
#include <cmocka.h>

#include "seen_states.h"

#include "campaign.h"

struct setup {
    const struct sample *sample;
    struct truth *truth;
    struct rules *rules;
    struct search_index *index;
    struct search *search;
};

static void compare(const struct setup *setup, enum search_goal goal, const uint32_t *events,
                    uint32_t count, bool truth)
{
    static const char *const names[] = {"next", "race", "deadlock", "window"};
    struct search_query query = {goal, events, count, 0};
    struct search_witness witness;
    enum search_answer answer = search_reach(setup->search, &query, &witness);
    bool checked = answer != SEARCH_WITNESS || search_check(setup->index, &query, &witness);
    if (checked && answer == (truth ? SEARCH_WITNESS : SEARCH_REFUTED))
        return;
    fprintf(stderr, "%s under %s:", names[goal], model_text(setup->truth->model));
    for (uint32_t i = 0; i < count; i++)
        fprintf(stderr, " %u", events[i]);
    fprintf(stderr, " is %s, answer %d, witness %s\n%s", truth ? "true" : "false", answer,
            checked ? "fine" : "wrong", setup->sample->text);
    fail();
}

static void compare_races(const struct setup *setup)
{
    const struct history *history = setup->sample->history;
    for (uint32_t a = 0; a < history->count; a++)
        for (uint32_t b = a + 1; b < history->count; b++)
            if (event_conflict(&history->events[a], &history->events[b]))
                compare(setup, SEARCH_RACE, (uint32_t[]){a, b}, 2, truth_races(setup->truth, a, b));
}

static bool blocks(const struct event *event)
{
    /* A return from a wait may also lack its signal: see the engines' tests. */
    return event_acquires(event) && !(event->flags & EVENT_TRY) && event->op != EVENT_WAIT_END;
}

static void compare_deadlocks(const struct setup *setup)
{
    const struct history *history = setup->sample->history;
    for (uint32_t a = 0; a < history->count; a++)
        for (uint32_t b = a + 1; b < history->count; b++) {
            uint32_t pair[2] = {a, b};
            if (blocks(&history->events[a]) && blocks(&history->events[b]))
                compare(setup, SEARCH_DEADLOCK, pair, 2,
                        truth_deadlock(setup->truth, pair, 2) != NULL);
        }
    for (size_t i = 0; i < setup->truth->deadlocks.count; i++) {
        const struct true_deadlock *deadlock = &setup->truth->deadlocks.items[i];
        bool cycle = true; /* of locks: others are not for this search */
        for (uint32_t k = 0; k < deadlock->count; k++)
            cycle &= blocks(&history->events[deadlock->events[k]]);
        if (cycle)
            compare(setup, SEARCH_DEADLOCK, deadlock->events, deadlock->count, true);
    }
}

struct window {
    uint32_t begin, end, culprit;
};

/* The truth about a window, by walking through all states. */
static bool can_strike(const struct history *history, struct map *seen,
                       const struct machine *machine, const struct window *window)
{
    if (machine_executed(machine, window->culprit) &&
        machine_forbids_sync(machine, window->end) == RULE_NONE)
        return true;
    if (!seen_first(seen, machine))
        return false;
    bool found = false;
    for (uint32_t thread = 0; !found && thread < history->threads; thread++) {
        uint32_t pos = machine_next(machine, thread);
        bool culprit = pos == window->culprit;
        if (pos == POS_NONE || pos == window->end ||
            (culprit && !machine_executed(machine, window->begin)))
            continue;
        if ((culprit ? machine_forbids_sync(machine, pos) : machine_forbids(machine, pos)) !=
            RULE_NONE)
            continue;
        struct machine *copy = machine_copy(machine);
        machine_execute(copy, pos);
        found = can_strike(history, seen, copy, window);
        machine_destroy(copy);
    }
    return found;
}

static void compare_window(const struct setup *setup, const struct window *window)
{
    struct map seen = {0};
    struct machine *machine = machine_create(setup->rules);
    bool truth = can_strike(setup->sample->history, &seen, machine, window);
    machine_destroy(machine);
    map_free(&seen);
    compare(setup, SEARCH_ATOMICITY, (uint32_t[]){window->begin, window->end, window->culprit}, 3,
            truth);
}

static void compare_windows(const struct setup *setup, uint64_t seed)
{
    const struct history *history = setup->sample->history;
    struct random random = {seed};
    for (int tries = 0; tries < 8; tries++) {
        struct window window = {random_below(&random, history->count),
                                random_below(&random, history->count),
                                random_below(&random, history->count)};
        uint32_t thread = history->events[window.end].thread;
        if (window.begin < window.end && history->events[window.begin].thread == thread &&
            history->events[window.culprit].thread != thread)
            compare_window(setup, &window);
    }
}

static void compare_sample(struct oracle *oracle, const struct sample *sample, uint64_t seed)
{
    for (enum model model = MODEL_SYNC; model < MODEL_COUNT; model++) {
        struct error error = {0};
        struct truth truth;
        struct oracle_options options = {.model = model};
        if (oracle_explore(oracle, sample->history, &options, &truth, &error))
            fail_msg("%s", error.text);
        struct setup setup = {sample, &truth, rules_create(sample->history, model),
                              search_index_create(sample->history, model), NULL};
        setup.search = search_create(setup.index);
        compare_races(&setup);
        compare_deadlocks(&setup);
        compare_windows(&setup, seed);
        /* Once more by states alone, with walls from every refutation; and by plans. */
        search_by_states(setup.search);
        compare_races(&setup);
        compare_deadlocks(&setup);
        compare_windows(&setup, seed);
        search_by_plans(setup.search);
        compare_races(&setup);
        compare_deadlocks(&setup);
        compare_windows(&setup, seed);
        search_destroy(setup.search);
        search_index_destroy(setup.index);
        rules_destroy(setup.rules);
        truth_free(&truth);
    }
}

static void check(const struct sample *sample, uint64_t seed, void *oracle)
{
    compare_sample(oracle, sample, seed);
}

static void test_shape(void **state)
{
    struct oracle *oracle = oracle_create();
    campaign("SEARCH", *state, 200, check, oracle);
    oracle_destroy(oracle);
}

int main(void)
{
    static const char *const shapes[] = {"basic",      "locks",    "deadlock",   "tries", "rwlocks",
                                         "conditions", "barriers", "semaphores", "once",  "atomics",
                                         "values",     "branches", "blocks",     "all"};
    struct CMUnitTest tests[sizeof shapes / sizeof *shapes];
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        tests[i] = (struct CMUnitTest){shapes[i], test_shape, NULL, NULL, (void *)shapes[i]};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
