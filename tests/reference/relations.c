/* relations COUNT SEED [ENGINE [SHAPE...]]
 *
 * Runs COUNT random traces of every shape (and of `chunks`, chunks.h) through the engines that
 * implement a relation and compares, pair by pair, with the relation's definition, and with what
 * the papers prove about it:
 *
 *   cp's sound races as its appendix defines them;
 *   hb within cp within wcp; a wcp race means a true race or a true deadlock;
 *   syncp within the truth. */
#include "base/map.h"
#include "engine/engine.h"
#include "tiddle/generator.h"
#include "oracle/oracle.h"
#include "reference/chunks.h"
#include "reference/reference.h"
#include "relations/cp_first.h"

#include <stdio.h>

struct subject {
    const char *name;
    void (*define)(const struct history *history, struct relation *races);
};

static const struct subject subjects[] = {
    {"syncp", reference_syncp},
    {"wcp", reference_wcp},
    {"cp", reference_cp},
    {"mb", reference_mb},
};

static struct oracle *oracle;
static uint64_t compared, pairs_found, checked_truths, first_races;

static struct findings *run_engine(const struct engine *engine, const struct sample *sample,
                                   bool every_pair)
{
    struct engine_options options = {.jobs = 1, .every_pair = every_pair};
    struct engine_run run = {
        .engine = engine,
        .trace = sample->trace,
        .options = &options,
        .findings = findings_create(every_pair),
    };
    struct error error = {0};
    engine_begin(&run);
    engine_feed(&run, sample->history->events, sample->history->count, 0);
    run.history = sample->history;
    if (engine_finish(&run, &error))
        fprintf(stderr, "%s: %s\n", engine->name, error.text), exit(1);
    engine_end(&run);
    return run.findings;
}

static int complain(const struct sample *sample, const char *shape, uint64_t seed, const char *what,
                    uint32_t a, uint32_t b)
{
    fprintf(stderr, "shape %s seed %llu: %s: events %u and %u\n%s", shape, (unsigned long long)seed,
            what, a, b, sample->text);
    return 1;
}

/* Every pair of the definition and no other. */
static int compare_pairs(const struct engine *engine, const struct sample *sample,
                         const struct relation *races, const char *shape, uint64_t seed)
{
    struct findings *findings = run_engine(engine, sample, true);
    struct relation found = relation_create(sample->history->count);
    int failures = 0;
    for (size_t i = 0; i < findings->count; i++) {
        const struct finding_event *events = findings->items[i].events;
        relate(&found, events[0].pos, events[1].pos);
        if (!related(races, events[0].pos, events[1].pos))
            failures += complain(sample, shape, seed, engine->name, events[0].pos, events[1].pos);
    }
    for (uint32_t b = 0; b < races->count; b++)
        for (uint32_t a = 0; a < b; a++)
            if (related(races, a, b) && !related(&found, a, b))
                failures += complain(sample, shape, seed, "missed", a, b);
    compared++;
    pairs_found += findings->count;
    relation_free(&found);
    findings_destroy(findings);
    return failures;
}

static uint64_t places(const struct history *history, uint32_t a, uint32_t b)
{
    uint32_t x = history->events[a].location, y = history->events[b].location;
    return x < y ? map_pair(x, y) : map_pair(y, x);
}

/* By default: one finding for each pair of locations that some pair of the
 * definition has. */
static int compare_places(const struct engine *engine, const struct sample *sample,
                          const struct relation *races, const char *shape, uint64_t seed)
{
    struct findings *findings = run_engine(engine, sample, false);
    struct map wanted = {0};
    int failures = 0;
    for (uint32_t b = 0; b < races->count; b++)
        for (uint32_t a = 0; a < b; a++)
            if (related(races, a, b))
                map_at(&wanted, places(sample->history, a, b), NULL);
    for (size_t i = 0; i < findings->count; i++) {
        const struct finding_event *events = findings->items[i].events;
        if (!map_remove(&wanted, places(sample->history, events[0].pos, events[1].pos)) ||
            !related(races, events[0].pos, events[1].pos))
            failures +=
                complain(sample, shape, seed, "default finding", events[0].pos, events[1].pos);
    }
    if (wanted.count)
        failures += complain(sample, shape, seed, "missing places", (uint32_t)wanted.count, 0);
    map_free(&wanted);
    findings_destroy(findings);
    return failures;
}

static bool any(const struct relation *races)
{
    for (size_t i = 0; i < (size_t)races->count * races->count; i++)
        if (races->before[i])
            return true;
    return false;
}

static int includes(const struct relation *small, const struct relation *large,
                    const struct sample *sample, const char *shape, uint64_t seed, const char *what)
{
    for (uint32_t b = 0; b < small->count; b++)
        for (uint32_t a = 0; a < b; a++)
            if (related(small, a, b) && !related(large, a, b))
                return complain(sample, shape, seed, what, a, b);
    return 0;
}

/* A deadlock of the papers' sort: threads that wait for each other's locks. */
static bool has_lock_cycle(const struct truth *truth, const struct history *history)
{
    for (size_t i = 0; i < truth->deadlocks.count; i++) {
        const struct true_deadlock *deadlock = &truth->deadlocks.items[i];
        bool cycle = deadlock->count > 1;
        for (uint32_t k = 0; k < deadlock->count; k++)
            cycle &= event_blocks(&history->events[deadlock->events[k]]);
        if (cycle)
            return true;
    }
    return false;
}

static int check_truth(const struct sample *sample, const struct relation *syncp,
                       const struct relation *wcp, const char *shape, uint64_t seed)
{
    struct oracle_options options = {.model = MODEL_RF, .state_limit = 200000};
    struct truth truth;
    struct error error = {0};
    if (sample->history->count > 40 ||
        oracle_explore(oracle, sample->history, &options, &truth, &error))
        return 0;
    int failures = 0;
    if (truth.complete) {
        checked_truths++;
        for (uint32_t b = 0; b < syncp->count; b++)
            for (uint32_t a = 0; a < b; a++)
                if (related(syncp, a, b) && !truth_races(&truth, a, b))
                    failures += complain(sample, shape, seed, "syncp is not true", a, b);
        if (any(wcp) && !truth.races.count && !has_lock_cycle(&truth, sample->history))
            failures +=
                complain(sample, shape, seed, "wcp race, but neither race nor deadlock", 0, 0);
    }
    truth_free(&truth);
    return failures;
}

/* The engine hb goes by C11's memory orders and does not order a failed try before
 * the release: there the relations order more than it does. */
static bool hb_agrees(const struct history *history)
{
    for (uint32_t pos = 0; pos < history->count; pos++)
        if (op_in(history->events[pos].op, OPS_ATOMIC) || history->events[pos].flags & EVENT_FAILED)
            return false;
    return true;
}

static int check_hb_engine(const struct sample *sample, const struct relation *cp,
                           const char *shape, uint64_t seed)
{
    if (!hb_agrees(sample->history))
        return 0;
    struct findings *findings = run_engine(engine_find("hb", 2), sample, true);
    int failures = 0;
    for (size_t i = 0; i < findings->count; i++) {
        const struct finding_event *events = findings->items[i].events;
        if (!related(cp, events[0].pos, events[1].pos))
            failures += complain(sample, shape, seed, "hb engine not within cp", events[0].pos,
                                 events[1].pos);
    }
    findings_destroy(findings);
    return failures;
}

static int check_theorems(const struct sample *sample, const char *shape, uint64_t seed)
{
    enum { HB, CP, WCP, SYNCP, KINDS };
    void (*const define[KINDS])(const struct history *, struct relation *) = {
        reference_hb, reference_cp, reference_wcp, reference_syncp};
    struct relation races[KINDS];
    for (int i = 0; i < KINDS; i++) {
        races[i] = relation_create(sample->history->count);
        define[i](sample->history, &races[i]);
    }
    int failures = includes(&races[HB], &races[CP], sample, shape, seed, "hb not within cp") +
                   includes(&races[CP], &races[WCP], sample, shape, seed, "cp not within wcp") +
                   check_hb_engine(sample, &races[CP], shape, seed) +
                   check_truth(sample, &races[SYNCP], &races[WCP], shape, seed);
    for (int i = 0; i < KINDS; i++)
        relation_free(&races[i]);
    return failures;
}

/* The races that the theorem holds for, in its order. */
static int check_cp_first(const struct sample *sample, const char *shape, uint64_t seed)
{
    struct relation wanted = relation_create(sample->history->count);
    struct race_edges found = {0};
    int failures = 0;
    reference_cp_first(sample->history, &wanted);
    cp_first_races(sample->history, UINT64_MAX, &found);
    for (size_t i = 0; i < found.count; i++) {
        const struct race_edge *race = &found.items[i];
        if (!related(&wanted, race->first, race->second))
            failures +=
                complain(sample, shape, seed, "no cp_first race", race->first, race->second);
        wanted.before[(size_t)race->first * wanted.count + race->second] = 0;
    }
    if (any(&wanted))
        failures +=
            complain(sample, shape, seed, "cp_first misses races", (uint32_t)found.count, 0);
    first_races += found.count;
    array_free(&found);
    relation_free(&wanted);
    return failures;
}

static int check_engines(const struct sample *sample, const char *only, const char *shape,
                         uint64_t seed)
{
    int failures = 0;
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) {
        const struct engine *engine = engine_find(subjects[i].name, strlen(subjects[i].name));
        if (!engine || (only && strcmp(only, "all") != 0 && strcmp(only, engine->name) != 0))
            continue;
        struct relation races = relation_create(sample->history->count);
        subjects[i].define(sample->history, &races);
        failures += compare_pairs(engine, sample, &races, shape, seed);
        failures += compare_places(engine, sample, &races, shape, seed);
        relation_free(&races);
    }
    if (!only || strcmp(only, "all") == 0 || strcmp(only, "cp") == 0)
        failures += check_cp_first(sample, shape, seed);
    return failures;
}

static int draw(struct sample *sample, const struct shape *shape, bool chunks, uint64_t seed,
                struct error *error)
{
    if (!chunks)
        return sample_generate(sample, shape, seed, error);
    size_t length;
    char *text = chunks_generate(seed, &length);
    return sample_read(sample, text, length, error);
}

static int run_shape(const char *text, uint64_t count, uint64_t first, const char *only)
{
    struct shape shape;
    struct error error = {0};
    bool chunks = strcmp(text, "chunks") == 0;
    if (!chunks && shape_parse(&shape, text, &error))
        return fprintf(stderr, "%s\n", error.text), 1;
    for (uint64_t seed = first; seed < first + count; seed++) {
        struct sample sample;
        if (draw(&sample, &shape, chunks, seed, &error))
            return fprintf(stderr, "%s\n", error.text), 1;
        int failures = check_engines(&sample, only, text, seed);
        if (!only || strcmp(only, "theorems") == 0)
            failures += check_theorems(&sample, text, seed);
        sample_free(&sample);
        if (failures)
            return failures;
    }
    return 0;
}

int main(int argc, char **argv)
{
    uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 100;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    const char *only = argc > 3 ? argv[3] : NULL;
    int failures = 0;
    oracle = oracle_create();
    for (int i = 4; i < argc; i++)
        failures += run_shape(argv[i], count, seed, only);
    static const char *const shapes[] = {
        "chunks",
        "basic:locations=3",
        "locks",
        "deadlock",
        "tries",
        "rwlocks",
        "conditions",
        "barriers",
        "semaphores",
        "once",
        "atomics",
        "all",
        "locks:locks=4,depth=4,threads=3..5,events=20..32,locations=2",
        "basic:events=25..40,locks=3,depth=3,threads=3..5,accesses=40,locations=2",
    };
    for (size_t i = 0; argc <= 4 && i < sizeof shapes / sizeof *shapes; i++)
        failures += run_shape(shapes[i], count, seed, only);
    oracle_destroy(oracle);
    printf("%llu comparisons, %llu racing pairs, %llu sound races of cp, %llu truths\n",
           (unsigned long long)compared, (unsigned long long)pairs_found,
           (unsigned long long)first_races, (unsigned long long)checked_truths);
    return failures ? 1 : 0;
}
