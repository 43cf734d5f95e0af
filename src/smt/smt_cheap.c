/* SPDX-License-Identifier: MIT */
#include "model/checker.h"
#include "smt/smt_hunt.h"
#include "constraints/smt_own.h"

/* Steps of our own solver for a pair. */
#define GUESS_STEPS 1000000
/* Choices that propagation may make for a pair, and events that it may try for that; with
 * many pairs it pays to have Z3. */
#define CHOICES_MAX    16
#define CHOICES_EVENTS 200000
#define FEW_PAIRS      8

/* The word of auto's search is checked like everybody's. */
static int report_guess(struct hunt *hunt, const struct smt_pair *pair,
                        const struct search_witness *witness)
{
    const uint32_t events[2] = {pair->first, pair->second};
    struct claim claim = {FINDING_RACE, events, 2, witness->events, witness->length, false};
    struct complaint complaint;
    if (!witness_check(hunt->rules, &claim, &complaint))
        return error_set(hunt->error, ERROR_INTERNAL,
                         "the witness for events %u and %u is wrong at %u (event %u): %s",
                         pair->first, pair->second, complaint.at, complaint.pos, complaint.rule);
    hunt->counts->guessed++;
    hunt_report(hunt, witness->events, witness->length);
    return 0;
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
        hunt_open_encoding(hunt);
    hunt->encoding->observed_only = observed_only;
    for (size_t i = 0; i < hunt->todo.count; i++) {
        struct smt_pair pair = hunt->todo.items[i];
        if (!hunt_wants(hunt, &pair))
            continue;
        enum smt_answer answer = smt_propagate(hunt->propagation, hunt->trial, hunt->encoding,
                                               pair.first, pair.second, choices);
        bool decided = answer == SMT_YES || (answer == SMT_NO && !observed_only);
        hunt->counts->followed += decided;
        if (answer == SMT_YES)
            hunt_report_trial(hunt);
        else if (decided)
            hunt->counts->refuted++;
        else
            hunt->todo.items[kept++] = pair;
    }
    hunt->todo.count = kept;
    smt_propagation_destroy(hunt->propagation);
    if (!hunt->options->eager)
        hunt_close_encoding(hunt); /* most of it is about pairs that are decided */
}

/* Takes the pairs off the list that the observed order of some events leads to, which auto's
 * closures (search.h) find at once. One that keeps all that was read is good for any model. */
static int guess_observed(struct hunt *hunt)
{
    size_t kept = 0;
    int result = 0;
    if (!hunt->search) {
        enum model model = hunt->rules->model == MODEL_SYNC ? MODEL_SYNC : MODEL_RF;
        hunt->index = search_index_create(hunt->rules->history, model);
        hunt->search = search_create(hunt->index);
    }
    for (size_t i = 0; i < hunt->todo.count && !result; i++) {
        struct smt_pair pair = hunt->todo.items[i];
        const uint32_t events[2] = {pair.first, pair.second};
        struct search_query query = {SEARCH_RACE, events, 2, 1};
        struct search_witness witness;
        if (!hunt_wants(hunt, &pair))
            continue;
        if (search_reach(hunt->search, &query, &witness) == SEARCH_WITNESS)
            result = report_guess(hunt, &pair, &witness);
        else
            hunt->todo.items[kept++] = pair;
    }
    hunt->todo.count = kept;
    return result;
}

/* What our own solver had to be told about the pairs that are left, and nothing about those
 * that are not: then Z3 need not make plans to find that out. */
static struct smt_encoding *prepare_rest(const struct hunt *hunt, struct smt_own *own)
{
    smt_own_forget(own);
    for (size_t i = 0; i < hunt->todo.count; i++)
        smt_own_decide_pair(own, hunt->trial, hunt->todo.items[i].first, hunt->todo.items[i].second,
                            GUESS_STEPS);
    return smt_own_take_encoding(own);
}

/* Takes the pairs off the list for which our own solver finds a witness. That it finds none
 * is for Z3 to say. */
static void guess_witnesses(struct hunt *hunt)
{
    size_t kept = 0;
    struct smt_own *own = smt_own_create(hunt->window);
    for (size_t i = 0; i < hunt->todo.count; i++) {
        struct smt_pair pair = hunt->todo.items[i];
        if (!hunt_wants(hunt, &pair))
            continue;
        if (smt_own_decide_pair(own, hunt->trial, pair.first, pair.second, GUESS_STEPS) ==
            SMT_YES) {
            hunt->counts->guessed++;
            hunt_report_trial(hunt);
        } else {
            hunt->todo.items[kept++] = pair;
        }
    }
    hunt->todo.count = kept;
    if (!hunt->encoding)
        hunt->encoding = prepare_rest(hunt, own);
    smt_own_destroy(own);
}

/* Whatever is cheaper than Z3. */
int hunt_decide_cheaply(struct hunt *hunt)
{
    if (guess_observed(hunt))
        return -1;
    if (hunt->rules->model == MODEL_VALUE)
        propagate_all(hunt, 0, true);
    propagate_all(hunt, 0, false);
    if (hunt->todo.count && hunt->todo.count <= FEW_PAIRS)
        propagate_all(hunt, few_choices(hunt), false);
    if (hunt->todo.count)
        guess_witnesses(hunt);
    return 0;
}
