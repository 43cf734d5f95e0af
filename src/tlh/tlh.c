/* SPDX-License-Identifier: MIT */
/* tlh: races by pairwise reachability over time-stamped lock histories (Ganai).
 *
 * For each suspicious pair the lock histories of its two threads are searched for
 * a consistent sequence that leads both to their accesses (tlh/lattice.h). What
 * was visited for one pair is used for the next ones.
 *
 * Strategy I leaves all other threads out of account: a pair it cannot reach is no
 * race under `sync`, so what it reaches is complete. Strategy II starts where the
 * observed run stood after the last event that unblocks somebody, and keeps the
 * other threads there: what it reaches comes with a schedule, which the checker
 * has accepted. A finding without a schedule is strategy I's alone. With two
 * threads the strategies agree. */
#include "engine/found.h"
#include "tlh/tlh_search.h"
#include "tlh/tlh_projected.h"
#include "engine/whole.h"
#include "search/suspects.h"

/* While the trace is read, lockset collects candidates; of the rest of the trace only the
 * synchronisation is kept. */
static void create(struct engine_run *run)
{
    struct sync_log *log = NEW(struct sync_log);
    lockset_keep_log(run->filter, log);
    run->state = log;
}

static void destroy(struct engine_run *run)
{
    sync_log_free(run->state);
    free(run->state);
}

static bool try_suspect(struct tlh_search *search, const struct suspects *suspects,
                        const struct suspect *suspect)
{
    const struct history *history = search->history;
    size_t before = search->run->findings->count;
    for (uint32_t i = 0; i < suspect->count; i++) {
        const struct suspect_pair *pair = &suspects->pairs[suspect->start + i];
        const uint32_t pos[2] = {pair->first, pair->second};
        struct finding_event events[2];
        found_events(events, history, pos, 2);
        tlh_search_pair(search, pos, history->events[pos[0]].object, events);
    }
    return search->run->findings->count > before;
}

/* A few instances of each pair of locations; then more of those that are not found. */
static int search_whole(struct engine_run *run, struct error *error)
{
    struct tlh_search search;
    struct suspects suspects, more;
    struct map closed = {0};
    run->history = whole_history(run->whole, error);
    if (!run->history)
        return -1;
    tlh_search_open(&search, run, run->history);
    suspects_find(&suspects, search.index, NULL, run->options->every_pair, run->options->window);
    for (size_t i = 0; i < suspects.count; i++)
        if (try_suspect(&search, &suspects, &suspects.items[i]))
            map_at(&closed, suspects.items[i].places, NULL);
    suspects_more(&suspects, &closed, &more);
    for (size_t i = 0; i < more.count; i++)
        try_suspect(&search, &more, &more.items[i]);
    suspects_free(&more);
    suspects_free(&suspects);
    map_free(&closed);
    tlh_search_close(&search);
    return 0;
}

/* Most pairs of locations meet first near the beginning, and whether they can be reached
 * there does not depend on what follows: an eighth of the trace shows that with an eighth
 * of the work. Returns where the first instance of the last of them ends. */
static uint32_t early_limit(const struct engine_run *run, const struct lockset_pairs *pairs)
{
    uint32_t limit = 0, early = (uint32_t)(run->trace->delivered / 8);
    for (size_t i = 0; i < pairs->list.count; i++) {
        const struct lockset_instances *instances = &pairs->list.items[i].instances;
        uint32_t first = UINT32_MAX;
        for (size_t k = 0; k < instances->count; k++)
            if (instances->items[k].later.pos < first)
                first = instances->items[k].later.pos;
        if (first < early && first >= limit)
            limit = first + 1;
    }
    return limit;
}

/* Are the instances that were kept all there are? */
static bool has_all_instances(const struct lockset_pairs *pairs, const struct lockset_pair *pair)
{
    for (size_t i = 0; i < pair->instances.count; i++)
        if (map_find(&pairs->passed_over, pair->instances.items[i].object))
            return false;
    return pair->met <= pair->instances.count;
}

/* Are all these certain? */
static bool are_settled(const struct lockset_pairs *pairs, const bool *found, bool all_tried)
{
    for (size_t i = 0; i < pairs->list.count; i++)
        if (!found[i] && (!all_tried || !has_all_instances(pairs, &pairs->list.items[i])))
            return false;
    return true;
}

/* The log, for candidates that came when nobody expected them any more. */
static int log_again(struct engine_run *run, struct error *error)
{
    struct sync_log *log = run->state;
    const struct event *batch;
    long count;
    uint32_t first = 0;
    *log = (struct sync_log){.whole = true};
    struct trace *trace = run->trace->again(run->trace, error);
    if (!trace)
        return -1;
    struct engine_run again = {.engine = &engine_lockset,
                               .trace = trace,
                               .options = run->filter->options,
                               .findings = findings_create(false)};
    engine_begin(&again);
    lockset_keep_log(&again, log);
    while ((count = trace_next(trace, &batch, error)) > 0) {
        engine_feed(&again, batch, (size_t)count, first);
        first += (uint32_t)count;
    }
    engine_end(&again);
    findings_destroy(again.findings);
    trace_close(trace);
    return count < 0 ? -1 : 0;
}

static int search(struct engine_run *run, const struct lockset_pairs *pairs, bool *found,
                  struct error *error)
{
    const struct sync_log *log = run->state;
    if (log->stopped && log_again(run, error))
        return -1;
    /* Which write an atomic operation sees, only the whole trace can tell then. */
    if (log->doubtful)
        return search_whole(run, error);
    uint32_t limit = early_limit(run, pairs);
    if (limit)
        tlh_projected_try(run, log, limit, found);
    if (are_settled(pairs, found, false))
        return 0;
    tlh_projected_try(run, log, UINT32_MAX, found);
    if (are_settled(pairs, found, true))
        return 0;
    /* Other instances of what was refuted may be reachable: only the whole trace has them. */
    run->candidates -= run->refuted;
    run->refuted = 0;
    return search_whole(run, error);
}

static int finish(struct engine_run *run, struct error *error)
{
    const struct lockset_pairs *pairs = lockset_pairs_of(run->filter);
    if (!pairs->list.count)
        return 0;
    if (run->options->every_pair)
        return search_whole(run, error);
    bool *found = NEW_ARRAY(bool, pairs->list.count);
    int result = search(run, pairs, found, error);
    free(found);
    return result;
}

const struct engine engine_tlh = {
    .name = "tlh",
    .summary = "races by pairwise reachability over lock histories, incremental",
    .promise = "complete under sync; findings with a schedule are sound",
    .source = "Ganai",
    .finds = FINDS_RACES,
    .guarantee = GUARANTEE_COMPLETE_SYNC,
    .default_model = MODEL_SYNC,
    .models = 1u << MODEL_SYNC,
    .may_want_whole = true,
    .filter = &engine_lockset,
    .create = create,
    .finish = finish,
    .destroy = destroy,
};
