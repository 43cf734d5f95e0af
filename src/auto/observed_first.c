/* SPDX-License-Identifier: MIT */
#include "auto/observed_first.h"

#include "deadlock/happened.h"
#include "misuse/misuse.h"

extern const struct engine engine_shb;

static void find_races(struct engine_run *run)
{
    struct error never = {0}; /* it only reads what is in memory */
    engine_begin(run);
    engine_feed(run, run->history->events, run->history->count, 0);
    engine_finish(run, &never);
    engine_end(run);
}

void observed_first_tell(const struct engine_run *run)
{
    const struct observer *observer = run->options->observer;
    if (!observer || run->history->count < OBSERVED_FIRST_FROM)
        return;
    struct engine_options options = *run->options;
    options.every_pair = false; /* each error once */
    struct engine_run early = {
        .engine = &engine_shb,
        .trace = run->trace,
        .options = &options,
        .history = run->history,
        .findings = findings_create(false),
    };
    early.findings->trace = run->trace;
    find_races(&early);
    happened_find(&early);
    misuse_add_observed(&early);
    findings_sort(early.findings);
    if (early.findings->count)
        observer->tell(observer->context, run->trace, early.findings);
    findings_destroy(early.findings);
}
