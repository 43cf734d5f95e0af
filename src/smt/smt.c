/* SPDX-License-Identifier: MIT */
/* smt: races with witnesses, by an SMT solver (Said et al.).
 *
 * A correct reordering is an order of events and a prefix of every thread; what
 * it must keep is stated as constraints over "a before b" and "a is executed", and
 * Z3 looks for one that leaves both accesses next (sections 3 and 4 there). Locks, lock
 * histories and the must-order filter first. Z3 is told only what its own plans break,
 * and all pairs of a window share what it was told and has learnt (section 5 there).
 *
 * Within a window it is exact: a pair without a witness has none. Pairs that Z3
 * could not decide within the budget, or that no window holds, are counted. */
#include "engine/found.h"
#include "smt/smt_search.h"

static void fill(struct engine_run *run, uint32_t first, uint32_t second,
                 struct finding_event events[2], struct finding *finding)
{
    const struct history *history = run->history;
    const uint32_t pair[2] = {first, second};
    found_events(events, history, pair, 2);
    *finding = found_race(run, engine_model(run), history->events[first].object, events);
}

static bool wanted(void *self, uint32_t first, uint32_t second)
{
    struct engine_run *run = self;
    struct finding_event events[2];
    struct finding finding;
    fill(run, first, second, events, &finding);
    return findings_is_new(run->findings, &finding);
}

static void found(void *self, const uint32_t *witness, uint32_t length)
{
    struct engine_run *run = self;
    struct finding_event events[2];
    struct finding finding;
    fill(run, witness[length - 2], witness[length - 1], events, &finding);
    finding.witness = memory_copy(witness, length * sizeof *witness);
    finding.witness_length = length;
    findings_add(run->findings, &finding);
    free(finding.witness);
}

static int finish(struct engine_run *run, struct error *error)
{
    struct rules *rules = rules_create(run->history, engine_model(run));
    uint64_t budget = run->options->budget < UINT32_MAX ? run->options->budget : UINT32_MAX;
    struct smt_options options = {.window = run->options->window,
                                  .budget = (uint32_t)budget,
                                  .seconds = run->options->pair_seconds};
    struct smt_client client = {run, wanted, found};
    struct smt_counts counts;
    int result = smt_search(rules, &options, &client, &counts, error);
    run->candidates = counts.must_pairs + counts.too_far;
    run->refuted = counts.refuted;
    run->exhausted = counts.unknown + counts.too_far;
    rules_destroy(rules);
    return result;
}

const struct engine engine_smt = {
    .name = "smt",
    .summary = "races by an SMT solver, with witnesses",
    .promise = "sound; exact within a window, what the solver leaves open is counted",
    .source = "Said et al.",
    .finds = FINDS_RACES,
    .guarantee = GUARANTEE_EXACT,
    .default_model = MODEL_RF,
    .models = 1u << MODEL_SYNC | 1u << MODEL_RF | 1u << MODEL_VALUE | 1u << MODEL_BRANCH,
    .whole_trace = true,
    .finish = finish,
};
