/* SPDX-License-Identifier: MIT */
/* Deadlocks of csp: failures refinement (Carril & Tichy, interleavings, section 2.2.2). The paper's
 * LIVE fails if the program stops anywhere; here each cycle of lock dependencies is
 * a failure of its own to look for, so that every deadlock gets a counterexample,
 * the shortest one, and threads that do not matter to it need not stop as well. */
#include "csp/csp.h"

#include "deadlock/cycle_search.h"
#include "deadlock/stuck_sets.h"
#include "csp/counterexample.h"

#define EVENTS_IN_A_NOTE 40
/* What is tried for each set of locations that has cycles before others have their turn. */
#define FIRST_WORK      (UINT64_C(1) << 16)
#define FIRST_DECISIONS 16
/* Of the enumeration of cycles in a window, and what one costs. */
#define CYCLE_STEPS (UINT64_C(1) << 24)
#define STEP_COST   8
/* What an event costs that is executed to see where it leads. */
#define EVENT_COST 64
/* States that may be stored for deadlocks beyond cycles of locks: for one set of waits, and
 * for all of a window. */
#define SET_STATES   (UINT64_C(1) << 16)
#define STUCK_STATES (UINT64_C(1) << 20)

/* One look at the cycles of a window: how much one check may cost. */
struct round {
    struct csp *csp;
    struct cycle_search *search;
    uint64_t work;
};

static enum decision decide(void *context, struct cycle_tuple *tuple)
{
    struct round *round = context;
    struct csp *csp = round->csp;
    uint64_t before = refiner_work(csp->refiner);
    csp->refiner->limits.work = round->work < csp->share ? round->work : csp->share;
    enum refinement answer = REFINE_INCOMPLETE;
    if (csp->share)
        answer = refiner_check(csp->refiner, tuple->acquires, tuple->count);
    csp->refiner->limits.work = 0;
    csp_spend(csp, refiner_work(csp->refiner) - before);
    round->search->stop |= answer == REFINE_INCOMPLETE && !csp->share;
    switch (answer) {
    case REFINE_HOLDS:
        return DECISION_NO;
    case REFINE_INCOMPLETE:
        return DECISION_UNKNOWN;
    default:
        tuple->witness =
            refiner_witness(csp->refiner, tuple->acquires, tuple->count, &tuple->witness_length);
        tuple->note =
            counterexample_text(csp->rules->history, tuple->witness, tuple->witness_length,
                                tuple->count, csp->refiner->processes->from, EVENTS_IN_A_NOTE);
        csp_spend(csp, WITNESS_COST * (uint64_t)tuple->witness_length);
        return DECISION_YES;
    }
}

/* Sets of locations that are undecided get four times the checks, each with sixteen times
 * the work, while there is work to share out. */
static bool another_round(void *context, struct cycle_search *search)
{
    struct round *round = context;
    if (round->work >= round->csp->share)
        return false;
    round->work *= 16;
    search->decisions *= 4;
    return true;
}

static enum search_answer reach(void *context, const struct stuck_goal *stuck,
                                struct search_witness *witness)
{
    struct csp *csp = context;
    uint32_t length;
    uint64_t limit = csp->refiner->limits.states;
    if (csp->refiner->states > csp->stuck_states || !csp->share)
        return SEARCH_EXHAUSTED;
    uint64_t before = refiner_work(csp->refiner);
    csp->refiner->limits.states = limit < SET_STATES ? limit : SET_STATES;
    csp->refiner->limits.work = csp->share;
    const struct slice_goal goal = {stuck->events, stuck->count, stuck->executed,
                                    stuck->executed_count};
    enum refinement answer = refiner_reach(csp->refiner, &goal);
    csp->refiner->limits.states = limit;
    csp->refiner->limits.work = 0;
    csp_spend(csp, refiner_work(csp->refiner) - before);
    switch (answer) {
    case REFINE_HOLDS:
        return SEARCH_REFUTED;
    case REFINE_INCOMPLETE:
        return SEARCH_EXHAUSTED;
    default:
        free(csp->witness);
        csp->witness = refiner_witness(csp->refiner, stuck->events, stuck->count, &length);
        *witness = (struct search_witness){csp->witness, length};
        return SEARCH_WITNESS;
    }
}

static char *note(void *context, const struct search_witness *witness, uint32_t count)
{
    struct csp *csp = context;
    return counterexample_text(csp->rules->history, witness->events, witness->length, count,
                               csp->refiner->processes->from, EVENTS_IN_A_NOTE);
}

/* The product again, without a slice: who is stuck depends on what nobody does any more. */
static void check_stuck_sets(struct csp *csp, uint32_t from, uint32_t to)
{
    struct wait_classes *classes = wait_reader_next(csp->waits, to);
    if (!classes->any_special) {
        wait_classes_destroy(classes);
        return;
    }
    uint64_t given = csp->share / 2 / EVENT_COST, work = given;
    for (; csp->started < from; csp->started++)
        machine_execute(csp->start, csp->started);
    struct stuck_sets sets = {
        .run = csp->run,
        .model = MODEL_SYNC,
        .rules = csp->rules,
        .blocking = csp->blocking,
        .classes = classes,
        .start = csp->start,
        .from = from,
        .to = to,
        .reach = reach,
        .note = note,
        .context = csp,
        .index = csp->index,
        .bounds = csp->bounds,
        .work = &work,
    };
    csp->stuck_states = csp->refiner->states + STUCK_STATES;
    stuck_sets_find(&sets);
    csp_spend(csp, EVENT_COST * (given - work));
    wait_classes_destroy(classes);
}

void csp_check_deadlocks(struct csp *csp, uint32_t from, uint32_t to)
{
    uint64_t cycle_steps =
        csp->share / STEP_COST < CYCLE_STEPS ? csp->share / STEP_COST : CYCLE_STEPS;
    struct round round = {.csp = csp, .work = FIRST_WORK};
    struct cycle_search search = {
        .run = csp->run,
        .order = csp->lock_order,
        .model = MODEL_SYNC,
        .decisions = FIRST_DECISIONS,
        .cycle_steps = cycle_steps,
        .decide = decide,
        .another = another_round,
        .context = &round,
    };
    round.search = &search;
    if (csp->run->options->every_pair)
        round.work = csp->share;
    cycle_search_run(&search);
    csp_spend(csp, STEP_COST * (cycle_steps - search.cycle_steps));
    if (csp->waits)
        check_stuck_sets(csp, from, to);
}
