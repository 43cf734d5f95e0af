/* SPDX-License-Identifier: MIT */
/* auto: the default. Every suspicious pair of accesses, every cycle of lock acquires,
 * every strike on a window of an atomic block and every read that may be untimely is decided by
 * witness search (src/search): under the strongest model first (rf, then value and branch where
 * recorded, then sync), and each finding comes with the schedule that reaches it.
 *
 * The search is exact: a pair without a witness has none, unless its budget ran
 * out, and those are counted. Per pair of source locations a few dynamic
 * instances are tried; with --pairs, every pair of events is decided. Nothing is
 * cut into windows. */
#include "base/interruption.h"
#include "base/memory.h"
#include "base/progress.h"
#include "atomicity/atomicity.h"
#include "atomicity/order_violations.h"
#include "auto/auto_tasks.h"
#include "deadlock/cycle_proofs.h"
#include "engine/found.h"
#include "deadlock/happened.h"
#include "auto/observed_first.h"
#include "auto/observed_races.h"
#include "misuse/misuse.h"
#include "deadlock/stuck_sets.h"
#include "auto/unordered.h"
#include "auto/unseen_orders.h"
#include "search/suspects.h"
#include "search/solve.h"
#include "trace/turns.h"

#include <stdlib.h>

/* Events that the searches for deadlocks beyond cycles may schedule in all. */
#define STUCK_WORK UINT64_C(50000000)

/* A new finding takes the witness over: with --pairs, they are most of the memory. */
static void report(struct engine_run *run, const struct solve_task *task,
                   struct solve_outcome *outcome)
{
    const struct history *history = run->history;
    const uint32_t *pos = task->events + (size_t)outcome->instance * task->size;
    const struct event *first = &history->events[pos[0]];
    bool race = task->goal == SEARCH_RACE;
    struct finding_event *events = memory_alloc(task->size, sizeof *events);
    found_events(events, history, pos, task->size);
    struct finding finding = race ? found_race(run, outcome->model, first->object, events)
                                  : found_deadlock(run, outcome->model, first, events, task->size);
    finding.in_turns = outcome->in_turns;
    /* A statement's accesses (x += 1) share a place: what is proven of one of them counts. */
    struct finding *added = outcome->model == MODEL_SYNC
                                ? findings_add(run->findings, &finding)
                                : findings_add_proven(run->findings, &finding);
    if (added) {
        added->witness = outcome->witness;
        added->witness_length = outcome->length;
        outcome->witness = NULL;
    }
    free(events);
}

/* Witnesses, in events: as many as 1 GB holds at once, and as many in the findings;
 * later findings go without (only with --pairs there are so many). */
#define WITNESS_EVENTS_MAX (UINT64_C(1) << 28)

static uint64_t witness_events(const struct engine_run *run)
{
    uint64_t events = 0;
    for (size_t i = 0; i < run->findings->count; i++)
        events += run->findings->items[i].witness_length;
    return events;
}

/* Long traces are mostly what no schedule has to mind; of short ones all is looked at, which is
 * as quick, and their witnesses are observed orders. */
static void focus(const struct engine_run *run, struct ladder *ladder,
                  const struct solve_task *tasks, size_t count)
{
    ladder_widen(ladder);
    if (run->history->count > TURNS_FROM)
        ladder_focus(ladder, tasks, count);
}

/* Candidates that are decided together. */
struct batch {
    struct ladder *ladder;
    const struct solve_task *tasks;
    size_t count;
    uint64_t budget;
    /* Set for the first of two rounds: of which candidates there are more instances, and
     * what came of those that are left to the second, for lack of a better answer. */
    const bool *partial;
    struct solve_outcome **open;
};

static bool is_best(const struct ladder *ladder, const struct solve_outcome *outcome)
{
    return outcome->answer == SEARCH_WITNESS &&
           (ladder->count == 1 || outcome->model != MODEL_SYNC);
}

/* Counts and reports it; the witness is not needed afterwards. */
static void settle(struct engine_run *run, const struct solve_task *task,
                   struct solve_outcome *outcome, uint64_t *stored)
{
    run->candidates++;
    run->refuted += outcome->answer == SEARCH_REFUTED;
    run->exhausted += outcome->answer == SEARCH_EXHAUSTED;
    *stored += outcome->length;
    if (*stored > WITNESS_EVENTS_MAX) {
        free(outcome->witness);
        outcome->witness = NULL;
        outcome->length = 0;
    }
    if (outcome->answer == SEARCH_WITNESS)
        report(run, task, outcome);
    progress_found(run->options->progress, run->findings->count);
    free(outcome->witness);
    outcome->witness = NULL;
}

static void decide_some(struct engine_run *run, const struct batch *batch, size_t first,
                        size_t count)
{
    uint64_t stored = witness_events(run);
    struct solve_outcome *outcomes = NEW_ARRAY(struct solve_outcome, count);
    batch->ladder->without_witnesses = stored > WITNESS_EVENTS_MAX;
    solve_all(batch->ladder, batch->tasks + first, outcomes, count, run->options->jobs,
              batch->budget);
    for (size_t i = 0; i < count; i++) {
        if (batch->open && batch->partial[first + i] && !is_best(batch->ladder, &outcomes[i]))
            batch->open[first + i] = memory_copy(&outcomes[i], sizeof outcomes[i]);
        else
            settle(run, &batch->tasks[first + i], &outcomes[i], &stored);
    }
    free(outcomes);
}

static void decide(struct engine_run *run, const struct batch *batch)
{
    size_t chunk = (size_t)(WITNESS_EVENTS_MAX / ((uint64_t)ladder_length(batch->ladder) + 1)) + 1;
    for (size_t done = 0; done < batch->count; done += chunk)
        decide_some(run, batch, done, batch->count - done < chunk ? batch->count - done : chunk);
    batch->ladder->without_witnesses = false;
}

static struct solve_task *tasks_of(const struct suspects *suspects)
{
    struct solve_task *tasks = NEW_ARRAY(struct solve_task, suspects->count);
    for (size_t i = 0; i < suspects->count; i++)
        tasks[i] = (struct solve_task){
            .goal = SEARCH_RACE,
            .events = &suspects->pairs[suspects->items[i].start].first,
            .size = 2,
            .count = suspects->items[i].count,
        };
    return tasks;
}

/* The first round of races. */
struct round {
    struct suspects suspects;
    struct solve_task *tasks;
    bool *partial;
    struct solve_outcome **open;
    struct map places; /* of those that are open -> number + 1 */
};

/* The second round's answer, or the first one's if that is better. */
static void settle_again(struct engine_run *run, const struct ladder *ladder, struct round *round,
                         uint64_t places, const struct solve_task *task,
                         struct solve_outcome *outcome, uint64_t *stored)
{
    const uint64_t *number = map_find(&round->places, places);
    struct solve_outcome *first = number ? round->open[*number - 1] : NULL;
    if (first && first->answer != SEARCH_REFUTED && !is_best(ladder, outcome) &&
        (first->answer == SEARCH_WITNESS || outcome->answer == SEARCH_REFUTED)) {
        free(outcome->witness);
        *outcome = *first;
        task = &round->tasks[*number - 1];
    } else if (first) {
        free(first->witness);
    }
    settle(run, task, outcome, stored);
    if (first) {
        free(first);
        round->open[*number - 1] = NULL;
    }
}

/* More instances, with less for each: the first round's full searches were of those that
 * are closest. */
static void find_more_races(struct engine_run *run, struct ladder *ladder, struct round *round)
{
    struct map closed = {0};
    struct suspects more;
    for (size_t i = 0; i < round->suspects.count; i++) {
        uint64_t places = round->suspects.items[i].places;
        *map_at(round->open[i] ? &round->places : &closed, places, NULL) = i + 1;
    }
    suspects_more(&round->suspects, &closed, &more);
    struct solve_task *tasks = tasks_of(&more);
    for (size_t i = 0; i < more.count; i++) { /* one witness under `sync` is enough */
        const uint64_t *number = map_find(&round->places, more.items[i].places);
        tasks[i].sound_only = number && round->open[*number - 1]->answer == SEARCH_WITNESS;
    }
    focus(run, ladder, tasks, more.count);
    struct solve_outcome *outcomes = NEW_ARRAY(struct solve_outcome, more.count);
    uint64_t stored = witness_events(run);
    uint64_t budget = run->options->budget
                          ? run->options->budget
                          : solve_budget(ladder, round->suspects.count + more.count);
    solve_all(ladder, tasks, outcomes, more.count, run->options->jobs, budget / 8 + 1);
    for (size_t i = 0; i < more.count; i++)
        settle_again(run, ladder, round, more.items[i].places, &tasks[i], &outcomes[i], &stored);
    for (size_t i = 0; i < round->suspects.count; i++)
        if (round->open[i]) { /* all other instances are ordered */
            settle(run, &round->tasks[i], round->open[i], &stored);
            free(round->open[i]);
        }
    free(outcomes);
    free(tasks);
    suspects_free(&more);
    map_free(&closed);
}

/* Two rounds: a few instances of each pair of locations; then more of those for which
 * no sound model has a witness yet. */
static void find_races(struct engine_run *run, struct ladder *ladder)
{
    struct round round = {0};
    suspects_find(&round.suspects, ladder_weakest(ladder), ladder_value(ladder),
                  run->options->every_pair, run->options->window);
    size_t count = round.suspects.count;
    round.tasks = tasks_of(&round.suspects);
    round.open = NEW_ARRAY(struct solve_outcome *, count);
    round.partial = NEW_ARRAY(bool, count);
    for (size_t i = 0; i < count; i++)
        round.partial[i] = round.suspects.items[i].partial;
    struct batch batch = {.ladder = ladder,
                          .tasks = round.tasks,
                          .count = count,
                          .budget = run->options->budget,
                          .partial = round.partial,
                          .open = round.open};
    focus(run, ladder, round.tasks, count);
    ladder_alike(ladder);
    decide(run, &batch);
    find_more_races(run, ladder, &round);
    ladder_widen(ladder);
    free(round.open);
    free(round.partial);
    free(round.tasks);
    map_free(&round.places);
    suspects_free(&round.suspects);
}

/* One instance of a set of locations may do where all others fail: they are gone through under
 * the strongest model, before a few are tried under all. */
static void prove_cycles(struct engine_run *run, const struct ladder *ladder,
                         const struct lock_order *order)
{
    struct cycle_proofs proofs = {
        .run = run,
        .model = search_index_model(ladder->rungs[0]),
        .index = ladder->rungs[0],
    };
    cycle_proofs_run(&proofs, order, true);
    cycle_proofs_free(&proofs);
}

static void find_deadlocks(struct engine_run *run, struct ladder *ladder)
{
    struct lock_order *order = lock_order_read(run->history, run->options->model);
    struct tasks tasks = {0};
    if (!run->options->every_pair)
        prove_cycles(run, ladder, order);
    tasks_add_deadlocks(&tasks, run, order);
    lock_order_destroy(order);
    tasks_finish(&tasks);
    size_t count = tasks.list.count;
    struct batch batch = {.ladder = ladder,
                          .tasks = tasks.list.items,
                          .count = count,
                          .budget = run->options->budget};
    focus(run, ladder, tasks.list.items, count);
    decide(run, &batch);
    ladder_widen(ladder);
    run->exhausted += tasks.left_out;
    tasks_free(&tasks);
}

static enum search_answer reach(void *context, const struct stuck_goal *goal,
                                struct search_witness *witness)
{
    struct stuck_sets *sets = context;
    struct search_query query = {SEARCH_NEXT, goal->events, goal->count,
                                 sets->run->options->budget};
    if (search_steps(sets->search) > STUCK_WORK)
        return SEARCH_EXHAUSTED;
    return search_reach_after(sets->search, &query, goal->executed, goal->executed_count, witness);
}

static void find_stuck_sets_under(struct engine_run *run, struct search_index *index)
{
    struct stuck_sets sets = {
        .run = run,
        .model = search_index_model(index),
        .reach = reach,
        .search = search_create(index),
        .index = index,
    };
    sets.context = &sets;
    stuck_sets_find_all(&sets);
    search_destroy(sets.search);
}

/* Under each sound model, or the one that was asked for. Never under `sync` unasked: without what
 * the waiter read, nearly every wait could come too late. */
static void find_stuck_sets(struct engine_run *run, const struct ladder *ladder)
{
    if (!stuck_sets_possible(run->trace))
        return;
    for (uint32_t i = 0; i < ladder->count; i++)
        if (ladder->count == 1 || search_index_model(ladder->rungs[i]) != MODEL_SYNC)
            find_stuck_sets_under(run, ladder->rungs[i]);
}

static int finish(struct engine_run *run, struct error *error)
{
    (void)error;
    struct ladder ladder;
    observed_first_tell(run);
    ladder_create(&ladder, run->history, run->options->model, run->options->jobs);
    ladder.progress = run->options->progress;
    ladder.deal = run->options->deal;
    find_races(run, &ladder);
    observed_races_mark(run);
    unseen_orders_note(run);
    if (!interruption_asked())
        unordered_find(run, ladder.rungs[0]);
    happened_find(run); /* what happened is told in any case */
    if (!interruption_asked())
        find_deadlocks(run, &ladder);
    if (!interruption_asked())
        find_stuck_sets(run, &ladder);
    if (!interruption_asked())
        atomicity_find(run, &ladder);
    if (!interruption_asked())
        order_violations_suspect(run, &ladder);
    misuse_add_findings(run); /* what happened is told in any case */
    ladder_free(&ladder);
    return 0;
}

/* No filter: what lockset leaves over serves who does not keep the trace. The index that is here
 * anyway finds the suspects for a third of the instructions (30 million against 99 on a generated
 * trace of 200,000 events), with as many instances as a round asks for, every pair if wanted, and
 * without the order of atomics, which `value` does not keep. */
const struct engine engine_auto = {
    .name = "auto",
    .summary = "races, deadlocks, broken blocks by witness search, strongest model first",
    .promise = "sound; exact but for candidates whose budget ran out",
    .source = "ours; docs/engines/auto.md",
    .finds = FINDS_RACES | FINDS_DEADLOCKS | FINDS_ATOMICITY | FINDS_MISUSE | FINDS_ORDER,
    .guarantee = GUARANTEE_EXACT,
    .default_model = MODEL_RF,
    .models = 1u << MODEL_SYNC | 1u << MODEL_VALUE | 1u << MODEL_RF | 1u << MODEL_BRANCH,
    .whole_trace = true,
    .finish = finish,
};
