/* SPDX-License-Identifier: MIT */
#include "cli/comparison.h"

#include "model/sift.h"
#include "oracle/oracle.h"

/* States that the oracle may visit per model: some seconds at most. */
#define STATE_LIMIT UINT64_C(1000000)

/* From the strictest to the one that allows most. */
static const enum model judges[] = {MODEL_RF, MODEL_VALUE, MODEL_BRANCH, MODEL_SYNC};
enum { JUDGES = sizeof judges / sizeof *judges };

static bool has_event(const struct finding *finding, const struct finding_event *event,
                      bool every_pair)
{
    for (uint32_t i = 0; i < finding->event_count; i++)
        if (every_pair ? finding->events[i].pos == event->pos
                       : finding->events[i].location == event->location)
            return true;
    return false;
}

/* Same kind, same places; the order of a finding's events does not matter. */
static bool same(const struct finding *a, const struct finding *b, bool every_pair)
{
    if (a->kind != b->kind || a->event_count != b->event_count || a->error != b->error)
        return false;
    for (uint32_t i = 0; i < a->event_count; i++)
        if (!has_event(b, &a->events[i], every_pair) || !has_event(a, &b->events[i], every_pair))
            return false;
    return true;
}

static struct comparison_row *row_of(struct comparison *comparison, const struct finding *finding,
                                     bool *added)
{
    const struct prediction *prediction = comparison->prediction;
    *added = false;
    for (size_t i = 0; i < comparison->rows.count; i++)
        if (same(comparison->rows.items[i].finding, finding, prediction->engine_options.every_pair))
            return &comparison->rows.items[i];
    struct comparison_row row = {
        .finding = finding,
        .truth = MODEL_COUNT,
        .cells = NEW_ARRAY(uint8_t, prediction->driver.count),
        .found = NEW_ARRAY(const struct finding *, prediction->driver.count),
    };
    *added = true;
    array_push(&comparison->rows, row);
    return &array_last(&comparison->rows);
}

static void collect_findings(struct comparison *comparison)
{
    const struct driver *driver = &comparison->prediction->driver;
    bool added;
    for (size_t i = 0; i < driver->count; i++) {
        const struct findings *findings = driver->runs[i].findings;
        for (size_t k = 0; k < findings->count; k++)
            row_of(comparison, &findings->items[k], &added)->found[i] = &findings->items[k];
    }
}

static struct finding *true_finding(const struct history *history, enum finding_kind kind,
                                    const uint32_t *events, uint32_t count)
{
    const struct event *first = &history->events[events[0]];
    bool wait = first->op == EVENT_WAIT_END && count > 1;
    struct finding *finding = NEW(struct finding);
    *finding = (struct finding){
        .kind = kind,
        .object_class = wait ? CLASS_LOCK : event_object_class(first->op),
        .object = wait ? first->other : first->object,
        .block = INTERN_NONE,
        .events = NEW_ARRAY(struct finding_event, count),
        .event_count = count,
    };
    for (uint32_t i = 0; i < count; i++)
        finding_event_fill(&finding->events[i], &history->events[events[i]], events[i],
                           history->index[events[i]]);
    return finding;
}

static void add_truth(struct comparison *comparison, const struct history *history,
                      enum finding_kind kind, const uint32_t *events, uint32_t count,
                      enum model model)
{
    bool added;
    struct finding *finding = true_finding(history, kind, events, count);
    row_of(comparison, finding, &added)->true_under |= 1u << model;
    if (added) {
        array_push(&comparison->true_findings, finding);
        return;
    }
    free(finding->events);
    free(finding);
}

static void add_truths(struct comparison *comparison, const struct history *history,
                       const struct truth *truth, enum model model)
{
    for (size_t i = 0; i < truth->races.count; i++)
        add_truth(comparison, history, FINDING_RACE, truth->races.items[i].events, 2, model);
    for (size_t i = 0; i < truth->deadlocks.count; i++) {
        const struct true_deadlock *deadlock = &truth->deadlocks.items[i];
        add_truth(comparison, history, FINDING_DEADLOCK, deadlock->events, deadlock->count, model);
    }
}

/* Asks the oracle, unless the trace is too large for it. */
static void ask_oracle(struct comparison *comparison, const struct history *history)
{
    struct oracle *oracle = oracle_create();
    comparison->judged = comparison->complete = true;
    for (int i = 0; i < JUDGES && comparison->judged; i++) {
        struct oracle_options options = {.model = judges[i], .state_limit = STATE_LIMIT};
        struct truth *truth = &comparison->truths[judges[i]];
        comparison->judged = oracle_explore(oracle, history, &options, truth, NULL) == 0;
        if (comparison->judged)
            comparison->complete &= truth->complete;
    }
    for (int i = 0; i < JUDGES && comparison->judged; i++)
        add_truths(comparison, history, &comparison->truths[judges[i]], judges[i]);
    oracle_destroy(oracle);
}

static int judge(struct comparison *comparison, const char *path, struct error *error)
{
    const struct prediction *prediction = comparison->prediction;
    if (prediction->driver.history) {
        ask_oracle(comparison, prediction->driver.history);
        return 0;
    }
    if (prediction->trace->delivered > ORACLE_EVENTS)
        return 0;
    /* None of the engines asked to keep it; it is small. */
    struct trace *trace = sift_open(path, error);
    struct history *history = trace ? history_read(trace, error) : NULL;
    if (history)
        ask_oracle(comparison, history);
    history_destroy(history);
    trace_close(trace);
    return history ? 0 : -1;
}

static enum model strictest(const struct comparison *comparison, const struct comparison_row *row)
{
    if (!comparison->judged || row->finding->kind == FINDING_ATOMICITY ||
        row->finding->kind == FINDING_MISUSE || row->finding->kind == FINDING_ORDER)
        return MODEL_COUNT;
    for (int i = 0; i < JUDGES; i++)
        if (row->true_under >> judges[i] & 1)
            return judges[i];
    return comparison->complete ? MODEL_NONE : MODEL_COUNT;
}

/* What findings without a model are judged by: reorderings that keep what reads saw. */
static enum model model_or_rf(enum model model)
{
    return model == MODEL_NONE ? MODEL_RF : model;
}

static bool is_covered(const struct comparison *comparison, size_t engine,
                       const struct finding *finding)
{
    const struct engine_run *run = &comparison->prediction->driver.runs[engine];
    if (!run->engine->one_per_object || comparison->prediction->engine_options.every_pair ||
        finding->kind != FINDING_RACE)
        return false;
    for (size_t i = 0; i < run->findings->count; i++)
        if (run->findings->items[i].kind == FINDING_RACE &&
            run->findings->items[i].object == finding->object)
            return true;
    return false;
}

static enum cell cell_of(const struct comparison *comparison, const struct comparison_row *row,
                         size_t engine)
{
    const struct engine_run *run = &comparison->prediction->driver.runs[engine];
    const struct finding *found = row->found[engine];
    bool known = row->truth != MODEL_COUNT;
    if (found)
        return known && !(row->true_under >> model_or_rf(found->model) & 1) ? CELL_WRONG
                                                                            : CELL_FOUND;
    if (!(run->engine->finds >> row->finding->kind & 1))
        return CELL_NOT_ITS_KIND;
    if (known && !(row->true_under >> model_or_rf(engine_model(run)) & 1))
        return CELL_ABSENT;
    return is_covered(comparison, engine, row->finding) ? CELL_COVERED : CELL_MISSED;
}

static void fill_cells(struct comparison *comparison)
{
    size_t engines = comparison->prediction->driver.count;
    for (size_t i = 0; i < comparison->rows.count; i++) {
        struct comparison_row *row = &comparison->rows.items[i];
        /* What happened at the run's end is no reordering of it: the oracle does not look there. */
        if (row->finding->kind == FINDING_DEADLOCK && row->finding->verdict == VERDICT_OBSERVED)
            for (int k = 0; k < JUDGES; k++)
                row->true_under |= 1u << judges[k];
        row->truth = strictest(comparison, row);
        for (size_t k = 0; k < engines; k++) {
            row->cells[k] = (uint8_t)cell_of(comparison, row, k);
            comparison->missed[k] += row->cells[k] == CELL_MISSED;
            comparison->wrong[k] += row->cells[k] == CELL_WRONG;
        }
    }
}

static int compare_rows(const void *a, const void *b)
{
    const struct finding *x = ((const struct comparison_row *)a)->finding;
    const struct finding *y = ((const struct comparison_row *)b)->finding;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    for (uint32_t i = 0; i < x->event_count && i < y->event_count; i++)
        if (x->events[i].pos != y->events[i].pos)
            return x->events[i].pos < y->events[i].pos ? -1 : 1;
    return (x->event_count > y->event_count) - (x->event_count < y->event_count);
}

int comparison_create(struct comparison *comparison, const struct prediction *prediction,
                      const char *path, struct error *error)
{
    *comparison = (struct comparison){.prediction = prediction};
    comparison->missed = NEW_ARRAY(size_t, prediction->driver.count);
    comparison->wrong = NEW_ARRAY(size_t, prediction->driver.count);
    collect_findings(comparison);
    if (judge(comparison, path, error))
        return -1;
    fill_cells(comparison);
    if (comparison->rows.count)
        qsort(comparison->rows.items, comparison->rows.count, sizeof *comparison->rows.items,
              compare_rows);
    return 0;
}

void comparison_free(struct comparison *comparison)
{
    for (size_t i = 0; i < comparison->rows.count; i++) {
        free(comparison->rows.items[i].cells);
        free(comparison->rows.items[i].found);
    }
    for (size_t i = 0; i < comparison->true_findings.count; i++) {
        free(comparison->true_findings.items[i]->events);
        free(comparison->true_findings.items[i]);
    }
    for (int i = 0; i < MODEL_COUNT; i++)
        truth_free(&comparison->truths[i]);
    array_free(&comparison->rows);
    array_free(&comparison->true_findings);
    free(comparison->missed);
    free(comparison->wrong);
    *comparison = (struct comparison){0};
}
