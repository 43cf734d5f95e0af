/* SPDX-License-Identifier: MIT */
/* misuse: what ThreadSanitizer, Helgrind and DRD report of threads and locks beside races, and
 * what of it other schedules would do.
 *
 * One pass over the events recognises what happened (observed.h). Where order decides it, the
 * witness search looks for a schedule in which it happens (predicted.h): a lock that is destroyed
 * while a thread holds it, or before a thread uses it; a semaphore or condition variable that is
 * destroyed before its use. A run ends at its first misuse, so that no schedule goes on after
 * undefined behaviour. trace/misuse_rules.h is the table of rules.
 *
 * Promise: what is observed happened; what is predicted is exact under its model, up to what the
 * budget left open (counted) and, unless every pair is asked for, the instances tried. */
#include "misuse/misuse.h"

#include "engine/found.h"
#include "misuse/observed.h"
#include "misuse/predicted.h"

static void tell(void *context, const struct misuse_seen *seen)
{
    struct engine_run *run = context;
    const struct history *history = run->history;
    uint32_t pair[2] = {seen->partner, seen->pos};
    bool alone = seen->partner == POS_NONE;
    struct finding_event events[2];
    found_events(events, history, pair + alone, 2 - alone);
    struct finding finding = found_any(run, FINDING_MISUSE, MODEL_NONE, events, 2 - alone);
    const struct event *first = &history->events[events[0].pos];
    finding.verdict = misuse_is_advice(seen->rule) ? VERDICT_ADVICE : VERDICT_OBSERVED;
    finding.rule = misuse_rules[seen->rule].name;
    if (event_acquires(first)) { /* of a wait that returns: the lock, not the condition */
        finding.object_class = CLASS_LOCK;
        finding.object = event_lock(first);
    } else if (first->op != EVENT_BAD_CALL) {
        finding.object_class = event_object_class(first->op);
        finding.object = first->object;
    }
    findings_add(run->findings, &finding);
}

static void add_observed(struct engine_run *run, bool replayed)
{
    struct observed *observed =
        observed_create(run->history->trace, run->options->advise, tell, run);
    if (replayed)
        observed_tell_signals(observed);
    for (uint32_t pos = 0; pos < run->history->count; pos++)
        observed_step(observed, &run->history->events[pos], pos);
    observed_finish(observed);
    observed_destroy(observed);
}

void misuse_add_observed(struct engine_run *run)
{
    add_observed(run, false);
}

void misuse_add_findings(struct engine_run *run)
{
    misuse_add_observed(run);
    struct misuse_index *index = misuse_index_create(run->history);
    misuse_predict(run, index);
    misuse_index_destroy(index);
}

static int finish(struct engine_run *run, struct error *error)
{
    (void)error;
    misuse_add_findings(run);
    return 0;
}

const struct engine engine_misuse = {
    .name = "misuse",
    .summary = "locks and threads used wrongly: as it happened, and in other schedules",
    .promise = "observed, or sound under rf, value and branch; exact under its model",
    .source = "ours; docs/misuse.md",
    .finds = FINDS_MISUSE,
    .guarantee = GUARANTEE_EXACT,
    .default_model = MODEL_RF,
    .models = 1u << MODEL_SYNC | 1u << MODEL_VALUE | 1u << MODEL_RF | 1u << MODEL_BRANCH,
    .whole_trace = true,
    .finish = finish,
};

static int finish_observed(struct engine_run *run, struct error *error)
{
    (void)error;
    add_observed(run, true);
    return 0;
}

/* Of a replayed run: did what was predicted happen? */
const struct engine engine_misused = {
    .name = "misused",
    .summary = "locks and threads used wrongly, as it happened",
    .promise = "observed",
    .source = "ours; docs/misuse.md",
    .finds = FINDS_MISUSE,
    .guarantee = GUARANTEE_OBSERVED,
    .default_model = MODEL_NONE,
    .whole_trace = true,
    .predicts_none = true,
    .finish = finish_observed,
};
