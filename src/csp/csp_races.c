/* SPDX-License-Identifier: MIT */
/* Races of csp: one refinement an object, or an object and pair of threads, or a pair of
 * accesses (Carril & Tichy, interleavings, section 2.2.1, Carril & Tichy, CSP, section 2.3).
 *
 * What the window may cost is shared out: each object gets the same, and what some do not
 * need is shared out again among those that are not decided, as long as that is worth it.
 * Cost is counted, not timed, so that the answers are the same on every machine. */
#include "csp/csp.h"

#include <assert.h>

static uint64_t work_done(const struct csp *csp)
{
    return refiner_work(csp->refiner) + csp_pairs_work(csp->pairs);
}

/* What is remembered of a check: the answer, and how much work it was given in vain. */
static uint64_t remember(enum refinement answer, uint64_t work)
{
    return (uint64_t)answer | (answer == REFINE_INCOMPLETE ? work << 2 : 0);
}

static uint64_t key_of(const struct csp *csp, const uint32_t targets[2])
{
    const struct processes *processes = csp->refiner->processes;
    const struct event *events = csp->rules->history->events;
    uint64_t places[2];
    for (int i = 0; i < 2; i++)
        places[i] = map_pair(processes_of_thread(processes, events[targets[i]].thread),
                             processes_step_of(processes, targets[i]));
    uint64_t key = map_mix(places[0]) * 31 + map_mix(places[1] ^ 0x5bd1e995u);
    return key == UINT64_MAX ? key - 1 : key;
}

/* All accesses between the same two pairs of steps share one check. */
static enum refinement check_pair(struct csp *csp, const struct csp_pair *pair, uint64_t work)
{
    const uint32_t targets[2] = {pair->earlier, pair->later};
    bool added;
    uint64_t *known = map_at(&csp->decided, key_of(csp, targets), &added);
    if (!added) {
        enum refinement answer = (enum refinement)(*known & 3);
        if (answer == REFINE_HOLDS || (answer == REFINE_INCOMPLETE && *known >> 2 > work / 2))
            return answer;
        if (answer == REFINE_FOUND)
            work = 0; /* it has ended before */
    }
    csp->refiner->limits.work = work;
    enum refinement answer = refiner_check(csp->refiner, targets, 2);
    csp->refiner->limits.work = 0;
    *known = remember(answer, work);
    return answer;
}

static void count_answer(struct csp *csp, enum refinement answer)
{
    csp->run->candidates++;
    csp->run->refuted += answer == REFINE_HOLDS;
    csp->run->exhausted += answer == REFINE_INCOMPLETE;
}

static void report(struct csp *csp, uint32_t variable, const struct csp_pair *pair)
{
    const uint32_t targets[2] = {pair->earlier, pair->later};
    csp_report(csp, FINDING_RACE, CLASS_VARIABLE, variable, targets, 2);
}

/* Every pair on its own. */
static void check_every_pair(struct csp *csp, uint32_t variable)
{
    struct csp_pair pair;
    uint64_t before = work_done(csp);
    csp_pairs_begin(csp->pairs, 0, false);
    while (csp_pairs_next(csp->pairs, &pair)) {
        uint64_t allowed = csp_allowance(csp, 64);
        enum refinement answer = allowed ? check_pair(csp, &pair, allowed) : REFINE_INCOMPLETE;
        count_answer(csp, answer);
        if (answer == REFINE_FOUND)
            report(csp, variable, &pair);
        csp_spend(csp, work_done(csp) - before);
        before = work_done(csp);
    }
    if (csp_pairs_truncated(csp->pairs))
        count_answer(csp, REFINE_INCOMPLETE);
}

/* One refinement: a group of pairs, sorted by the least length that their
 * counterexamples can have. Reports a shortest one. */
static enum refinement check_group(struct csp *csp, const struct csp_pending *group, uint64_t work)
{
    struct csp_pair pair, best = {0};
    size_t best_length = SIZE_MAX;
    uint64_t end = work_done(csp) + work;
    bool incomplete = csp_pairs_truncated(csp->pairs), last = false;
    csp_pairs_begin(csp->pairs, group->group, true);
    while (csp_pairs_next(csp->pairs, &pair) && pair.bound < best_length) {
        uint64_t done = work_done(csp);
        if (done >= end) {
            incomplete = true;
            break;
        }
        enum refinement answer = check_pair(csp, &pair, end - done);
        incomplete |= answer == REFINE_INCOMPLETE;
        last = answer == REFINE_FOUND && csp->refiner->path.count < best_length;
        if (!last)
            continue;
        best = pair;
        best_length = csp->refiner->path.count;
    }
    if (best_length == SIZE_MAX)
        return incomplete ? REFINE_INCOMPLETE : REFINE_HOLDS;
    enum refinement again = last ? REFINE_FOUND : check_pair(csp, &best, 0);
    assert(again == REFINE_FOUND);
    (void)again;
    report(csp, group->variable, &best);
    map_at(&csp->reported, group->variable, NULL);
    return REFINE_FOUND;
}

static uint32_t open_variable(struct csp *csp, uint32_t variable)
{
    const struct csp_variable *touched = &csp->variables[variable];
    if (!touched->shared || touched->guard_count)
        return 0;
    return csp_pairs_open(csp->pairs, &touched->accesses,
                          csp->run->options->per_pair && !csp->run->options->every_pair);
}

/* One round over all groups that are not decided; true if there is enough left for another. */
static bool check_round(struct csp *csp)
{
    uint64_t allowed = csp_allowance(csp, csp->pending.count);
    csp->still_pending.count = 0;
    for (size_t i = 0; i < csp->pending.count; i++) {
        const struct csp_pending *group = &csp->pending.items[i];
        uint64_t before = work_done(csp);
        if (!i || group[-1].variable != group->variable)
            open_variable(csp, group->variable);
        enum refinement answer = REFINE_INCOMPLETE;
        if (csp->share)
            answer = check_group(csp, group, allowed < csp->share ? allowed : csp->share);
        csp_spend(csp, work_done(csp) - before);
        if (answer == REFINE_INCOMPLETE)
            array_push(&csp->still_pending, *group);
        else
            count_answer(csp, answer);
    }
    struct csp_pending_list swap = csp->pending;
    csp->pending = csp->still_pending;
    csp->still_pending = swap;
    return csp->share && csp->pending.count &&
           csp_allowance(csp, csp->pending.count) >= 2 * allowed;
}

/* Adds the variable's groups that have pairs at all, or may have. */
static void add_groups(struct csp *csp, uint32_t variable)
{
    uint32_t groups = open_variable(csp, variable);
    for (uint32_t group = 0; group < groups; group++) {
        struct csp_pending pending = {variable, group};
        struct csp_pair pair;
        csp_pairs_begin(csp->pairs, group, false);
        if (csp_pairs_truncated(csp->pairs) || csp_pairs_next(csp->pairs, &pair))
            array_push(&csp->pending, pending);
    }
}

void csp_check_races(struct csp *csp)
{
    bool every_pair = csp->run->options->every_pair, per_pair = csp->run->options->per_pair;
    uint64_t kept = csp->share / 2; /* for deadlocks */
    csp->share -= kept;
    csp->pending.count = 0;
    for (size_t i = 0; i < csp->touched.count; i++) {
        uint32_t variable = csp->touched.items[i];
        uint64_t before = work_done(csp);
        if (!per_pair && !every_pair && map_find(&csp->reported, variable))
            continue;
        if (!every_pair)
            add_groups(csp, variable);
        else if (open_variable(csp, variable))
            check_every_pair(csp, variable);
        csp_spend(csp, every_pair ? 0 : work_done(csp) - before);
    }
    while (csp->pending.count && check_round(csp))
        ;
    for (size_t i = 0; i < csp->pending.count; i++)
        count_answer(csp, REFINE_INCOMPLETE);
    csp->share += kept;
}
