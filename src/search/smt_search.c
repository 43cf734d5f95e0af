#include "search/smt_search.h"

#include "model/checker.h"
#include "search/search.h"
#include "search/smt_pairs.h"
#include "search/smt_propagate.h"
#include "search/smt_solver.h"

#include <assert.h>

/* Found by trying: larger windows cost more than linearly. */
#define STANDARD_WINDOW 10000
#define STANDARD_BUDGET 20000000
/* Events that a guess may schedule, beside a few times the whole trace. */
#define GUESS_STEPS 5000
/* Choices that propagation may make for a pair, and events that it may try for that; with
 * many pairs it pays to have Z3. */
#define CHOICES_MAX    16
#define CHOICES_EVENTS 200000
#define FEW_PAIRS      8
/* Plans that may be tried for a pair. */
#define ROUNDS_MAX 1000

struct hunt {
    const struct rules *rules;
    const struct smt_options *options;
    const struct smt_client *client;
    struct smt_counts *counts;
    struct error *error;
    struct smt_pairs *pairs;
    struct search_index *index;
    struct search *guesser;      /* NULL: no guesses */
    struct smt_context *context; /* made when the first solver needs it */
    struct smt_window *window;
    struct smt_trial *trial;
    struct smt_encoding *encoding; /* what was broken so far, for all pairs of the window */
    struct smt_propagation *propagation;
    struct smt_solver *solver;
    struct smt_pair_list todo;
    struct smt_refs assumptions;
};

static void open_encoding(struct hunt *hunt)
{
    const struct smt_window *window = hunt->window;
    hunt->encoding = hunt->options->eager
                         ? smt_encode(window, window->length, hunt->options->style)
                         : smt_encode_begin(window, window->length, hunt->options->style);
}

static void open_solver(struct hunt *hunt)
{
    uint32_t budget = hunt->options->budget ? hunt->options->budget : STANDARD_BUDGET;
    if (!hunt->context)
        hunt->context = smt_context_create();
    hunt->solver = smt_solver_create(hunt->context, hunt->encoding, budget);
}

static void close_encoding(struct hunt *hunt)
{
    smt_solver_destroy(hunt->solver);
    smt_encoding_destroy(hunt->encoding);
    hunt->solver = NULL;
    hunt->encoding = NULL;
}

static void report(struct hunt *hunt, const uint32_t *witness, uint32_t length)
{
    hunt->counts->witnesses++;
    hunt->client->found(hunt->client->self, witness, length);
}

static void report_trial(struct hunt *hunt)
{
    const struct smt_positions *witness = smt_trial_witness(hunt->trial);
    report(hunt, witness->items, (uint32_t)witness->count);
}

/* The order search's word is checked like everybody's. */
static int report_guess(struct hunt *hunt, const struct smt_pair *pair,
                        const struct search_witness *witness)
{
    const uint32_t events[2] = {pair->first, pair->second};
    struct claim claim = {FINDING_RACE, events, 2, witness->events, witness->length};
    struct complaint complaint;
    if (!witness_check(hunt->rules, &claim, &complaint))
        return error_set(hunt->error, ERROR_INTERNAL,
                         "the witness for events %u and %u is wrong at %u (event %u): %s",
                         pair->first, pair->second, complaint.at, complaint.pos, complaint.rule);
    hunt->counts->guessed++;
    report(hunt, witness->events, witness->length);
    return 0;
}

/* Asks Z3, tries its plan, tells it what that breaks, and asks again. */
static enum smt_answer solve(struct hunt *hunt, const struct smt_pair *pair)
{
    hunt->assumptions.count = 0;
    smt_assume_race(hunt->encoding, pair->first, pair->second, &hunt->assumptions);
    for (uint32_t round = 0; round < ROUNDS_MAX; round++) {
        enum smt_answer answer = smt_solver_ask(hunt->solver, &hunt->assumptions);
        if (answer != SMT_YES)
            return answer;
        hunt->counts->rounds++;
        switch (smt_trial_run(hunt->trial, hunt->encoding, smt_solver_plan(hunt->solver),
                              (uint32_t[]){pair->first, pair->second})) {
        case SMT_CORRECT:
            return SMT_YES;
        case SMT_STUCK:
            assert(!"a plan breaks what Z3 was told");
            return SMT_UNKNOWN;
        case SMT_BROKEN:
            break;
        }
    }
    return SMT_UNKNOWN;
}

static void solve_and_report(struct hunt *hunt, const struct smt_pair *pair)
{
    if (!hunt->encoding)
        open_encoding(hunt);
    if (!hunt->solver)
        open_solver(hunt);
    switch (solve(hunt, pair)) {
    case SMT_YES:
        report_trial(hunt);
        break;
    case SMT_NO:
        hunt->counts->refuted++;
        break;
    case SMT_UNKNOWN:
        hunt->counts->unknown++;
        break;
    }
    if (hunt->options->fresh)
        close_encoding(hunt);
}

static bool is_wanted(struct hunt *hunt, const struct smt_pair *pair)
{
    bool wanted = hunt->client->wanted(hunt->client->self, pair->first, pair->second);
    hunt->counts->must_pairs -= !wanted; /* another pair made it unnecessary */
    return wanted;
}

static uint32_t few_choices(const struct hunt *hunt)
{
    uint32_t choices = CHOICES_EVENTS / (hunt->window->end - hunt->window->start);
    return choices < CHOICES_MAX ? choices : CHOICES_MAX;
}

/* Takes the pairs off the list that are decided with so many choices. With `observed_only`
 * reads see what they saw, so that there is less to choose and only a witness decides. */
static void propagate_all(struct hunt *hunt, uint32_t choices, bool observed_only)
{
    size_t kept = 0;
    hunt->propagation = smt_propagation_create(hunt->window);
    if (!hunt->encoding)
        open_encoding(hunt);
    hunt->encoding->observed_only = observed_only;
    for (size_t i = 0; i < hunt->todo.count; i++) {
        struct smt_pair pair = hunt->todo.items[i];
        if (!is_wanted(hunt, &pair))
            continue;
        enum smt_answer answer = smt_propagate(hunt->propagation, hunt->trial, hunt->encoding,
                                               pair.first, pair.second, choices);
        bool decided = answer == SMT_YES || (answer == SMT_NO && !observed_only);
        hunt->counts->followed += decided;
        if (answer == SMT_YES)
            report_trial(hunt);
        else if (decided)
            hunt->counts->refuted++;
        else
            hunt->todo.items[kept++] = pair;
    }
    hunt->todo.count = kept;
    smt_propagation_destroy(hunt->propagation);
    if (!hunt->options->eager)
        close_encoding(hunt); /* most of it is about pairs that are decided */
}

/* Takes the pairs off the list for which a witness is easily found: one that keeps all
 * that was read is easier to find, and good for any model. */
static int guess_witnesses(struct hunt *hunt)
{
    size_t kept = 0;
    int result = 0;
    if (!hunt->guesser) {
        enum model model = hunt->rules->model == MODEL_SYNC ? MODEL_SYNC : MODEL_RF;
        hunt->index = search_index_create(hunt->rules->history, model);
        hunt->guesser = search_create(hunt->index);
    }
    for (size_t i = 0; i < hunt->todo.count && !result; i++) {
        struct smt_pair pair = hunt->todo.items[i];
        const uint32_t events[2] = {pair.first, pair.second};
        struct search_query query = {SEARCH_RACE, events, 2,
                                     GUESS_STEPS + 2 * (uint64_t)hunt->rules->history->count};
        struct search_witness witness;
        if (!is_wanted(hunt, &pair))
            continue;
        if (search_reach(hunt->guesser, &query, &witness) != SEARCH_WITNESS) {
            hunt->todo.items[kept++] = pair;
            continue;
        }
        result = report_guess(hunt, &pair, &witness);
    }
    hunt->todo.count = kept;
    return result;
}

static void solve_all(struct hunt *hunt)
{
    for (size_t i = 0; i < hunt->todo.count; i++)
        if (is_wanted(hunt, &hunt->todo.items[i]))
            solve_and_report(hunt, &hunt->todo.items[i]);
}

/* Whatever is cheaper than Z3. */
static int decide_cheaply(struct hunt *hunt)
{
    if (hunt->rules->model == MODEL_VALUE)
        propagate_all(hunt, 0, true);
    propagate_all(hunt, 0, false);
    bool tried = hunt->todo.count <= FEW_PAIRS;
    if (hunt->todo.count && tried)
        propagate_all(hunt, few_choices(hunt), false);
    int result = hunt->todo.count ? guess_witnesses(hunt) : 0;
    if (!result && hunt->todo.count && hunt->todo.count <= FEW_PAIRS && !tried)
        propagate_all(hunt, few_choices(hunt), false);
    return result;
}

static int hunt_in_window(struct hunt *hunt, uint32_t start, uint32_t end, uint32_t until)
{
    int result = 0;
    hunt->window = smt_window_create(hunt->rules, start, end);
    hunt->trial = smt_trial_create(hunt->window);
    smt_pairs_find(hunt->pairs, hunt->window, until, hunt->client, hunt->counts, &hunt->todo);
    if (!hunt->options->z3_alone && hunt->todo.count)
        result = decide_cheaply(hunt);
    if (!result)
        solve_all(hunt);
    close_encoding(hunt);
    smt_trial_destroy(hunt->trial);
    smt_window_destroy(hunt->window);
    return result;
}

static int hunt_everywhere(struct hunt *hunt)
{
    /* Windows overlap by half, so that a pair less than half a window apart fits
     * in one; each pair belongs to the window in whose first half it begins. */
    uint32_t count = hunt->rules->history->count;
    uint32_t size = hunt->options->window ? hunt->options->window : STANDARD_WINDOW;
    uint32_t step = size / 2 ? size / 2 : 1;
    int result = 0;
    for (uint32_t start = 0; start < count && !result; start += step) {
        bool last = count - start <= size;
        result =
            hunt_in_window(hunt, start, last ? count : start + size, last ? count : start + step);
        if (last)
            break;
    }
    return result;
}

int smt_search(const struct rules *rules, const struct smt_options *options,
               const struct smt_client *client, struct smt_counts *counts, struct error *error)
{
    struct hunt hunt = {.rules = rules,
                        .options = options,
                        .client = client,
                        .counts = counts,
                        .error = error,
                        .pairs = smt_pairs_create(rules->history)};
    *counts = (struct smt_counts){0};
    int result = hunt_everywhere(&hunt);
    if (hunt.guesser) {
        search_destroy(hunt.guesser);
        search_index_destroy(hunt.index);
    }
    smt_context_destroy(hunt.context);
    smt_pairs_destroy(hunt.pairs);
    array_free(&hunt.todo);
    array_free(&hunt.assumptions);
    return result;
}
