/* SPDX-License-Identifier: MIT */
#include "replay/confirm_jobs.h"

#include "base/map.h"
#include "report/groups.h"
#include "trace/turns.h"

#include <stdlib.h>

bool confirm_is_sound(const struct finding *finding)
{
    return finding->model != MODEL_SYNC && finding->model != MODEL_NONE;
}

static int compare_lengths(const void *a, const void *b)
{
    const struct confirm_job *x = a, *y = b;
    if (x->length != y->length)
        return x->length < y->length ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

/* Few of them come to anything. */
static bool is_order(const struct confirm_job *job)
{
    return job->finding->kind == FINDING_ORDER;
}

static int compare_jobs(const void *a, const void *b)
{
    const struct confirm_job *x = a, *y = b;
    if (is_order(x) != is_order(y))
        return is_order(x) ? 1 : -1;
    if (confirm_is_sound(x->finding) != confirm_is_sound(y->finding))
        return confirm_is_sound(x->finding) ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return compare_lengths(a, b);
}

static bool wants_replay(const struct finding *finding)
{
    return finding->witness &&
           (finding->verdict == VERDICT_PREDICTED || finding->verdict == VERDICT_CANDIDATE);
}

static struct confirm_job job_of(struct finding *finding, const struct history *history,
                                 uint32_t order)
{
    struct confirm_job job = {.finding = finding, .order = order};
    job.length = finding->in_turns
                     ? turns_events(history, finding->witness, finding->witness_length)
                     : finding->witness_length;
    finding_id(finding, history->trace, job.id);
    return job;
}

/* The number of the first one of the same root cause (report/groups.h). */
static void find_causes(struct confirm_jobs *jobs, const struct history *history)
{
    const struct finding **items = NEW_ARRAY(const struct finding *, jobs->count);
    struct map numbers = {0};
    for (size_t i = 0; i < jobs->count; i++) {
        items[i] = jobs->items[i].finding;
        *map_at(&numbers, (uint64_t)(uintptr_t)items[i], NULL) = i;
    }
    struct groups *groups = groups_create(history, items, jobs->count);
    for (size_t i = 0; i < jobs->count; i++)
        jobs->items[i].cause =
            *map_find(&numbers, (uint64_t)(uintptr_t)groups_leader(groups, items[i]));
    groups_destroy(groups);
    map_free(&numbers);
    free(items);
}

/* Of those alike, the short ones come first. */
static void rank_jobs(struct confirm_jobs *jobs)
{
    struct map alike = {0};
    qsort(jobs->items, jobs->count, sizeof *jobs->items, compare_lengths);
    for (size_t i = 0; i < jobs->count; i++) {
        struct confirm_job *job = &jobs->items[i];
        uint64_t key = job->cause << 1 | confirm_is_sound(job->finding);
        job->rank = (uint32_t)(*map_at(&alike, key, NULL))++;
    }
    map_free(&alike);
}

void confirm_jobs_collect(struct confirm_jobs *jobs, const struct history *history,
                          struct findings **lists, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < lists[i]->count; k++) {
            struct finding *finding = &lists[i]->items[k];
            if (!wants_replay(finding))
                continue;
            struct confirm_job job = job_of(finding, history, (uint32_t)jobs->count);
            array_push(jobs, job);
        }
    if (!jobs->count)
        return;
    find_causes(jobs, history);
    rank_jobs(jobs);
    qsort(jobs->items, jobs->count, sizeof *jobs->items, compare_jobs);
}
