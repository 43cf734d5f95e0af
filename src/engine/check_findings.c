/* SPDX-License-Identifier: MIT */
/* Many witnesses begin as the observed run and leave it late. They are taken in the order in
 * which they leave it, so that one walk over the trace serves all of them: each goes on from a
 * copy of the machine there. */
#include "engine/check_findings.h"

#include "base/deal.h"
#include "base/team.h"
#include "model/checker.h"
#include "model/observed_run.h"

#include <pthread.h>
#include <stdatomic.h>

struct check {
    uint32_t finding;
    uint32_t shared; /* events that it shares with the observed run; 0: not worth a copy */
};

struct checking {
    const struct history *history;
    const struct findings *findings;
    struct rules *rules[MODEL_COUNT];
    struct check *checks;
    size_t count;
    atomic_size_t next;
    struct failure { /* the first finding whose witness was refused */
        pthread_mutex_t mutex;
        uint32_t finding;
        struct complaint complaint;
    } failure;
};

/* A machine has all objects. */
static bool is_worth_a_copy(const struct history *history, uint32_t shared)
{
    enum { LEAST = 256 };
    uint64_t size = LEAST + (uint64_t)history->variables;
    for (enum object_class class = 0; class < CLASS_COUNT; class ++)
        if (class != CLASS_VARIABLE)
            size += trace_count(history->trace, class);
    return shared > size;
}

/* The events of the error are looked at on their own. */
static uint32_t shared_by(const struct history *history, const struct finding *finding)
{
    uint32_t shared = 0, most = finding->witness_length;
    most -= most < finding->event_count ? most : finding->event_count;
    if (finding->in_turns || finding->events[0].pos >= history->count)
        return 0;
    while (shared < most && shared < history->count && finding->witness[shared] == shared)
        shared++;
    return is_worth_a_copy(history, shared) ? shared : 0;
}

static int compare_checks(const void *a, const void *b)
{
    const struct check *x = a, *y = b;
    if (x->shared != y->shared)
        return x->shared < y->shared ? -1 : 1;
    return (x->finding > y->finding) - (x->finding < y->finding);
}

static bool check_witness(const struct rules *rules, const struct finding *finding,
                          const struct machine *begun, uint32_t shared, struct complaint *complaint)
{
    uint32_t *events = memory_alloc(finding->event_count, sizeof *events);
    for (uint32_t i = 0; i < finding->event_count; i++)
        events[i] = finding->events[i].pos;
    struct claim claim = {finding->kind,           events,
                          finding->event_count,    finding->witness,
                          finding->witness_length, finding->in_turns};
    bool good = begun ? witness_check_after(rules, begun, shared, &claim, complaint)
                      : witness_check(rules, &claim, complaint);
    free(events);
    return good;
}

static void refuse(struct checking *checking, uint32_t finding, const struct complaint *complaint)
{
    pthread_mutex_lock(&checking->failure.mutex);
    if (finding < checking->failure.finding) {
        checking->failure.finding = finding;
        checking->failure.complaint = *complaint;
    }
    pthread_mutex_unlock(&checking->failure.mutex);
}

static void check_some(void *context, uint32_t worker)
{
    (void)worker;
    struct checking *checking = context;
    struct observed_run observed[MODEL_COUNT] = {{0}};
    for (size_t i; (i = atomic_fetch_add(&checking->next, 1)) < checking->count;) {
        const struct check *check = &checking->checks[i];
        const struct finding *finding = &checking->findings->items[check->finding];
        const struct rules *rules = checking->rules[finding->model];
        const struct machine *begun =
            check->shared ? observed_run_at(&observed[finding->model], rules, check->shared) : NULL;
        struct complaint complaint;
        if (!check_witness(rules, finding, begun, check->shared, &complaint))
            refuse(checking, check->finding, &complaint);
    }
    for (int model = 0; model < MODEL_COUNT; model++)
        observed_run_free(&observed[model]);
}

/* Processes that share the work have the same findings: each looks at some. */
static void list_checks(struct checking *checking, const struct deal *deal)
{
    for (uint32_t i = 0; i < checking->findings->count; i++) {
        const struct finding *finding = &checking->findings->items[i];
        if (!finding->witness || (deal && i % deal->ranks != deal->rank))
            continue;
        if (!checking->rules[finding->model])
            checking->rules[finding->model] = rules_create(checking->history, finding->model);
        checking->checks[checking->count++] = (struct check){i, 0};
    }
}

enum { CHECKS_TOGETHER = 64 };

static void compare_some_with_run(void *context, uint32_t number)
{
    struct checking *checking = context;
    size_t end = ((size_t)number + 1) * CHECKS_TOGETHER;
    for (size_t i = (size_t)number * CHECKS_TOGETHER; i < end && i < checking->count; i++) {
        struct check *check = &checking->checks[i];
        check->shared = shared_by(checking->history, &checking->findings->items[check->finding]);
    }
}

static void check_all(struct checking *checking, uint32_t jobs)
{
    if (!checking->count)
        return;
    jobs = jobs < checking->count ? jobs : (uint32_t)checking->count;
    struct team *team = team_create(jobs);
    uint32_t pieces = (uint32_t)((checking->count + CHECKS_TOGETHER - 1) / CHECKS_TOGETHER);
    team_run(team, pieces, compare_some_with_run, checking);
    qsort(checking->checks, checking->count, sizeof *checking->checks, compare_checks);
    team_run(team, jobs, check_some, checking);
    team_destroy(team);
}

int check_findings(const struct engine_run *run, struct error *error)
{
    struct checking checking = {.history = run->history,
                                .findings = run->findings,
                                .checks =
                                    memory_alloc(run->findings->count, sizeof *checking.checks),
                                .failure = {PTHREAD_MUTEX_INITIALIZER, UINT32_MAX, {0}}};
    list_checks(&checking, run->options->deal);
    check_all(&checking, run->options->jobs);
    free(checking.checks);
    for (int model = 0; model < MODEL_COUNT; model++)
        rules_destroy(checking.rules[model]);
    if (checking.failure.finding == UINT32_MAX)
        return 0;
    const struct complaint *complaint = &checking.failure.complaint;
    return error_set(error, ERROR_INTERNAL,
                     "engine %s gave a wrong witness: at %u (event %u): %s; please report this",
                     run->engine->name, complaint->at, complaint->pos, complaint->rule);
}
