/* SPDX-License-Identifier: MIT */
/* atomicity: which atomic blocks another schedule breaks into, and how.
 *
 * For every vulnerable window of a block and every culprit of another thread
 * (strikes.h), the witness search decides whether some correct reordering runs the culprit
 * inside the window and then completes the window: under rf first, then value and
 * branch where recorded, then sync. The schedule found is what replay enforces.
 *
 * Goes beyond SideTrack (Sadowski, part VI) in that the culprit may be far from
 * where happens-before allows it, may be an access as well as an acquire, and is
 * refuted where it cannot complete: Sadowski's Figure 20.5 is a deadlock, on either side.
 *
 * Promise: sound under rf, value and branch; nothing is missed under the model but
 * what the budget left open (counted), up to the instances tried of strikes alike. */
#include "atomicity/atomicity.h"

#include "base/array.h"
#include "atomicity/blame.h"
#include "engine/found.h"
#include "atomicity/strikes.h"
#include "search/nearby.h"

#include <stdio.h>
#include <stdlib.h>

static enum atomicity_error error_of(const struct strike *strike)
{
    if (strike->culprit < strike->begin)
        return ATOMICITY_BEFORE;
    return strike->culprit < strike->end ? ATOMICITY_IN : ATOMICITY_AFTER;
}

/* "blame a/b": the atomic blocks around both ends, outermost first. */
static char *write_blame(const struct engine_run *run, struct blocks *blocks,
                         const struct strike *strike, const struct finding_event *events,
                         const char *rest)
{
    const struct history *history = run->history;
    uint32_t thread = history->events[strike->end].thread;
    struct open ARRAY_OF(uint32_t) open = {0}; /* pos of block begins */
    for (uint32_t i = 0; i < history->index[strike->end]; i++) {
        uint32_t pos = history_pos(history, thread, i);
        if (history->events[pos].op == EVENT_BLOCK_BEGIN)
            array_push(&open, pos);
        else if (history->events[pos].op == EVENT_BLOCK_END && open.count)
            open.count--;
    }
    uint32_t count = 0;
    while (count < open.count && open.items[count] < strike->begin) {
        open.items[count] = history->events[open.items[count]].object;
        count++;
    }
    uint32_t innermost;
    struct blame_window window = {&events[0], &events[1]};
    char *note = blame_text(blocks, run->trace, open.items, count, window, rest, &innermost);
    array_free(&open);
    return note;
}

/* What was read, who came between, what is lost, and what would have prevented it. */
static char *write_story(const struct engine_run *run, const struct strike_group *group,
                         const struct strike *strike)
{
    const struct event *events = run->history->events;
    const struct event *read = &events[strike->begin];
    const char *block = trace_name(run->trace, CLASS_LABEL, group->label);
    const char *owner = trace_name(run->trace, CLASS_THREAD, read->thread);
    const char *culprit = trace_name(run->trace, CLASS_THREAD, events[strike->culprit].thread);
    const char *variable = trace_name(run->trace, CLASS_VARIABLE, read->object);
    bool atomic = op_in(read->op, OPS_ATOMIC), checks = group->kind == WINDOW_CHECKED;
    char *text = NULL;
    size_t length;
    FILE *stream = open_memstream(&text, &length);
    fprintf(stream, "%s of thread %s ", block, owner);
    if (checks)
        fprintf(stream,
                "checks %s and changes it later without looking again: thread %s does the same in "
                "between",
                variable, culprit);
    else
        fprintf(stream,
                "reads %s and later writes what it made of it: what thread %s writes in between is "
                "lost",
                variable, culprit);
    fprintf(stream, "; %s from the %s to the write would keep them apart",
            atomic ? "one atomic operation" : "one critical section", checks ? "check" : "read");
    fclose(stream);
    return text;
}

static void report(struct engine_run *run, struct blocks *blocks, const struct strike_group *group,
                   const struct strike *strike, const struct solve_outcome *outcome)
{
    const struct history *history = run->history;
    const uint32_t places[3] = {strike->begin, strike->end, strike->culprit};
    struct finding_event events[3];
    found_events(events, history, places, 3);
    const struct event *begin = &history->events[strike->begin];
    bool access = op_in(begin->op, OPS_ACCESS), semaphore = begin->op == EVENT_SEM_WAIT;
    enum atomicity_error error = error_of(strike);
    struct finding finding = found_any(run, FINDING_ATOMICITY, outcome->model, events, 3);
    if (outcome->model != MODEL_SYNC && error == ATOMICITY_IN)
        finding.verdict = VERDICT_OBSERVED;
    finding.error = error;
    finding.object_class = access ? CLASS_VARIABLE : semaphore ? CLASS_SEMAPHORE : CLASS_LOCK;
    finding.object = access || semaphore ? begin->object : event_lock(begin);
    finding.block = group->label;
    finding.witness = outcome->witness;
    finding.witness_length = outcome->length;
    const char *rest =
        outcome->witness ? NULL : "; there are too many long witnesses to keep this one";
    char *note = group->kind != WINDOW_MARKED ? write_story(run, group, strike)
                                              : write_blame(run, blocks, strike, events, rest);
    finding.note = note;
    if (outcome->model == MODEL_SYNC)
        findings_add(run->findings, &finding);
    else
        findings_add_proven(run->findings, &finding);
    free(note);
}

/* What is decided, and what deciding may cost: a question to the search costs about as
 * much as there are events before it, so long traces get fewer instances. */
struct decision {
    struct engine_run *run;
    const struct ladder *ladder;
    struct strikes strikes;
    struct solve_outcome *outcomes; /* by group */
    bool *decided;
    uint64_t kept; /* events in all witnesses */
};

enum {
    NEARBY_PICKS = 4,
    NEARBY_WORK = 1 << 28,   /* events executed */
    SEARCH_WORK = 1 << 27,   /* the same, roughly, of all searches */
    WITNESS_EVENTS = 1 << 26 /* in memory: 256 MB */
};

/* A question to nearby.h: an instance of a group. */
struct question {
    uint32_t begin, group; /* begin: where it starts to differ from the observed order */
};

static int compare_questions(const void *a, const void *b)
{
    const struct question *x = a, *y = b;
    uint32_t p = x->begin != y->begin ? x->begin : x->group;
    uint32_t q = x->begin != y->begin ? y->begin : y->group;
    return (p > q) - (p < q);
}

static void ask_nearby(struct decision *decision, struct nearby *nearby, enum model model,
                       uint32_t group, uint32_t pick)
{
    const struct strike *strike =
        &decision->strikes.all[decision->strikes.groups[group].start + pick];
    struct solve_outcome *outcome = &decision->outcomes[group];
    bool room = decision->kept < WITNESS_EVENTS;
    if (!nearby_strike(nearby, &strike->begin, room ? &outcome->witness : NULL, &outcome->length))
        return;
    decision->decided[group] = true;
    decision->kept += room ? outcome->length : 0;
    outcome->answer = SEARCH_WITNESS;
    outcome->instance = pick;
    outcome->model = model;
}

/* The cheap answers: the culprit was observed there, or a little disorder brings it. In
 * each round another instance of every group that is still open, in the order of time. */
static void look_nearby(struct decision *decision, enum model model)
{
    size_t groups = decision->strikes.count;
    struct nearby *nearby = nearby_create(decision->run->history, model);
    struct question *questions = NEW_ARRAY(struct question, groups);
    for (uint32_t pick = 0; pick < NEARBY_PICKS; pick++) {
        size_t count = 0;
        for (uint32_t i = 0; i < groups; i++) {
            const struct strike_group *group = &decision->strikes.groups[i];
            if (decision->decided[i] || pick >= group->count)
                continue;
            const struct strike *strike = &decision->strikes.all[group->start + pick];
            questions[count++] = (struct question){nearby_begin(&strike->begin), i};
        }
        if (count)
            qsort(questions, count, sizeof *questions, compare_questions);
        for (size_t i = 0; i < count && nearby_work(nearby) < NEARBY_WORK; i++)
            ask_nearby(decision, nearby, model, questions[i].group, pick);
    }
    free(questions);
    nearby_destroy(nearby);
}

/* How many instances of each group the search can be asked about. */
static uint32_t affordable(const struct decision *decision, size_t *groups)
{
    uint64_t work = 0, count = 0;
    for (size_t i = 0; i < decision->strikes.count; i++) {
        if (decision->decided[i])
            continue;
        work += decision->strikes.all[decision->strikes.groups[i].start].end + UINT64_C(64);
        count++;
    }
    work *= decision->ladder->count;
    uint64_t picks = work ? SEARCH_WORK / work : STRIKE_INSTANCES;
    *groups = picks ? count : (size_t)(count * SEARCH_WORK / work);
    return picks > STRIKE_INSTANCES ? STRIKE_INSTANCES : picks ? (uint32_t)picks : 1;
}

static void search_rest(struct decision *decision)
{
    struct engine_run *run = decision->run;
    size_t groups, count = 0;
    uint32_t picks = affordable(decision, &groups);
    struct solve_task *tasks = NEW_ARRAY(struct solve_task, groups);
    size_t *numbers = NEW_ARRAY(size_t, groups);
    for (size_t i = 0; i < decision->strikes.count; i++) {
        const struct strike_group *group = &decision->strikes.groups[i];
        if (decision->decided[i])
            continue;
        decision->outcomes[i] = (struct solve_outcome){.answer = SEARCH_EXHAUSTED};
        if (count == groups)
            continue;
        numbers[count] = i;
        tasks[count++] = (struct solve_task){
            .goal = SEARCH_ATOMICITY,
            .events = &decision->strikes.all[group->start].begin,
            .size = 3,
            .count = group->count < picks || run->options->every_pair ? group->count : picks,
        };
    }
    struct solve_outcome *outcomes = NEW_ARRAY(struct solve_outcome, count);
    solve_all(decision->ladder, tasks, outcomes, count, run->options->jobs, run->options->budget);
    for (size_t i = 0; i < count; i++) {
        decision->outcomes[numbers[i]] = outcomes[i];
        decision->decided[numbers[i]] = outcomes[i].answer != SEARCH_EXHAUSTED;
        decision->kept += outcomes[i].length;
    }
    free(outcomes);
    free(numbers);
    free(tasks);
}

void atomicity_find(struct engine_run *run, const struct ladder *ladder)
{
    _Static_assert(sizeof(struct strike) == 3 * sizeof(uint32_t), "a strike is three positions");
    struct blocks *blocks = blocks_create(run->trace, run->options);
    struct decision decision = {.run = run, .ladder = ladder};
    struct strikes *strikes = &decision.strikes;
    strikes_find(strikes, ladder_weakest(ladder), blocks, run->options->every_pair,
                 run->options->window);
    decision.outcomes = NEW_ARRAY(struct solve_outcome, strikes->count);
    decision.decided = NEW_ARRAY(bool, strikes->count);
    look_nearby(&decision, search_index_model(ladder->rungs[0]));
    search_rest(&decision);
    /* What is still open and can be had where reads do not matter is for replay to decide. */
    if (ladder->count > 1)
        look_nearby(&decision, search_index_model(ladder_weakest(ladder)));
    run->candidates += strikes->count;
    run->exhausted += strikes->left_out;
    for (size_t i = 0; i < strikes->count; i++) {
        const struct strike_group *group = &strikes->groups[i];
        struct solve_outcome *outcome = &decision.outcomes[i];
        run->refuted += outcome->answer == SEARCH_REFUTED;
        run->exhausted += outcome->answer == SEARCH_EXHAUSTED;
        if (outcome->answer == SEARCH_WITNESS)
            report(run, blocks, group, &strikes->all[group->start + outcome->instance], outcome);
        free(outcome->witness);
    }
    free(decision.outcomes);
    free(decision.decided);
    strikes_free(strikes);
    blocks_destroy(blocks);
}

static int finish(struct engine_run *run, struct error *error)
{
    (void)error;
    struct ladder ladder;
    ladder_create(&ladder, run->history, run->options->model, run->options->jobs);
    ladder.deal = run->options->deal;
    atomicity_find(run, &ladder);
    ladder_free(&ladder);
    return 0;
}

const struct engine engine_atomicity = {
    .name = "atomicity",
    .summary = "atomic blocks that another schedule breaks into, with the schedule",
    .promise = "sound; exact but for candidates whose budget ran out",
    .source = "ours, on Sadowski's part VI; docs/engines/atomicity.md",
    .finds = FINDS_ATOMICITY,
    .guarantee = GUARANTEE_EXACT,
    .default_model = MODEL_RF,
    .models = 1u << MODEL_SYNC | 1u << MODEL_VALUE | 1u << MODEL_RF | 1u << MODEL_BRANCH,
    .whole_trace = true,
    .finish = finish,
};
