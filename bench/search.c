/* SPDX-License-Identifier: MIT */
/* Witness search, measured: bench_search [SHAPE [SEED [BUDGET]]]
 *
 * All suspicious pairs of a random trace are decided under rf and sync with one
 * thread and with two: how many have witnesses, are refuted or undecided, the time
 * a pair takes, the speed of two threads against one, and whether the outcomes are
 * the same. Then tlh's search for the same pairs: calls with and without re-use; with a
 * budget of 0 only that. */
#include "oracle/generator.h"
#include "tlh/lattice.h"
#include "tlh/rendezvous.h"
#include "search/solve.h"
#include "search/suspects.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static bool same_outcomes(const struct solve_outcome *a, const struct solve_outcome *b,
                          size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (a[i].answer != b[i].answer || a[i].length != b[i].length ||
            (a[i].length && memcmp(a[i].witness, b[i].witness, a[i].length * sizeof(uint32_t))))
            return false;
    return true;
}

static void free_outcomes(struct solve_outcome *outcomes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(outcomes[i].witness);
    free(outcomes);
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The time of single decisions: median, 99th percentile, worst. */
static void measure_each(const struct search_index *index, const struct suspects *suspects,
                         uint64_t budget)
{
    struct search *search = search_create(index);
    double *times = malloc((suspects->pair_count + 1) * sizeof *times);
    for (size_t i = 0; i < suspects->pair_count; i++) {
        struct search_query query = {SEARCH_RACE, &suspects->pairs[i].first, 2, budget};
        struct search_witness witness;
        double start = now();
        search_reach(search, &query, &witness);
        times[i] = (now() - start) * 1e6;
    }
    if (suspects->pair_count) {
        qsort(times, suspects->pair_count, sizeof *times, compare_doubles);
        printf("  a decision: median %.1f us, 99 %% within %.1f us, worst %.1f us\n",
               times[suspects->pair_count / 2], times[suspects->pair_count * 99 / 100],
               times[suspects->pair_count - 1]);
    }
    free(times);
    search_destroy(search);
}

static void measure_model(const struct history *history, enum model model, uint64_t budget)
{
    struct ladder ladder;
    struct suspects suspects;
    ladder_create(&ladder, history, model, 1);
    suspects_find(&suspects, ladder_weakest(&ladder), ladder_value(&ladder), true, 0);
    struct solve_task *tasks = calloc(suspects.count + 1, sizeof *tasks);
    for (size_t i = 0; i < suspects.count; i++)
        tasks[i] = (struct solve_task){.goal = SEARCH_RACE,
                                       .events = &suspects.pairs[suspects.items[i].start].first,
                                       .size = 2,
                                       .count = suspects.items[i].count};
    struct solve_outcome *outcomes[2];
    double seconds[2];
    for (uint32_t jobs = 1; jobs <= 2; jobs++) {
        outcomes[jobs - 1] = calloc(suspects.count + 1, sizeof(struct solve_outcome));
        double start = now();
        solve_all(&ladder, tasks, outcomes[jobs - 1], suspects.count, jobs, budget);
        seconds[jobs - 1] = now() - start;
    }
    size_t counts[3] = {0};
    for (size_t i = 0; i < suspects.count; i++)
        counts[outcomes[0][i].answer]++;
    printf("%s: %zu pairs, %zu witnesses, %zu refuted, %zu undecided (%.2f %%)\n",
           model_text(model), suspects.count, counts[SEARCH_WITNESS], counts[SEARCH_REFUTED],
           counts[SEARCH_EXHAUSTED],
           suspects.count ? 100.0 * (double)counts[SEARCH_EXHAUSTED] / (double)suspects.count : 0);
    printf("  one thread %.3f s, two %.3f s: ratio %.2f, outcomes %s\n", seconds[0], seconds[1],
           seconds[0] / seconds[1],
           same_outcomes(outcomes[0], outcomes[1], suspects.count) ? "the same" : "DIFFERENT");
    measure_each(ladder.rungs[0], &suspects, budget);
    free_outcomes(outcomes[0], suspects.count);
    free_outcomes(outcomes[1], suspects.count);
    free(tasks);
    suspects_free(&suspects);
    ladder_free(&ladder);
}

struct reuse {
    const struct history *history;
    struct lock_histories *histories;
    struct rendezvous *rendezvous;
};

static struct lattice *lattice_for(const struct reuse *reuse, const uint32_t targets[2])
{
    const struct history *history = reuse->history;
    uint32_t done[2], threads[2], start[2];
    rendezvous_last(reuse->rendezvous, targets, done);
    for (int i = 0; i < 2; i++) {
        threads[i] = history->events[targets[i]].thread;
        start[i] = lock_histories_before(reuse->histories, threads[i],
                                         history_pos(history, threads[i], done[i]));
    }
    return lattice_create(reuse->histories, threads, start, POS_NONE);
}

/* Pairs looked at, again or for the first time. */
static uint64_t looks_of(const struct lattice *lattice)
{
    const uint64_t *checks = lattice_checks(lattice);
    uint64_t sum = 0;
    for (int i = CHECK_VISITED + 1; i < CHECK_COUNT; i++)
        sum += checks[i];
    return sum;
}

/* Lattices are kept a pair of threads: the traces here have no later meetings. */
static void measure_reuse(const struct history *history)
{
    struct search_index *index = search_index_create(history, MODEL_SYNC);
    struct reuse reuse = {history, lock_histories_create(index), rendezvous_create(index)};
    struct suspects suspects;
    suspects_find(&suspects, index, NULL, true, 0);
    size_t cells = (size_t)history->threads * history->threads;
    struct lattice **kept = calloc(cells, sizeof(struct lattice *));
    uint64_t with = 0, without = 0, looks[2] = {0};
    double seconds[2] = {0};
    for (size_t i = 0; i < suspects.pair_count; i++) {
        uint32_t pair[2] = {suspects.pairs[i].first, suspects.pairs[i].second};
        bool swap = history->events[pair[0]].thread > history->events[pair[1]].thread;
        uint32_t targets[2] = {pair[swap], pair[!swap]};
        struct lattice **place =
            &kept[(size_t)history->events[targets[0]].thread * history->threads +
                  history->events[targets[1]].thread];
        if (!*place)
            *place = lattice_for(&reuse, targets);
        double start = now();
        enum search_answer again = lattice_reach(*place, targets, 0);
        seconds[0] += now() - start;
        start = now();
        struct lattice *fresh = lattice_for(&reuse, targets);
        enum search_answer once = lattice_reach(fresh, targets, 0);
        seconds[1] += now() - start;
        if (again != once)
            printf("  DIFFERENT with re-use: %u %u\n", targets[0], targets[1]);
        without += lattice_calls(fresh);
        looks[1] += looks_of(fresh);
        lattice_destroy(fresh);
    }
    for (size_t i = 0; i < cells; i++) {
        with += kept[i] ? lattice_calls(kept[i]) : 0;
        looks[0] += kept[i] ? looks_of(kept[i]) : 0;
        lattice_destroy(kept[i]);
    }
    printf("tlh: %zu pairs, %llu calls with re-use, %llu without: ratio %.1f (time: %.1f)\n",
           suspects.pair_count, (unsigned long long)with, (unsigned long long)without,
           with ? (double)without / (double)with : 0, seconds[0] > 0 ? seconds[1] / seconds[0] : 0);
    printf("  pairs looked at, again or for the first time: %llu with re-use, %llu without: ratio "
           "%.1f\n",
           (unsigned long long)looks[0], (unsigned long long)looks[1],
           looks[0] ? (double)looks[1] / (double)looks[0] : 0);
    free(kept);
    suspects_free(&suspects);
    rendezvous_destroy(reuse.rendezvous);
    lock_histories_destroy(reuse.histories);
    search_index_destroy(index);
}

int main(int argc, char **argv)
{
    const char *text = argc > 1 ? argv[1] : "large:events=2000,threads=4,variables=20,locks=6";
    struct shape shape;
    struct sample sample;
    struct error error = {0};
    if (shape_parse(&shape, text, &error) ||
        sample_generate(&sample, &shape, argc > 2 ? strtoull(argv[2], NULL, 10) : 1, &error)) {
        fprintf(stderr, "bench_search: %s\n", error.text);
        return 2;
    }
    printf("%s: %u events, %u threads\n", text, sample.history->count, sample.history->threads);
    uint64_t budget = argc > 3 ? strtoull(argv[3], NULL, 10) : SEARCH_BUDGET;
    if (budget) {
        measure_model(sample.history, MODEL_RF, budget);
        measure_model(sample.history, MODEL_SYNC, budget);
    }
    measure_reuse(sample.history);
    sample_free(&sample);
    return 0;
}
