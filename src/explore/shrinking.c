/* SPDX-License-Identifier: MIT */
#include "explore/shrinking.h"

#include "explore/preemptions.h"

#include <stdlib.h>
#include <string.h>

/* What became of one schedule. */
struct attempt {
    struct failure failure;
    struct kept_run kept;
    uint32_t preemptions;
    bool good; /* it ended as it was to end, and kept its schedule */
};

static void attempt_free(struct attempt *attempt)
{
    failure_free(&attempt->failure);
    kept_run_free(&attempt->kept);
}

static int try(struct shrinking *self, const struct failure *wanted, const struct step_turn *turns,
               size_t count, struct attempt *attempt, struct error *error)
{
    struct stepped_run run;
    *attempt = (struct attempt){0};
    self->runs--;
    if (self->backend->run(self->backend->context, turns, count, self->output, &run, error))
        return -1;
    if (run.interrupted || run.unstepped || run.stopped || run.late) {
        self->runs = 0;
        return 0;
    }
    failure_judge(&attempt->failure, &run, self->norm, self->output, self->modules);
    knowledge_add(self->knowledge, run.page);
    array_last(&self->knowledge->runs).failed = attempt->failure.kind != FAILURE_NONE;
    attempt->kept = kept_run_of(run.page);
    attempt->preemptions = preemptions_of_last(self->knowledge);
    attempt->good = !run.page->diverged && strcmp(attempt->failure.identity, wanted->identity) == 0;
    return 0;
}

/* The attempt's run takes the place of the failure's. */
static void take(struct failure *failure, struct attempt *attempt, const struct step_turn *turns,
                 size_t count)
{
    struct failure found = attempt->failure;
    found.run = failure->run;
    found.times = failure->times;
    found.repeated = failure->repeated;
    found.preemptions = attempt->preemptions;
    found.kept = attempt->kept;
    for (size_t i = 0; i < count; i++)
        array_push(&found.turns, turns[i]);
    failure_free(failure);
    *failure = found;
    *attempt = (struct attempt){0};
}

/* Without one of the turns. 1 if it still fails so. */
static int leave_out(struct shrinking *self, struct failure *failure, size_t left_out,
                     struct error *error)
{
    struct failure_turns turns = {0};
    struct attempt attempt;
    for (size_t i = 0; i < failure->turns.count; i++)
        if (i != left_out)
            array_push(&turns, failure->turns.items[i]);
    int result = try(self, failure, turns.items, turns.count, &attempt, error);
    if (!result && attempt.good && attempt.preemptions <= failure->preemptions) {
        take(failure, &attempt, turns.items, turns.count);
        result = 1;
    }
    attempt_free(&attempt);
    array_free(&turns);
    return result;
}

/* How many preemptions it takes is known of none that came from a walk (neighbours.h). */
static int measure(struct shrinking *self, struct failure *failure, struct error *error)
{
    struct attempt attempt;
    if (try(self, failure, failure->turns.items, failure->turns.count, &attempt, error))
        return -1;
    if (attempt.good)
        failure->preemptions = attempt.preemptions;
    else
        self->runs = 0;
    attempt_free(&attempt);
    return 0;
}

int shrinking_run(struct shrinking *self, struct failure *failure, struct error *error)
{
    uint32_t before = failure->preemptions;
    bool shrunk = true;
    int result = self->runs && failure->repeated ? measure(self, failure, error) : 0;
    while (shrunk && !result) {
        shrunk = false;
        for (size_t i = failure->turns.count; i-- > 0 && self->runs && result >= 0;) {
            result = leave_out(self, failure, i, error);
            shrunk |= result > 0;
        }
        result = result > 0 ? 0 : result;
    }
    if (failure->preemptions == UINT32_MAX)
        failure->preemptions = before;
    return result;
}
