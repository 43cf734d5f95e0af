/* Deadlocks of csp: failures refinement (seed 000, section 2.2.2). The paper's
 * LIVE fails if the program stops anywhere; here each cycle of lock dependencies is
 * a failure of its own to look for, so that every deadlock gets a counterexample,
 * the shortest one, and threads that do not matter to it need not stop as well. */
#include "engine/csp.h"

#include "engine/cycle_search.h"
#include "search/counterexample.h"

#define EVENTS_IN_A_NOTE 40

static enum decision decide(void *context, struct cycle_tuple *tuple)
{
    struct csp *csp = context;
    switch (refiner_check(csp->refiner, tuple->acquires, tuple->count)) {
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
        return DECISION_YES;
    }
}

void csp_check_deadlocks(struct csp *csp)
{
    struct cycle_search search = {
        .run = csp->run,
        .order = csp->lock_order,
        .model = MODEL_SYNC,
        .decisions = 1u << 16,
        .cycle_steps = UINT64_C(1) << 24,
        .decide = decide,
        .context = csp,
        .verdict = VERDICT_CANDIDATE,
    };
    cycle_search_run(&search);
}
