/* SPDX-License-Identifier: MIT */
#include "cli/explore_predicted.h"

#include "base/memory.h"
#include "cli/predict.h"
#include "explore/witness_run.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { INSTANCES = 3 }; /* of an id that are tried */
#define FREELY   5.0    /* seconds that the engines may take whatever the runs take */
#define MOST     0.5    /* beyond that, of the time that the exploration has */
#define PATIENCE 0.5    /* the same for the runs that confirm */
#define PACE     20000  /* events a second that the engines look at, or more */

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

void predictions_create(struct predictions *self, const char *directory,
                        const struct options *options)
{
    *self = (struct predictions){.options = options};
    snprintf(self->modules, sizeof self->modules, "%.4000s/modules", directory);
}

static double most_seconds(const struct predictions *self, double part)
{
    double most = self->options->explore_time * part;
    return most > FREELY ? most : FREELY;
}

/* Deadlocks that happened are failures of the exploration, and told as these. */
static bool is_wanted(const struct finding *finding)
{
    switch (finding->kind) {
    case FINDING_RACE:
    case FINDING_ATOMICITY:
        return finding->verdict == VERDICT_OBSERVED || finding->verdict == VERDICT_PREDICTED;
    case FINDING_DEADLOCK:
        return finding->verdict == VERDICT_PREDICTED;
    default:
        return false;
    }
}

static struct predicted_run *add_run(struct predictions *self, const struct kept_run *run,
                                     uint32_t number)
{
    struct predicted_run *part = NEW(struct predicted_run);
    *part = (struct predicted_run){number, kept_run_copy(run), findings_create(true)};
    array_push(&self->runs, part);
    return part;
}

static uint64_t key_of_id(const char *id)
{
    return map_mix(strtoull(id + 2, NULL, 16) ^ (uint64_t)(unsigned char)id[0] << 56);
}

static void take(struct predictions *self, const struct finding *finding, const struct trace *trace,
                 const char *id, struct predicted_run *part)
{
    struct finding *added = findings_add(part->findings, finding);
    struct predicted one = {.run = part};
    if (!added)
        return;
    added->engine = "explore";
    if (finding->block != INTERN_NONE) /* whose number is that trace's */
        snprintf(one.block, sizeof one.block, "%s", trace_name(trace, CLASS_LABEL, finding->block));
    added->block = INTERN_NONE;
    snprintf(one.id, sizeof one.id, "%s", id);
    array_push(&self->list, one);
}

static void take_all(struct predictions *self, const struct prediction *prediction,
                     const struct kept_run *run, uint32_t number)
{
    struct predicted_run *part = NULL;
    for (size_t i = 0; i < prediction->driver.count; i++) {
        const struct findings *findings = prediction->driver.runs[i].findings;
        for (size_t k = 0; k < findings->count; k++) {
            char id[FINDING_ID_SIZE];
            if (!is_wanted(&findings->items[k]))
                continue;
            finding_id(&findings->items[k], prediction->trace, id);
            uint64_t *times = map_at(&self->times, key_of_id(id), NULL);
            if (*times >= INSTANCES)
                continue;
            ++*times;
            if (!part)
                part = add_run(self, run, number);
            take(self, &findings->items[k], prediction->trace, id, part);
        }
    }
}

void predictions_watch(void *context, const struct kept_run *run, uint32_t number)
{
    struct predictions *self = context;
    struct prediction prediction;
    struct error error = {0};
    double began = now();
    double left = most_seconds(self, MOST) - self->spent;
    if (self->options->explore_time > 0 && left * PACE < run->event_count) {
        self->not_asked++;
        return;
    }
    if (!self->symbols) {
        self->symbols = symbols_open(self->modules);
        self->code = run_code_create(self->symbols);
    }
    struct trace *trace = run_trace_open(run, self->symbols, self->code, "exploration");
    if (prediction_run_on(&prediction, self->options, trace, "auto", &error) == 0)
        take_all(self, &prediction, run, number);
    else
        self->not_asked++;
    prediction_free(&prediction);
    self->spent += now() - began;
}

/* --- what happens -------------------------------------------------------------------------------
 */

/* Findings have no address that stays before all are there. */
static void find_findings(struct predictions *self)
{
    size_t at = 0;
    for (size_t i = 0; i < self->list.count; i++) {
        struct predicted *one = &self->list.items[i];
        at = i && self->list.items[i - 1].run == one->run ? at + 1 : 0;
        one->finding = &one->run->findings->items[at];
    }
}

static int confirm(const struct predictions *self, struct predicted *one,
                   const struct explore_backend *backend, const char *output, struct error *error)
{
    struct run_trace trace;
    struct witness_run witness;
    struct stepped_run run;
    char how[128];
    int result = 0;
    run_trace_create(&trace, &one->run->run, self->symbols, "exploration");
    if (witness_run_create(&witness, one->finding, &trace, &one->run->run)) {
        result = backend->run(backend->context, witness.turns.items, witness.turns.count, output,
                              &run, error);
        one->happened = !result && witness_run_happened(&witness, run.page);
        one->ended = one->happened && run.page->end == STEP_DEADLOCK;
        snprintf(how, sizeof how,
                 one->happened ? "its schedule, made of run %u of the exploration, showed it"
                               : "its schedule, made of run %u of the exploration, did not show it",
                 one->run->number);
        finding_settle(one->finding, one->happened ? VERDICT_CONFIRMED : VERDICT_PREDICTED, how);
        witness_run_free(&witness);
    }
    run_trace_free(&trace);
    return result;
}

static struct predicted *told_of(struct predictions *self, const char *id)
{
    for (size_t i = 0; i < self->list.count; i++)
        if (self->list.items[i].told && strcmp(self->list.items[i].id, id) == 0)
            return &self->list.items[i];
    return NULL;
}

int predictions_confirm(struct predictions *self, const struct explore_backend *backend,
                        const char *output, struct error *error)
{
    double began = now();
    int result = 0;
    find_findings(self);
    for (size_t i = 0; i < self->list.count && !result; i++) {
        struct predicted *one = &self->list.items[i], *before = told_of(self, one->id);
        bool late = self->options->explore_time > 0 && now() - began > most_seconds(self, PATIENCE);
        if (before && before->happened)
            continue;
        if (!late)
            result = confirm(self, one, backend, output, error);
        if (!before || one->happened) {
            one->told = true;
            if (before)
                before->told = false;
        }
    }
    return result;
}

void predictions_free(struct predictions *self)
{
    for (size_t i = 0; i < self->runs.count; i++) {
        kept_run_free(&self->runs.items[i]->run);
        findings_destroy(self->runs.items[i]->findings);
        free(self->runs.items[i]);
    }
    array_free(&self->runs);
    array_free(&self->list);
    map_free(&self->times);
    run_code_destroy(self->code);
    symbols_close(self->symbols);
}
