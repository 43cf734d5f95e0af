/* SPDX-License-Identifier: MIT */
#include "misuse/predicted.h"

#include "base/interruption.h"
#include "base/map.h"
#include "engine/found.h"
#include "misuse/candidates.h"
#include "misuse/strict.h"
#include "model/checker.h"
#include "search/search.h"

#include <stdlib.h>

enum {
    INSTANCES = 4, /* of each pair of places, unless all are asked for */
    STOPS = 64,    /* places in a section where its thread may stand */
};
/* Events that the search may schedule: for one question, and for all. */
#define QUESTION_WORK UINT64_C(1000000)
#define ALL_WORK      UINT64_C(20000000)

/* One model at work. */
struct rung {
    struct search_index *index;
    struct search *search;
    struct rules *rules; /* of the history itself, for the checker */
};

struct predicting {
    struct engine_run *run;
    const struct misuse_index *misuse;
    struct strict *strict;
    struct rung rungs[MODEL_COUNT];
    uint32_t rung_count;
    struct map tried; /* places -> instances */
};

static void add_rung(struct predicting *self, enum model model)
{
    struct rung *rung = &self->rungs[self->rung_count++];
    rung->index = search_index_create(strict_history(self->strict), model);
    rung->search = search_create(rung->index);
    rung->rules = rules_create(self->misuse->history, model);
}

static void add_rungs(struct predicting *self)
{
    const struct history *history = self->misuse->history;
    enum model asked = self->run->options->model;
    self->strict = strict_create(self->misuse);
    if (asked != MODEL_NONE) {
        add_rung(self, asked);
        return;
    }
    add_rung(self, MODEL_RF);
    if (history->has_values)
        add_rung(self, MODEL_VALUE);
    if (history->ops & OP_BIT(EVENT_BRANCH))
        add_rung(self, MODEL_BRANCH);
}

static void free_rungs(struct predicting *self)
{
    for (uint32_t i = 0; i < self->rung_count; i++) {
        search_destroy(self->rungs[i].search);
        search_index_destroy(self->rungs[i].index);
        rules_destroy(self->rungs[i].rules);
    }
    strict_destroy(self->strict);
    map_free(&self->tried);
}

/* One or two events that are next, and one that is executed or NULL. */
static enum search_answer ask(const struct predicting *self, const struct rung *rung,
                              const uint32_t *next, uint32_t count, const uint32_t *executed,
                              struct search_witness *witness)
{
    uint64_t budget = self->run->options->budget ? self->run->options->budget : QUESTION_WORK;
    uint32_t there[2] = {strict_pos(self->strict, next[0]),
                         strict_pos(self->strict, next[count - 1])};
    struct search_query query = {SEARCH_NEXT, there, count, budget};
    if (search_steps(rung->search) > ALL_WORK)
        return SEARCH_EXHAUSTED;
    if (!executed)
        return search_reach(rung->search, &query, witness);
    uint32_t before = strict_pos(self->strict, *executed);
    return search_reach_after(rung->search, &query, &before, 1, witness);
}

/* After a read, or what concerns no other thread, nothing can happen elsewhere that could not
 * before: standing there is no use. */
static bool matters_to_others(const struct event *event)
{
    return !op_in(event->op, OPS_LOCAL | OP_BIT(EVENT_READ));
}

/* The destroy is next, and the section's thread stands somewhere inside the section. */
static enum search_answer reach_held(const struct predicting *self, const struct rung *rung,
                                     const struct misuse_candidate *candidate,
                                     struct search_witness *witness, uint32_t *ends)
{
    const struct history *history = self->misuse->history;
    uint32_t thread = history->events[candidate->use].thread, stops = 0;
    enum search_answer worst = SEARCH_REFUTED;
    *ends = 1;
    if (candidate->release == POS_NONE)
        return ask(self, rung, &candidate->destroy, 1, &candidate->use, witness);
    *ends = 2;
    for (uint32_t at = history->index[candidate->use] + 1; at <= history->index[candidate->release];
         at++) {
        uint32_t next[2] = {candidate->destroy, history_pos(history, thread, at)};
        if (!matters_to_others(&history->events[history_pos(history, thread, at - 1)]))
            continue;
        if (stops++ == STOPS)
            return SEARCH_EXHAUSTED;
        enum search_answer answer = ask(self, rung, next, 2, NULL, witness);
        if (answer == SEARCH_WITNESS)
            return answer;
        if (answer == SEARCH_EXHAUSTED)
            worst = answer;
    }
    return worst;
}

/* The destroy is executed, and the use is next. */
static enum search_answer reach_use(const struct predicting *self, const struct rung *rung,
                                    const struct misuse_candidate *candidate,
                                    struct search_witness *witness, uint32_t *ends)
{
    *ends = 1;
    return ask(self, rung, &candidate->use, 1, &candidate->destroy, witness);
}

/* The witness as the checker wants it: it ends in the misuse. */
static uint32_t *written(const struct strict *strict, const struct search_witness *witness,
                         uint32_t ends, uint32_t misuse, uint32_t *length)
{
    uint32_t *events = memory_alloc(witness->length + 1, sizeof *events);
    uint32_t prefix = strict_original(strict, witness->events, witness->length - ends, events);
    events[prefix] = misuse;
    *length = prefix + 1;
    return events;
}

static bool report(struct predicting *self, const struct rung *rung, enum misuse rule,
                   const uint32_t pair[2], const struct search_witness *witness, uint32_t ends)
{
    struct engine_run *run = self->run;
    const struct event *destroy = &run->history->events[pair[rule != MISUSE_USE_DESTROYED]];
    struct finding_event events[2];
    struct complaint complaint;
    found_events(events, run->history, pair, 2);
    struct finding finding =
        found_any(run, FINDING_MISUSE, search_index_model(rung->index), events, 2);
    finding.rule = misuse_rules[rule].name;
    finding.object_class = event_object_class(destroy->op);
    finding.object = destroy->object;
    finding.witness = written(self->strict, witness, ends, pair[1], &finding.witness_length);
    struct claim claim = {FINDING_MISUSE,   pair, 2, finding.witness, finding.witness_length,
                          .in_turns = false};
    /* A try that fails because of a destroy is not told apart by the search. */
    bool good = witness_check(rung->rules, &claim, &complaint);
    if (good)
        findings_add(run->findings, &finding);
    free(finding.witness);
    return good;
}

static bool decide(struct predicting *self, enum misuse rule, const uint32_t pair[2],
                   const struct misuse_candidate *candidate)
{
    bool open = false;
    self->run->candidates++;
    for (uint32_t i = 0; i < self->rung_count; i++) {
        const struct rung *rung = &self->rungs[i];
        struct search_witness witness;
        uint32_t ends;
        enum search_answer answer = rule == MISUSE_DESTROY_HELD
                                        ? reach_held(self, rung, candidate, &witness, &ends)
                                        : reach_use(self, rung, candidate, &witness, &ends);
        if (answer == SEARCH_WITNESS && report(self, rung, rule, pair, &witness, ends))
            return true;
        open |= answer != SEARCH_REFUTED;
    }
    self->run->exhausted += open;
    self->run->refuted += !open;
    return false;
}

/* Enough instances of these places were tried. */
static bool enough(struct predicting *self, const struct misuse_candidate *candidate)
{
    const struct event *events = self->misuse->history->events;
    if (self->run->options->every_pair)
        return false;
    uint64_t *count = map_at(
        &self->tried,
        map_pair(events[candidate->use].location, events[candidate->destroy].location), NULL);
    return (*count)++ >= INSTANCES;
}

static void decide_candidate(struct predicting *self, const struct misuse_candidate *candidate)
{
    const struct history *history = self->misuse->history;
    uint32_t held[2] = {candidate->use, candidate->destroy};
    uint32_t used[2] = {candidate->destroy, candidate->use};
    bool found = false;
    if (event_acquires(&history->events[candidate->use]))
        found = decide(self, MISUSE_DESTROY_HELD, held, candidate);
    /* One cause: who may hold it then may come too late as well. */
    if (!found || self->run->options->every_pair)
        decide(self, MISUSE_USE_DESTROYED, used, candidate);
}

void misuse_predict(struct engine_run *run, const struct misuse_index *index)
{
    struct misuse_candidates candidates = {0};
    if (!index->any)
        return;
    misuse_candidates_find(&candidates, index, run->options->model);
    struct predicting self = {.run = run, .misuse = index};
    if (candidates.count)
        add_rungs(&self);
    /* The last ones first: they are closest to the destroy. */
    for (size_t i = candidates.count; i-- > 0 && !interruption_asked();)
        if (!enough(&self, &candidates.items[i]))
            decide_candidate(&self, &candidates.items[i]);
    free_rungs(&self);
    array_free(&candidates);
}
