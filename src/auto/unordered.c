/* SPDX-License-Identifier: MIT */
#include "auto/unordered.h"

#include "base/interruption.h"
#include "relations/clock_races.h"
#include "search/by_plans.h"
#include "search/index.h"

/* Questions, and events that their plans may schedule: of one, and of all. */
enum { ASKED_MAX = 1 << 14, PAIR_WORK = 1 << 18 };
#define ALL_WORK(count) ((UINT64_C(1) << 23) + 16 * (uint64_t)(count))

/* Is it seen without making visible what came before? */
static bool is_weak(const struct event *write, const struct event *read)
{
    if (!op_in(read->op, OPS_ATOMIC))
        return false;
    return !op_in(write->op, OPS_ATOMIC) || write->order < ORDER_RELEASE ||
           read->order == ORDER_RELAXED || read->order == ORDER_RELEASE;
}

/* Without any such, whatever must come first is also seen. */
static bool sees_weakly(const struct history *history)
{
    if (!(history->ops & OPS_ATOMIC))
        return false;
    for (uint32_t pos = 0; pos < history->count; pos++) {
        const struct event *event = &history->events[pos];
        if (event_reads(event) && history->reads_from[pos] != POS_NONE &&
            is_weak(&history->events[history->reads_from[pos]], event))
            return true;
    }
    return false;
}

/* All pairs that the observed order leaves unordered, by happens-before with these flags. */
static struct findings *pairs_of(const struct engine_run *run, unsigned flags)
{
    const struct history *history = run->history;
    struct engine_run part = {.engine = run->engine,
                              .options = run->options,
                              .trace = run->trace,
                              .history = history,
                              .findings = findings_create(run->options->every_pair)};
    struct order *order = order_create(flags | ORDER_READS | ORDER_C11);
    order_know(order, history);
    struct clock_races *races = clock_races_create(&part, NULL);
    for (uint32_t pos = 0; pos < history->count; pos++) {
        const struct event *event = &history->events[pos];
        if (op_in(event->op, OPS_ACCESS)) {
            const struct vclock *clock = order_clock(order, event->thread);
            clock_races_check(races, event, pos, history->index[pos], clock, clock);
        }
        order_step(order, event);
        order_passed(order, pos);
    }
    clock_races_destroy(races);
    order_destroy(order);
    return part.findings;
}

/* Where the user asked for a sound model, or for the best one, this is better than a candidate. */
static bool is_wanted(const struct engine_run *run, const struct finding *race)
{
    return run->options->model == MODEL_SYNC ? findings_is_new(run->findings, race)
                                             : findings_is_unproven(run->findings, race);
}

/* Witnesses in the findings, in events: as many as 1 GB holds. Later ones go without. */
#define WITNESS_EVENTS_MAX (UINT64_C(1) << 28)

static void add(struct engine_run *run, struct finding race, enum model model, enum verdict verdict,
                const struct search_witness *witness, uint64_t *stored)
{
    bool room = *stored < WITNESS_EVENTS_MAX;
    race.model = model;
    race.verdict = verdict;
    race.witness = room ? (uint32_t *)witness->events : NULL;
    race.witness_length = room ? witness->length : 0;
    race.note = "relaxed atomics let the one see the other, but order nothing else";
    if (!is_wanted(run, &race))
        return;
    run->candidates += findings_is_new(run->findings, &race);
    *stored += race.witness_length;
    findings_add_proven(run->findings, &race);
}

static void find_observed(struct engine_run *run, enum model model, uint64_t *stored)
{
    struct findings *races = pairs_of(run, ORDER_LOCKS | ORDER_SIGNALS);
    uint32_t *observed = memory_alloc(run->history->count, sizeof *observed);
    for (uint32_t pos = 0; pos < run->history->count; pos++)
        observed[pos] = pos;
    for (size_t i = 0; i < races->count; i++) {
        struct search_witness witness = {observed, races->items[i].events[1].pos + 1};
        add(run, races->items[i], model, VERDICT_OBSERVED, &witness, stored);
    }
    free(observed);
    findings_destroy(races);
}

static bool exclude_each_other(const struct search_index *index, uint32_t a, uint32_t b)
{
    for (uint32_t i = index_held(index, a); i != HELD_NONE; i = index->nodes[i].next)
        for (uint32_t j = index_held(index, b); j != HELD_NONE; j = index->nodes[j].next) {
            const struct event *mine = event_at(index, index->nodes[i].acquire);
            const struct event *theirs = event_at(index, index->nodes[j].acquire);
            if (event_lock(mine) == event_lock(theirs) && sections_exclude(mine, theirs))
                return true;
        }
    return false;
}

struct asking {
    struct engine_run *run;
    struct by_plans *plans;
    uint64_t steps, limit; /* of all */
    uint32_t asked;
    uint64_t *stored;
};

/* In the observed order of the two, then in the other. */
static void ask(struct asking *asking, const struct finding *pair)
{
    enum search_answer answer = SEARCH_REFUTED;
    for (int turned = 0; turned < 2 && answer == SEARCH_REFUTED; turned++) {
        struct search_witness witness;
        uint64_t limit = asking->steps + PAIR_WORK;
        if (interruption_asked() || asking->steps >= asking->limit ||
            asking->asked++ >= ASKED_MAX) {
            answer = SEARCH_EXHAUSTED;
            break;
        }
        answer = by_plans_unordered(asking->plans, pair->events[turned].pos,
                                    pair->events[!turned].pos, &asking->steps,
                                    limit < asking->limit ? limit : asking->limit, &witness);
        if (answer == SEARCH_WITNESS)
            add(asking->run, *pair, MODEL_RF, VERDICT_PREDICTED, &witness, asking->stored);
    }
    if (answer == SEARCH_EXHAUSTED) {
        asking->run->candidates++;
        asking->run->exhausted++;
    }
}

/* Locks and signals could have gone another way; all other edges are there under `rf` whenever
 * their events are. */
static void find_predicted(struct engine_run *run, const struct search_index *index,
                           uint64_t *stored)
{
    const struct history *history = run->history;
    struct rules *rules = rules_create(history, MODEL_RF);
    struct plans_index *plans = plans_index_create(rules);
    struct asking asking = {.run = run,
                            .plans = by_plans_create(plans),
                            .limit = ALL_WORK(history->count),
                            .stored = stored};
    struct findings *pairs = asking.plans ? pairs_of(run, 0) : findings_create(true);
    for (size_t i = 0; i < pairs->count; i++) {
        const struct finding *pair = &pairs->items[i];
        uint32_t first = pair->events[0].pos, second = pair->events[1].pos;
        bool near = !run->options->window || second - first <= run->options->window;
        if (near && is_wanted(run, pair) && !exclude_each_other(index, first, second))
            ask(&asking, pair);
    }
    findings_destroy(pairs);
    by_plans_destroy(asking.plans);
    plans_index_destroy(plans);
    rules_destroy(rules);
}

void unordered_find(struct engine_run *run, const struct search_index *strongest)
{
    if (!sees_weakly(run->history))
        return;
    uint64_t stored = 0;
    find_observed(run, search_index_model(strongest), &stored);
    find_predicted(run, strongest, &stored);
}
