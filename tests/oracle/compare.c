#include "oracle/compare.h"

#include "base/map.h"
#include "engine/driver.h"
#include "model/checker.h"
#include "oracle/misuse_truth.h"
#include "oracle/untimely_truth.h"
#include "oracle/plain.h"
#include "oracle/reference_hb.h"
#include "oracle/unordered_oracle.h"
#include "trace/formats.h"

#include <stdarg.h>
#include <stdio.h>

enum { REFERENCE_EVENTS = 3000 }; /* beyond them a quadratic reference is no fun */

/* Everything about one trace. Truths are explored when first asked for. */
struct comparison {
    struct comparer *comparer;
    const struct sample *sample;
    struct driver driver;
    struct truth truths[MODEL_COUNT];
    bool explored[MODEL_COUNT], too_large;
    struct misuse_truth misuse[MODEL_COUNT];
    bool misuse_explored[MODEL_COUNT];
    struct untimely_truth untimely[MODEL_COUNT];
    bool untimely_explored[MODEL_COUNT];
    struct map races[COMPARED_ENGINES]; /* pairs reported, by engine */
    struct map unordered;               /* unordered_oracle.h */
    enum { UNORDERED_ASK, UNORDERED_KNOWN, UNORDERED_UNKNOWN } unordered_state;
    struct difference *difference;
};

void comparer_init(struct comparer *comparer)
{
    *comparer = (struct comparer){
        .options = {.jobs = 1, .every_pair = true},
        .state_limit = 2000000,
        .oracle = oracle_create(),
    };
}

void comparer_free(struct comparer *comparer)
{
    oracle_destroy(comparer->oracle);
}

__attribute__((format(printf, 4, 5))) static bool
differs(struct comparison *self, const char *engine, const char *what, const char *format, ...)
{
    va_list arguments;
    self->difference->engine = engine;
    self->difference->what = what;
    va_start(arguments, format);
    vsnprintf(self->difference->detail, sizeof self->difference->detail, format, arguments);
    va_end(arguments);
    return false;
}

/* "race 3 7", "deadlock 2 5 9". */
static const char *name_error(char text[100], enum finding_kind kind, const uint32_t *events,
                              uint32_t count)
{
    int at = snprintf(text, 100, "%s", finding_kind_text(kind));
    for (uint32_t i = 0; i < count && at < 90; i++)
        at += snprintf(text + at, (size_t)(100 - at), " %u", events[i]);
    return text;
}

static const char *name_finding(char text[100], const struct finding *finding)
{
    uint32_t events[16];
    uint32_t count = finding->event_count < 16 ? finding->event_count : 16;
    for (uint32_t i = 0; i < count; i++)
        events[i] = finding->events[i].pos;
    return name_error(text, finding->kind, events, count);
}

static const struct truth *truth_under(struct comparison *self, enum model model)
{
    if (self->too_large)
        return NULL;
    if (!self->explored[model]) {
        struct oracle_options options = {.model = model,
                                         .state_limit = self->comparer->state_limit};
        if (oracle_explore(self->comparer->oracle, self->sample->history, &options,
                           &self->truths[model], NULL)) {
            self->too_large = true;
            return NULL;
        }
        self->explored[model] = true;
    }
    return &self->truths[model];
}

static enum model model_of(const struct engine_run *run, const struct finding *finding)
{
    enum model model = finding && finding->model != MODEL_NONE ? finding->model : engine_model(run);
    return model == MODEL_NONE ? MODEL_RF : model;
}

static bool is_true(const struct truth *truth, const struct finding *finding)
{
    if (finding->kind == FINDING_RACE)
        return truth_races(truth, finding->events[0].pos, finding->events[1].pos);
    uint32_t events[16];
    if (finding->kind != FINDING_DEADLOCK || finding->event_count > 16)
        return false;
    for (uint32_t i = 0; i < finding->event_count; i++)
        events[i] = finding->events[i].pos;
    return truth_deadlock(truth, events, finding->event_count);
}

static const struct misuse_truth *misuse_under(struct comparison *self, enum model model)
{
    if (!self->misuse_explored[model])
        misuse_truth_explore(&self->misuse[model], self->sample->history, model,
                             self->comparer->state_limit);
    self->misuse_explored[model] = true;
    return &self->misuse[model];
}

static bool is_true_misuse(struct comparison *self, const struct engine_run *run,
                           const struct finding *finding)
{
    const struct misuse_truth *truth = misuse_under(self, model_of(run, finding));
    uint32_t events[2] = {finding->events[0].pos, finding->events[finding->event_count - 1].pos};
    return finding->verdict == VERDICT_OBSERVED || !truth->complete ||
           misuse_truth_has(truth, misuse_find(finding->rule), events);
}

static bool reported_misuse(const struct engine_run *run, const struct true_misuse *misuse)
{
    for (size_t i = 0; i < run->findings->count; i++) {
        const struct finding *finding = &run->findings->items[i];
        if (finding->kind == FINDING_MISUSE && misuse_find(finding->rule) == misuse->rule &&
            finding->event_count == 2 && finding->events[0].pos == misuse->events[0] &&
            finding->events[1].pos == misuse->events[1])
            return true;
    }
    return false;
}

static const struct untimely_truth *untimely_under(struct comparison *self, enum model model)
{
    if (!self->untimely_explored[model])
        untimely_truth_explore(&self->untimely[model], self->sample->history, model,
                               self->comparer->state_limit);
    self->untimely_explored[model] = true;
    return &self->untimely[model];
}

static bool is_truly_untimely(struct comparison *self, const struct engine_run *run,
                              const struct finding *finding)
{
    const struct untimely_truth *truth = untimely_under(self, model_of(run, finding));
    struct untimely read = {finding->events[0].pos, finding->events[1].pos};
    return !truth->complete || untimely_truth_has(truth, read);
}

static bool reported_untimely(const struct engine_run *run, const struct untimely *read)
{
    for (size_t i = 0; i < run->findings->count; i++) {
        const struct finding *finding = &run->findings->items[i];
        if (finding->kind == FINDING_ORDER && finding->events[0].pos == read->read &&
            finding->events[1].pos == read->write)
            return true;
    }
    return false;
}

/* All races that some order leaves unordered, or NULL if they are not known. */
static const struct map *unordered_truth(struct comparison *self)
{
    enum { EVENTS_MAX = 12, PLACES_MAX = 10000 }; /* most larger ones have more places */
    const struct history *history = self->sample->history;
    if (self->unordered_state == UNORDERED_ASK)
        self->unordered_state =
            history->count <= EVENTS_MAX && unordered_explore(history, PLACES_MAX, &self->unordered)
                ? UNORDERED_KNOWN
                : UNORDERED_UNKNOWN;
    return self->unordered_state == UNORDERED_KNOWN ? &self->unordered : NULL;
}

/* A race that no order shows: happens-before by its definition knows it, too, or another order
 * leaves it unordered. */
static bool is_observed(struct comparison *self, const struct finding *finding)
{
    if (self->sample->history->count > REFERENCE_EVENTS)
        return true;
    if (finding->verdict == VERDICT_PREDICTED) {
        const struct map *truth = unordered_truth(self);
        uint32_t a = finding->events[0].pos, b = finding->events[1].pos;
        return !truth || map_find(truth, a < b ? map_pair(a, b) : map_pair(b, a));
    }
    struct reference *reference = reference_create(self->sample->history, REFERENCE_C11);
    bool good = finding->verdict == VERDICT_OBSERVED &&
                reference_races(reference, finding->events[0].pos, finding->events[1].pos);
    reference_destroy(reference);
    return good;
}

static bool check_sound(struct comparison *self, const struct engine_run *run)
{
    char name[100];
    for (size_t i = 0; i < run->findings->count; i++) {
        const struct finding *finding = &run->findings->items[i];
        if (finding->kind == FINDING_ATOMICITY)
            continue; /* its witness is what it is judged by */
        if (finding->kind == FINDING_MISUSE) {
            if (!is_true_misuse(self, run, finding))
                return differs(self, run->engine->name, "reports a misuse that is none", "%s",
                               name_finding(name, finding));
            continue;
        }
        if (finding->kind == FINDING_ORDER) {
            if (!is_truly_untimely(self, run, finding))
                return differs(self, run->engine->name, "reports a read that is timely", "%s",
                               name_finding(name, finding));
            continue;
        }
        if (finding_is_unordered(finding)) {
            if (!is_observed(self, finding))
                return differs(self, run->engine->name, "reports what is ordered", "%s",
                               name_finding(name, finding));
            continue;
        }
        const struct truth *truth = truth_under(self, model_of(run, finding));
        if (truth && truth->complete && !is_true(truth, finding))
            return differs(self, run->engine->name, "reports what is not true",
                           "%s, not true under %s", name_finding(name, finding),
                           model_text(truth->model));
    }
    return true;
}

/* What tells an engine's findings apart: events, or locations unless --pairs. */
static uint32_t place(const struct comparison *self, uint32_t pos)
{
    return self->comparer->options.every_pair ? pos : self->sample->history->events[pos].location;
}

static uint64_t race_key(const struct comparison *self, uint32_t a, uint32_t b)
{
    uint32_t x = place(self, a), y = place(self, b);
    return x < y ? map_pair(x, y) : map_pair(y, x);
}

static void index_races(struct comparison *self)
{
    for (size_t i = 0; i < self->driver.count; i++) {
        const struct findings *findings = self->driver.runs[i].findings;
        for (size_t k = 0; k < findings->count; k++) {
            const struct finding *finding = &findings->items[k];
            if (finding->kind == FINDING_RACE)
                map_at(&self->races[i],
                       race_key(self, finding->events[0].pos, finding->events[1].pos), NULL);
        }
    }
}

static bool reported_race(const struct comparison *self, const struct engine_run *run, uint32_t a,
                          uint32_t b)
{
    return map_find(&self->races[run - self->driver.runs], race_key(self, a, b));
}

/* Are the two the same, in any order? Places may repeat. */
static bool same_places(const struct comparison *self, const struct finding *finding,
                        const struct true_deadlock *deadlock)
{
    unsigned used = 0;
    for (uint32_t a = 0; a < deadlock->count; a++) {
        uint32_t wanted = place(self, deadlock->events[a]), b = 0;
        while (b < deadlock->count &&
               (used >> b & 1 || place(self, finding->events[b].pos) != wanted))
            b++;
        if (b == deadlock->count)
            return false;
        used |= 1u << b;
    }
    return true;
}

static bool reported_deadlock(const struct comparison *self, const struct engine_run *run,
                              const struct true_deadlock *deadlock)
{
    for (size_t i = 0; i < run->findings->count; i++) {
        const struct finding *finding = &run->findings->items[i];
        if (finding->kind == FINDING_DEADLOCK && finding->event_count == deadlock->count &&
            same_places(self, finding, deadlock))
            return true;
    }
    return false;
}

/* Only locks and joins: no set of waits. */
static bool is_cycle(const struct comparison *self, const struct true_deadlock *deadlock)
{
    for (uint32_t i = 0; i < deadlock->count; i++)
        if (!op_in(self->sample->history->events[deadlock->events[i]].op,
                   (OPS_ACQUIRING & ~OP_BIT(EVENT_WAIT_END)) | OP_BIT(EVENT_JOIN)))
            return false;
    return true;
}

static bool check_misuse(struct comparison *self, const struct engine_run *run, enum model model)
{
    char name[100];
    if (!(run->engine->finds & FINDS_MISUSE) || !self->comparer->options.every_pair)
        return true;
    if (model == MODEL_SYNC && self->comparer->options.model != MODEL_SYNC)
        return true; /* never unasked */
    const struct misuse_truth *truth = misuse_under(self, model);
    for (size_t i = 0; i < truth->items.count; i++)
        if (!reported_misuse(run, &truth->items.items[i]))
            return differs(self, run->engine->name, "misses a misuse", "%s, true under %s",
                           name_error(name, FINDING_MISUSE, truth->items.items[i].events, 2),
                           model_text(model));
    return true;
}

/* `auto` leaves out what need not be told: `order` alone is held to finding all. */
static bool check_order(struct comparison *self, const struct engine_run *run, enum model model)
{
    char name[100];
    if (run->engine->finds != FINDS_ORDER || !self->comparer->options.every_pair)
        return true;
    if (model == MODEL_SYNC && self->comparer->options.model != MODEL_SYNC)
        return true; /* never unasked */
    const struct untimely_truth *truth = untimely_under(self, model);
    for (size_t i = 0; i < truth->items.count; i++) {
        const uint32_t events[2] = {truth->items.items[i].read, truth->items.items[i].write};
        if (!reported_untimely(run, &truth->items.items[i]))
            return differs(self, run->engine->name, "misses an untimely read", "%s, true under %s",
                           name_error(name, FINDING_ORDER, events, 2), model_text(model));
    }
    return true;
}

/* `cycles`: sets of waits need not be found. */
static bool check_complete(struct comparison *self, const struct engine_run *run, enum model model,
                           bool cycles)
{
    char name[100];
    const struct truth *truth = truth_under(self, model);
    if (!truth || run->exhausted)
        return true;
    for (size_t i = 0; run->engine->finds & FINDS_RACES && i < truth->races.count; i++) {
        const uint32_t *events = truth->races.items[i].events;
        if (!reported_race(self, run, events[0], events[1]))
            return differs(self, run->engine->name, "misses a race", "%s, true under %s",
                           name_error(name, FINDING_RACE, events, 2), model_text(model));
    }
    for (size_t i = 0; run->engine->finds & FINDS_DEADLOCKS && i < truth->deadlocks.count; i++) {
        const struct true_deadlock *deadlock = &truth->deadlocks.items[i];
        if ((!cycles || is_cycle(self, deadlock)) && !reported_deadlock(self, run, deadlock))
            return differs(self, run->engine->name, "misses a deadlock", "%s, true under %s",
                           name_error(name, FINDING_DEADLOCK, deadlock->events, deadlock->count),
                           model_text(model));
    }
    return check_misuse(self, run, model) && check_order(self, run, model);
}

/* Reported are exactly the pairs that the definition leaves unordered. */
static bool check_definition(struct comparison *self, const struct engine_run *run,
                             const struct reference *reference)
{
    const struct history *history = self->sample->history;
    size_t unordered = 0;
    for (uint32_t j = 0; j < history->count; j++)
        for (uint32_t i = 0; i < j; i++) {
            if (!reference_races(reference, i, j))
                continue;
            unordered++;
            if (!reported_race(self, run, i, j))
                return differs(self, run->engine->name, "misses an observed race",
                               "race %u %u is not ordered by happens-before", i, j);
        }
    size_t races = 0;
    for (size_t k = 0; k < run->findings->count; k++) {
        if (run->findings->items[k].kind != FINDING_RACE)
            continue;
        races++;
        uint32_t i = run->findings->items[k].events[0].pos;
        uint32_t j = run->findings->items[k].events[1].pos;
        if (!reference_races(reference, i < j ? i : j, i < j ? j : i))
            return differs(self, run->engine->name, "reports what happens-before orders",
                           "race %u %u", i, j);
    }
    if (self->comparer->options.every_pair && unordered != races)
        return differs(self, run->engine->name, "reports a race twice", "%zu of %zu", races,
                       unordered);
    return true;
}

/* Up to the first race nothing has gone wrong yet, so that race is real. (By the
 * strong order of atomics: the models know no weak memory.) */
static bool check_first(struct comparison *self, const struct engine_run *run,
                        const struct reference *strong)
{
    const struct truth *truth = truth_under(self, MODEL_RF);
    bool found = false;
    for (uint32_t j = 0; truth && truth->complete && !found && j < truth->count; j++)
        for (uint32_t i = 0; i < j; i++) {
            if (!reference_races(strong, i, j))
                continue;
            found = true;
            if (!truth_races(truth, i, j))
                return differs(self, run->engine->name, "its first race is not true",
                               "race %u %u, not true under rf", i, j);
        }
    return true;
}

static bool check_observed(struct comparison *self, const struct engine_run *run)
{
    if (!(run->engine->finds & FINDS_RACES) || self->sample->history->count > REFERENCE_EVENTS)
        return true;
    struct reference *reference = reference_create(self->sample->history, REFERENCE_C11);
    struct reference *strong = reference_create(self->sample->history, REFERENCE_STRONG);
    bool good = check_definition(self, run, reference) && check_first(self, run, strong);
    reference_destroy(reference);
    reference_destroy(strong);
    return good;
}

static bool check_witness(struct comparison *self, const struct engine_run *run,
                          const struct finding *finding)
{
    char name[100];
    struct complaint complaint;
    struct rules *rules = rules_create(self->sample->history, model_of(run, finding));
    uint32_t *events = memory_alloc(finding->event_count, sizeof *events);
    for (uint32_t i = 0; i < finding->event_count; i++)
        events[i] = finding->events[i].pos;
    struct claim claim = {finding->kind,           events,
                          finding->event_count,    finding->witness,
                          finding->witness_length, finding->in_turns};
    bool good = witness_check(rules, &claim, &complaint);
    free(events);
    rules_destroy(rules);
    return good || differs(self, run->engine->name, "gives a wrong witness", "%s: %s (event %u)",
                           name_finding(name, finding), complaint.rule, complaint.pos);
}

/* Whatever some order leaves unordered is found. */
static bool check_unordered(struct comparison *self, const struct engine_run *run)
{
    if (strcmp(run->engine->name, "auto") != 0 || !self->comparer->options.every_pair ||
        run->exhausted || !(self->sample->history->ops & OPS_ATOMIC))
        return true;
    const struct map *truth = unordered_truth(self);
    for (size_t i = truth ? map_first(truth) : 0; truth && i < truth->capacity;
         i = map_following(truth, i)) {
        uint32_t a = (uint32_t)(truth->entries[i].key >> 32), b = (uint32_t)truth->entries[i].key;
        if (!reported_race(self, run, a, b))
            return differs(self, run->engine->name, "misses an unordered race", "race %u %u", a, b);
    }
    return true;
}

/* Without a model of its choice, auto finds what is true under any; sets of waits under those that
 * are sound. */
static bool check_weaker(struct comparison *self, const struct engine_run *run)
{
    if (strcmp(run->engine->name, "auto") != 0 || self->comparer->options.model != MODEL_NONE)
        return true;
    return check_complete(self, run, MODEL_VALUE, false) &&
           check_complete(self, run, MODEL_BRANCH, false) &&
           check_complete(self, run, MODEL_SYNC, true);
}

static bool check_run(struct comparison *self, const struct engine_run *run)
{
    for (size_t i = 0; i < run->findings->count; i++)
        if (run->findings->items[i].witness && !check_witness(self, run, &run->findings->items[i]))
            return false;
    switch (run->engine->guarantee) {
    case GUARANTEE_OBSERVED:
        return check_observed(self, run);
    case GUARANTEE_SOUND:
        return check_sound(self, run);
    case GUARANTEE_COMPLETE_SYNC:
        return check_complete(self, run, MODEL_SYNC, false);
    case GUARANTEE_EXACT:
        return check_sound(self, run) && check_complete(self, run, model_of(run, NULL), false) &&
               check_weaker(self, run) && check_unordered(self, run);
    case GUARANTEE_HEURISTIC:
        break;
    }
    return true;
}

/* Under `value`, atomics may see what they do not see under `sync`. */
static bool is_for_sync(const struct comparison *self, const struct finding *finding)
{
    return finding->kind == FINDING_RACE && !finding_is_unordered(finding) &&
           (finding->model != MODEL_VALUE || !(self->sample->history->ops & OPS_ATOMIC));
}

/* Whatever order shows a race under some other model, `sync` allows it. */
static bool check_across(struct comparison *self, const struct engine_run *sound,
                         const struct engine_run *complete)
{
    char name[100];
    for (size_t i = 0; i < sound->findings->count; i++) {
        const struct finding *finding = &sound->findings->items[i];
        if (!(complete->engine->finds & FINDS_RACES) || !is_for_sync(self, finding))
            continue;
        if (!reported_race(self, complete, finding->events[0].pos, finding->events[1].pos))
            return differs(self, complete->engine->name, "misses what a sound engine finds",
                           "%s of %s", name_finding(name, finding), sound->engine->name);
    }
    return true;
}

static bool check_all(struct comparison *self)
{
    for (size_t i = 0; i < self->driver.count; i++)
        if (!check_run(self, &self->driver.runs[i]))
            return false;
    for (size_t i = 0; i < self->driver.count; i++)
        for (size_t j = 0; j < self->driver.count; j++) {
            enum guarantee a = self->driver.runs[i].engine->guarantee;
            enum guarantee b = self->driver.runs[j].engine->guarantee;
            if ((a == GUARANTEE_SOUND || a == GUARANTEE_EXACT) && b == GUARANTEE_COMPLETE_SYNC &&
                !check_across(self, &self->driver.runs[i], &self->driver.runs[j]))
                return false;
        }
    return true;
}

static void count_up(struct comparison *self)
{
    for (size_t i = 0; i < self->driver.count; i++) {
        const struct engine_run *run = &self->driver.runs[i];
        struct tally *tally = &self->comparer->tallies[i];
        const struct truth *truth = truth_under(self, model_of(run, NULL));
        tally->exhausted += run->exhausted;
        for (size_t k = 0; k < run->findings->count; k++) {
            tally->reported++;
            tally->reported_true += truth && (run->findings->items[k].kind == FINDING_MISUSE ||
                                              run->findings->items[k].kind == FINDING_ORDER ||
                                              is_true(truth, &run->findings->items[k]));
        }
        if (truth && run->engine->finds & FINDS_RACES)
            tally->truth += truth->races.count;
        if (truth && run->engine->finds & FINDS_DEADLOCKS)
            tally->truth += truth->deadlocks.count;
        if (truth && run->engine->finds == FINDS_ORDER)
            tally->truth += untimely_under(self, model_of(run, NULL))->items.count;
        if (truth && run->engine->finds & FINDS_MISUSE)
            tally->truth += misuse_under(self, model_of(run, NULL))->items.count;
    }
    self->comparer->traces++;
    self->comparer->without_truth += self->too_large;
}

/* The two implementations of the rules agree, under every model. */
static bool check_oracle(struct comparison *self)
{
    for (unsigned model = MODEL_SYNC; model < MODEL_COUNT; model++) {
        const struct truth *quick = truth_under(self, model);
        struct oracle_options options = {.model = model};
        struct truth plain;
        if (!quick || !quick->complete)
            continue;
        oracle_explore_plainly(self->sample->history, &options, &plain);
        bool equal = truth_equal(quick, &plain);
        size_t races = plain.races.count, deadlocks = plain.deadlocks.count;
        truth_free(&plain);
        if (!equal)
            return differs(self, "oracle", "disagrees with the machine",
                           "under %s: %zu races and %zu deadlocks, the machine has %zu and %zu",
                           model_text(model), quick->races.count, quick->deadlocks.count, races,
                           deadlocks);
    }
    return true;
}

bool compare(struct comparer *comparer, const struct sample *sample, struct difference *difference)
{
    struct comparison self = {.comparer = comparer, .sample = sample, .difference = difference};
    struct error error = {0};
    bool good = true;
    struct trace *trace = std_open_memory("generated", sample->text, strlen(sample->text));
    if (driver_run(&self.driver, trace, comparer->engines, comparer->count, &comparer->options,
                   &error))
        good = differs(&self, "driver", "ends with an error", "%s", error.text);
    index_races(&self);
    good = good && check_all(&self) && (!comparer->check_oracle || check_oracle(&self));
    if (good)
        count_up(&self);
    for (unsigned model = 0; model < MODEL_COUNT; model++)
        if (self.explored[model])
            truth_free(&self.truths[model]);
    for (unsigned model = 0; model < MODEL_COUNT; model++)
        misuse_truth_free(&self.misuse[model]);
    for (unsigned model = 0; model < MODEL_COUNT; model++)
        untimely_truth_free(&self.untimely[model]);
    for (size_t i = 0; i < COMPARED_ENGINES; i++)
        map_free(&self.races[i]);
    map_free(&self.unordered);
    driver_free(&self.driver);
    trace_close(trace);
    return good;
}
