#include "search/smt_search.h"

#include "model/checker.h"
#include "search/smt_cone.h"
#include "search/smt_pairs.h"
#include "search/smt_solver.h"
#include "search/smt_witness.h"

#include <time.h>

/* Found by trying: larger windows cost more than linearly. */
#define STANDARD_WINDOW 10000
#define STANDARD_BUDGET 20000000

struct search {
    const struct rules *rules;
    const struct smt_options *options;
    const struct smt_client *client;
    struct smt_counts *counts;
    struct error *error;
    struct smt_pairs *pairs;
    struct smt_window *window;
    struct smt_cone *cone;
    struct smt_encoding *encoding;
    struct smt_solver *solver;
    struct smt_pair_list todo;
    struct smt_refs assumptions;
    struct smt_positions witness;
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void close_solver(struct search *search)
{
    smt_solver_destroy(search->solver);
    smt_encoding_destroy(search->encoding);
    search->solver = NULL;
    search->encoding = NULL;
}

static void open_solver(struct search *search, const uint32_t *needed)
{
    uint32_t budget = search->options->budget ? search->options->budget : STANDARD_BUDGET;
    search->encoding = smt_encode(search->window, needed, search->options->style);
    search->solver = smt_solver_create(search->encoding, budget);
}

/* One formula for all pairs: the union of their cones. */
static void open_for_all(struct search *search)
{
    uint32_t threads = search->rules->history->threads;
    uint32_t *needed = memory_copy(search->window->baseline, threads * sizeof *needed);
    for (size_t i = 0; i < search->todo.count; i++) {
        const struct smt_pair *pair = &search->todo.items[i];
        const uint32_t *cone = smt_cone_find(search->cone, pair->first, pair->second);
        for (uint32_t thread = 0; thread < threads; thread++)
            if (cone[thread] > needed[thread])
                needed[thread] = cone[thread];
    }
    open_solver(search, needed);
    free(needed);
}

static int report(struct search *search, const struct smt_pair *pair)
{
    smt_witness(search->encoding, smt_solver_model(search->solver), pair->first, pair->second,
                &search->witness);
    const uint32_t events[2] = {pair->first, pair->second};
    struct claim claim = {FINDING_RACE, events, 2, search->witness.items,
                          (uint32_t)search->witness.count};
    struct complaint complaint;
    if (!witness_check(search->rules, &claim, &complaint))
        return error_set(search->error, ERROR_INTERNAL,
                         "the solver's witness for events %u and %u is wrong at %u (event %u): %s",
                         pair->first, pair->second, complaint.at, complaint.pos, complaint.rule);
    search->counts->witnesses++;
    search->client->found(search->client->self, search->witness.items,
                          (uint32_t)search->witness.count);
    return 0;
}

static int solve(struct search *search, const struct smt_pair *pair)
{
    const uint32_t *cone = smt_cone_find(search->cone, pair->first, pair->second);
    if (search->options->fresh)
        open_solver(search, cone);
    search->assumptions.count = 0;
    smt_assume_race(search->encoding, pair->first, pair->second, cone, &search->assumptions);
    int result = 0;
    switch (smt_solver_ask(search->solver, &search->assumptions)) {
    case SMT_YES:
        result = report(search, pair);
        break;
    case SMT_NO:
        search->counts->refuted++;
        break;
    case SMT_UNKNOWN:
        search->counts->unknown++;
        break;
    }
    if (search->options->fresh)
        close_solver(search);
    return result;
}

static int search_window(struct search *search, uint32_t start, uint32_t end, uint32_t until)
{
    search->window = smt_window_create(search->rules, start, end);
    smt_pairs_find(search->pairs, search->window, until, search->client, search->counts,
                   &search->todo);
    int result = 0;
    double began = now();
    if (search->todo.count) {
        search->cone = smt_cone_create(search->window);
        if (!search->options->fresh)
            open_for_all(search);
        for (size_t i = 0; i < search->todo.count && !result; i++) {
            const struct smt_pair *pair = &search->todo.items[i];
            if (search->client->wanted(search->client->self, pair->first, pair->second))
                result = solve(search, pair);
            else
                search->counts->must_pairs--; /* another pair made it unnecessary */
        }
        close_solver(search);
        smt_cone_destroy(search->cone);
    }
    search->counts->solving += now() - began;
    smt_window_destroy(search->window);
    return result;
}

int smt_search(const struct rules *rules, const struct smt_options *options,
               const struct smt_client *client, struct smt_counts *counts, struct error *error)
{
    uint32_t count = rules->history->count;
    uint32_t size = options->window ? options->window : STANDARD_WINDOW;
    struct search search = {.rules = rules,
                            .options = options,
                            .client = client,
                            .counts = counts,
                            .error = error,
                            .pairs = smt_pairs_create(rules->history)};
    *counts = (struct smt_counts){0};
    int result = 0;
    /* Windows overlap by half, so that a pair less than half a window apart fits
     * in one; each pair belongs to the window in whose first half it begins. */
    uint32_t step = size / 2 ? size / 2 : 1;
    for (uint32_t start = 0; start < count && !result; start += step) {
        bool last = count - start <= size;
        uint32_t end = last ? count : start + size;
        result = search_window(&search, start, end, last ? count : start + step);
        if (last)
            break;
    }
    smt_pairs_destroy(search.pairs);
    array_free(&search.todo);
    array_free(&search.assumptions);
    array_free(&search.witness);
    return result;
}
