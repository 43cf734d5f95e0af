#include "search/smt_search.h"

#include "model/checker.h"
#include "search/search.h"
#include "search/smt_cone.h"
#include "search/smt_pairs.h"
#include "search/smt_solver.h"
#include "search/smt_witness.h"

/* Found by trying: larger windows cost more than linearly. */
#define STANDARD_WINDOW 10000
#define STANDARD_BUDGET 20000000
/* Events that a guess may schedule, beside a few times the whole trace. */
#define GUESS_STEPS 5000

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
    struct smt_cone *cone;
    struct smt_encoding *encoding;
    struct smt_solver *solver;
    struct smt_pair_list todo;
    struct smt_refs assumptions;
    struct smt_positions witness;
};

static void close_solver(struct hunt *hunt)
{
    smt_solver_destroy(hunt->solver);
    smt_encoding_destroy(hunt->encoding);
    hunt->solver = NULL;
    hunt->encoding = NULL;
}

static void open_solver(struct hunt *hunt, const uint32_t *needed)
{
    uint32_t budget = hunt->options->budget ? hunt->options->budget : STANDARD_BUDGET;
    hunt->encoding = smt_encode(hunt->window, needed, hunt->options->style);
    if (!hunt->context)
        hunt->context = smt_context_create();
    hunt->solver = smt_solver_create(hunt->context, hunt->encoding, budget);
}

/* Small cones first: what Z3 is told grows with them, so easy pairs are asked
 * about while the formula is still small. */
static int compare_sizes(const void *left, const void *right)
{
    const struct smt_pair *a = left, *b = right;
    if (a->cone_size != b->cone_size)
        return a->cone_size < b->cone_size ? -1 : 1;
    if (a->second != b->second)
        return a->second < b->second ? -1 : 1;
    return a->first < b->first ? -1 : a->first > b->first;
}

/* One formula for all pairs: the union of their cones. */
static void open_for_all(struct hunt *hunt)
{
    uint32_t threads = hunt->rules->history->threads;
    uint32_t *needed = memory_copy(hunt->window->baseline, threads * sizeof *needed);
    for (size_t i = 0; i < hunt->todo.count; i++) {
        struct smt_pair *pair = &hunt->todo.items[i];
        const uint32_t *cone = smt_cone_find(hunt->cone, pair->first, pair->second);
        pair->cone_size = 0;
        for (uint32_t thread = 0; thread < threads; thread++) {
            pair->cone_size += cone[thread] - hunt->window->baseline[thread];
            if (cone[thread] > needed[thread])
                needed[thread] = cone[thread];
        }
    }
    if (hunt->todo.count)
        qsort(hunt->todo.items, hunt->todo.count, sizeof *hunt->todo.items, compare_sizes);
    open_solver(hunt, needed);
    free(needed);
}

static int report(struct hunt *hunt, const struct smt_pair *pair, const uint32_t *witness,
                  uint32_t length)
{
    const uint32_t events[2] = {pair->first, pair->second};
    struct claim claim = {FINDING_RACE, events, 2, witness, length};
    struct complaint complaint;
    if (!witness_check(hunt->rules, &claim, &complaint))
        return error_set(hunt->error, ERROR_INTERNAL,
                         "the witness for events %u and %u is wrong at %u (event %u): %s",
                         pair->first, pair->second, complaint.at, complaint.pos, complaint.rule);
    hunt->counts->witnesses++;
    hunt->client->found(hunt->client->self, witness, length);
    return 0;
}

static int solve(struct hunt *hunt, const struct smt_pair *pair)
{
    const uint32_t *cone = smt_cone_find(hunt->cone, pair->first, pair->second);
    if (hunt->options->fresh)
        open_solver(hunt, cone);
    hunt->assumptions.count = 0;
    smt_assume_race(hunt->encoding, pair->first, pair->second, cone, &hunt->assumptions);
    int result = 0;
    switch (smt_solver_ask(hunt->solver, cone, &hunt->assumptions)) {
    case SMT_YES:
        smt_witness(hunt->encoding, smt_solver_model(hunt->solver), pair->first, pair->second,
                    &hunt->witness);
        result = report(hunt, pair, hunt->witness.items, (uint32_t)hunt->witness.count);
        break;
    case SMT_NO:
        hunt->counts->refuted++;
        break;
    case SMT_UNKNOWN:
        hunt->counts->unknown++;
        break;
    }
    if (hunt->options->fresh)
        close_solver(hunt);
    return result;
}

static bool is_wanted(struct hunt *hunt, const struct smt_pair *pair)
{
    bool wanted = hunt->client->wanted(hunt->client->self, pair->first, pair->second);
    hunt->counts->must_pairs -= !wanted; /* another pair made it unnecessary */
    return wanted;
}

/* Takes the pairs off the list for which a witness is easily found. */
static int guess_witnesses(struct hunt *hunt)
{
    size_t kept = 0;
    int result = 0;
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
        hunt->counts->guessed++;
        result = report(hunt, &pair, witness.events, witness.length);
    }
    hunt->todo.count = kept;
    return result;
}

static int solve_all(struct hunt *hunt)
{
    int result = 0;
    hunt->cone = smt_cone_create(hunt->window);
    if (!hunt->options->fresh)
        open_for_all(hunt);
    for (size_t i = 0; i < hunt->todo.count && !result; i++)
        if (is_wanted(hunt, &hunt->todo.items[i]))
            result = solve(hunt, &hunt->todo.items[i]);
    close_solver(hunt);
    smt_cone_destroy(hunt->cone);
    return result;
}

static int hunt_in_window(struct hunt *hunt, uint32_t start, uint32_t end, uint32_t until)
{
    hunt->window = smt_window_create(hunt->rules, start, end);
    smt_pairs_find(hunt->pairs, hunt->window, until, hunt->client, hunt->counts, &hunt->todo);
    int result = 0;
    if (hunt->guesser)
        result = guess_witnesses(hunt);
    if (!result && hunt->todo.count)
        result = solve_all(hunt);
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
    if (!options->no_guess) {
        hunt.index = search_index_create(rules->history, rules->model);
        hunt.guesser = search_create(hunt.index);
    }
    int result = hunt_everywhere(&hunt);
    if (hunt.guesser) {
        search_destroy(hunt.guesser);
        search_index_destroy(hunt.index);
    }
    smt_context_destroy(hunt.context);
    smt_pairs_destroy(hunt.pairs);
    array_free(&hunt.todo);
    array_free(&hunt.assumptions);
    array_free(&hunt.witness);
    return result;
}
