/* SPDX-License-Identifier: MIT */
#include "smt/smt_hunt.h"

#include <time.h>

/* Unless one is asked for, a window is as large as can be afforded: its clocks' memory, in
 * events times threads, and the events that its pairs may have to try. */
#define WINDOW_CLOCKS   (UINT32_C(1) << 26)
#define WINDOW_WORK     (UINT64_C(1) << 31)
#define WINDOW_LEAST    2000
#define STANDARD_BUDGET 20000000
/* Plans that may be tried for a pair; every so often it is asked what they cost Z3. */
#define ROUNDS_MAX  1000
#define ROUNDS_FREE 8

void hunt_open_encoding(struct hunt *hunt)
{
    const struct smt_window *window = hunt->window;
    hunt->encoding = hunt->options->eager
                         ? smt_encode(window, window->length, hunt->options->style)
                         : smt_encode_begin(window, window->length, hunt->options->style);
}

static uint32_t budget_of(const struct hunt *hunt)
{
    return hunt->options->budget ? hunt->options->budget : STANDARD_BUDGET;
}

static void open_solver(struct hunt *hunt)
{
    struct smt_limits limits = {budget_of(hunt), hunt->options->seconds};
    if (!hunt->context)
        hunt->context = smt_context_create();
    hunt->solver = smt_solver_create(hunt->context, hunt->encoding, &limits);
}

void hunt_close_encoding(struct hunt *hunt)
{
    smt_solver_destroy(hunt->solver);
    smt_encoding_destroy(hunt->encoding);
    hunt->solver = NULL;
    hunt->encoding = NULL;
}

void hunt_report(struct hunt *hunt, const uint32_t *witness, uint32_t length)
{
    hunt->counts->witnesses++;
    hunt->client->found(hunt->client->self, witness, length);
}

void hunt_report_trial(struct hunt *hunt)
{
    const struct smt_positions *witness = smt_trial_witness(hunt->trial);
    hunt_report(hunt, witness->items, (uint32_t)witness->count);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Asks Z3, tries its plan, tells it what that breaks, and asks again. */
static enum smt_answer solve(struct hunt *hunt, const struct smt_pair *pair)
{
    uint64_t spent = smt_solver_spent(hunt->solver);
    double deadline = hunt->options->seconds > 0 ? now() + hunt->options->seconds : 0;
    const uint32_t next[2] = {pair->first, pair->second};
    const struct smt_goal goal = {.next = next, .next_count = 2};
    hunt->assumptions.count = 0;
    smt_assume(hunt->encoding, &goal, &hunt->assumptions);
    for (uint32_t round = 1; round <= ROUNDS_MAX; round++) {
        if (deadline > 0 && now() > deadline) /* Z3's own clock is a thread that may be late */
            return SMT_UNKNOWN;
        enum smt_answer answer = smt_solver_ask(hunt->solver, &hunt->assumptions);
        if (answer != SMT_YES)
            return answer;
        hunt->counts->rounds++;
        switch (smt_trial_run(hunt->trial, hunt->encoding, smt_solver_plan(hunt->solver), &goal)) {
        case SMT_CORRECT:
            return SMT_YES;
        case SMT_STUCK: /* it breaks what Z3 was told: not seen yet, and not believed */
            return SMT_UNKNOWN;
        case SMT_BROKEN:
            break;
        }
        if (round % ROUNDS_FREE == 0 && smt_solver_spent(hunt->solver) - spent > budget_of(hunt))
            return SMT_UNKNOWN;
    }
    return SMT_UNKNOWN;
}

static enum smt_answer solve_with_z3(struct hunt *hunt, const struct smt_pair *pair)
{
    if (!hunt->encoding)
        hunt_open_encoding(hunt);
    if (!hunt->solver)
        open_solver(hunt);
    return solve(hunt, pair);
}

static void solve_and_report(struct hunt *hunt, const struct smt_pair *pair)
{
    switch (solve_with_z3(hunt, pair)) {
    case SMT_YES:
        hunt_report_trial(hunt);
        break;
    case SMT_NO:
        hunt->counts->refuted++;
        break;
    case SMT_UNKNOWN:
        array_push(&hunt->open, *pair);
        hunt_close_encoding(hunt); /* Z3 was stopped somewhere: its later answers may be wrong */
        break;
    }
    if (hunt->options->fresh)
        hunt_close_encoding(hunt);
}

bool hunt_wants(struct hunt *hunt, const struct smt_pair *pair)
{
    bool wanted = hunt->client->wanted(hunt->client->self, pair->first, pair->second);
    hunt->counts->must_pairs -= !wanted; /* another pair made it unnecessary */
    return wanted;
}

static void solve_all(struct hunt *hunt)
{
    for (size_t i = 0; i < hunt->todo.count; i++)
        if (hunt_wants(hunt, &hunt->todo.items[i]))
            solve_and_report(hunt, &hunt->todo.items[i]);
}

static void open_window(struct hunt *hunt, uint32_t start, uint32_t end)
{
    hunt->window = smt_window_create(hunt->rules, start, end);
    hunt->trial = smt_trial_create(hunt->window);
}

static void close_window(struct hunt *hunt)
{
    hunt_close_encoding(hunt);
    smt_trial_destroy(hunt->trial);
    smt_window_destroy(hunt->window);
}

/* A pair that was too hard may have a witness that begins like the observed run: it is
 * looked for in smaller and smaller windows around the pair. That there is none there, says
 * nothing. */
static bool find_in_smaller(struct hunt *hunt, const struct smt_pair *pair, uint32_t size)
{
    uint32_t distance = pair->second - pair->first + 1;
    for (size /= 4; size >= WINDOW_LEAST && size / 2 >= distance; size /= 4) {
        uint32_t before = (size - distance) / 2;
        uint32_t start = pair->first > before ? pair->first - before : 0;
        uint32_t left = hunt->rules->history->count - start;
        open_window(hunt, start, start + (size < left ? size : left));
        bool found = solve_with_z3(hunt, pair) == SMT_YES;
        if (found)
            hunt_report_trial(hunt);
        close_window(hunt);
        if (found)
            return true;
    }
    return false;
}

static void retry_open(struct hunt *hunt, uint32_t size)
{
    for (size_t i = 0; i < hunt->open.count; i++)
        if (hunt_wants(hunt, &hunt->open.items[i]) &&
            (hunt->options->window || !find_in_smaller(hunt, &hunt->open.items[i], size)))
            hunt->counts->unknown++;
    hunt->open.count = 0;
}

/* The pairs that begin before `until` in the window, which is open. */
static int hunt_in_window(struct hunt *hunt)
{
    int result = 0;
    uint32_t size = hunt->window->end - hunt->window->start;
    if (!hunt->options->z3_alone && hunt->todo.count)
        result = hunt_decide_cheaply(hunt);
    if (!result)
        solve_all(hunt);
    close_window(hunt);
    retry_open(hunt, size);
    return result;
}

/* Opens the window at `start` that can be afforded, of at most *size events, and finds its
 * pairs. Windows overlap by half, so that a pair less than half a window apart fits in one; each
 * pair belongs to the window in whose first half it begins. False: it is the last one. */
static bool open_affordable(struct hunt *hunt, uint32_t start, uint32_t *size)
{
    uint32_t count = hunt->rules->history->count;
    struct smt_counts counts = *hunt->counts;
    for (;;) {
        bool last = count - start <= *size;
        uint32_t step = *size / 2 ? *size / 2 : 1, end = last ? count : start + *size;
        open_window(hunt, start, end);
        smt_pairs_find(hunt->pairs, hunt->window, last ? count : start + step, hunt->client,
                       hunt->counts, &hunt->todo);
        if (hunt->options->window || *size <= WINDOW_LEAST ||
            hunt->todo.count * (uint64_t)(end - start) <= WINDOW_WORK)
            return !last;
        close_window(hunt);
        *hunt->counts = counts;
        *size = (end - start) / 2;
    }
}

static int hunt_everywhere(struct hunt *hunt)
{
    const struct history *history = hunt->rules->history;
    uint32_t most = hunt->options->window;
    if (!most)
        most = WINDOW_CLOCKS / (history->threads ? history->threads : 1);
    if (most < WINDOW_LEAST && !hunt->options->window)
        most = WINDOW_LEAST;
    uint32_t size = most;
    int result = 0;
    bool more = history->count > 0;
    for (uint32_t start = 0; more && !result;) {
        more = open_affordable(hunt, start, &size);
        result = hunt_in_window(hunt);
        start += size / 2 ? size / 2 : 1;
        size = size < most / 2 ? 2 * size : most;
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
    search_destroy(hunt.search);
    search_index_destroy(hunt.index);
    smt_context_destroy(hunt.context);
    smt_pairs_destroy(hunt.pairs);
    array_free(&hunt.todo);
    array_free(&hunt.open);
    array_free(&hunt.assumptions);
    return result;
}
