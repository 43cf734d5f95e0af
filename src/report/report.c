/* SPDX-License-Identifier: MIT */
#include "report/report.h"

#include "base/memory.h"
#include "report/advice.h"
#include "report/thread_roles.h"
#include "trace/finding_id.h"

#include <stdlib.h>
#include <string.h>

enum { HIDDEN = 3 }; /* the last rank */

bool report_is_real(const struct finding *finding)
{
    return finding_happened(finding);
}

bool report_shows(const struct finding *finding)
{
    bool sound = finding->model != MODEL_SYNC && finding->model != MODEL_NONE;
    return report_is_real(finding) || finding->verdict == VERDICT_ADVICE ||
           (sound && finding->verdict != VERDICT_CANDIDATE);
}

/* What makes the program fail comes first. */
static int rank(const struct finding *finding)
{
    if (report_is_real(finding))
        return finding->kind == FINDING_FAILURE || consequence_failure(&finding->consequence) ? 0
                                                                                              : 1;
    return report_shows(finding) ? 2 : HIDDEN;
}

void report_create(struct report *report, const struct trace *trace, const struct history *history,
                   const char *path, const struct report_engine *engines, size_t count, bool all)
{
    size_t total = 0;
    for (size_t i = 0; i < count; i++)
        total += engines[i].findings->count;
    *report = (struct report){
        .trace = trace,
        .history = history,
        .path = path,
        .items = NEW_ARRAY(const struct finding *, total + 1),
        .engines = engines,
        .engine_count = count,
    };
    for (int wanted = 0; wanted <= HIDDEN; wanted++)
        for (size_t i = 0; i < count; i++)
            for (size_t k = 0; k < engines[i].findings->count; k++) {
                const struct finding *finding = &engines[i].findings->items[k];
                if (rank(finding) != wanted)
                    continue;
                if (wanted == HIDDEN && !all)
                    report->hidden++;
                else
                    report->items[report->count++] = finding;
            }
    if (history)
        report_look(report);
}

void report_look(struct report *report)
{
    report->held = held_create(report->history, report->items, report->count);
    report->advice = advice_create(report->history, report->items, report->count);
    report->roles = thread_roles_create(report->history);
}

void report_forget(struct report *report)
{
    held_destroy(report->held);
    advice_destroy(report->advice);
    thread_roles_destroy(report->roles);
    report->held = NULL;
    report->advice = NULL;
    report->roles = NULL;
}

static bool unwanted(struct report *report, struct suppressions *suppressions,
                     const struct baseline *baseline, struct interner *reported,
                     const struct finding *finding)
{
    char id[FINDING_ID_SIZE];
    const struct trace *trace = report->trace;
    finding_id(finding, trace, id);
    bool suppressed = suppressions && suppressions_match(suppressions, trace, finding);
    bool known = !suppressed && baseline && baseline_has(baseline, trace, finding);
    uint32_t before = reported ? intern_count(reported) : 0;
    bool repeated = !suppressed && !known && reported && intern(reported, id, strlen(id)) < before;
    report->suppressed += suppressed;
    report->known += known;
    report->repeated += repeated;
    return suppressed || known || repeated;
}

static bool is_left_out(const struct report *report, const struct finding *finding)
{
    return map_find(&report->left_out, (uint64_t)(uintptr_t)finding) != NULL;
}

/* What is shown, strongest first, then what is not. */
static size_t collect(const struct report *report, const struct finding **all)
{
    size_t count = report->count;
    struct map shown = {0};
    memcpy(all, report->items, count * sizeof *all);
    for (size_t i = 0; i < count; i++)
        *map_at(&shown, (uint64_t)(uintptr_t)all[i], NULL) = 1;
    for (size_t i = 0; i < report->engine_count; i++)
        for (size_t k = 0; k < report->engines[i].findings->count; k++) {
            const struct finding *finding = &report->engines[i].findings->items[k];
            if (!is_left_out(report, finding) && !map_find(&shown, (uint64_t)(uintptr_t)finding))
                all[count++] = finding;
        }
    map_free(&shown);
    return count;
}

/* Each leader at its place, the others of its group behind it. Shown ones come first in
 * collect(), so that what is shown is led by what is shown. */
static void put_behind_leaders(struct report *report)
{
    size_t count = 0;
    struct map next = {0}; /* of each leader: where the next of its group goes */
    const struct finding **sorted = memory_alloc(report->count, sizeof *sorted);
    struct map shown = {0}; /* of each leader: how many of its group are shown */
    for (size_t i = 0; i < report->count; i++)
        ++*map_at(&shown, (uint64_t)(uintptr_t)groups_leader(report->groups, report->items[i]),
                  NULL);
    for (size_t i = 0; i < report->count; i++) {
        bool first;
        uint64_t key = (uint64_t)(uintptr_t)groups_leader(report->groups, report->items[i]);
        uint64_t *at = map_at(&next, key, &first);
        if (first) {
            *at = count;
            count += *map_find(&shown, key);
        }
        sorted[(*at)++] = report->items[i];
    }
    memcpy(report->items, sorted, report->count * sizeof *sorted);
    free(sorted);
    map_free(&next);
    map_free(&shown);
}

static void group(struct report *report)
{
    size_t total = 0;
    for (size_t i = 0; i < report->engine_count; i++)
        total += report->engines[i].findings->count;
    const struct finding **all = memory_alloc(total + 1, sizeof *all);
    report->groups = groups_create(report->history, all, collect(report, all));
    free(all);
    put_behind_leaders(report);
}

bool report_leads(const struct report *report, const struct finding *finding)
{
    return !report->groups || groups_leader(report->groups, finding) == finding;
}

void report_leave_out(struct report *report, struct suppressions *suppressions,
                      const struct baseline *baseline, struct interner *reported)
{
    size_t kept = 0;
    report->suppressions = suppressions;
    for (size_t i = 0; i < report->count; i++) {
        const struct finding *finding = report->items[i];
        if (unwanted(report, suppressions, baseline, reported, finding))
            *map_at(&report->left_out, (uint64_t)(uintptr_t)finding, NULL) = 1;
        else
            report->items[kept++] = finding;
    }
    report->count = kept;
    if (report->history)
        group(report);
}

void report_free(struct report *report)
{
    map_free(&report->left_out);
    groups_destroy(report->groups);
    report_forget(report);
    free(report->items);
    *report = (struct report){0};
}

size_t report_count_real(const struct report *report)
{
    size_t real = 0;
    for (; report; report = report->next)
        for (size_t i = 0; i < report->count; i++)
            real += report_is_real(report->items[i]);
    return real;
}

const char *report_incomplete(const struct report *report)
{
    const struct report_run *run = report->run;
    for (; report; report = report->next)
        if (report->trace->incomplete)
            return report->trace->incomplete;
    return run && run->cut_short ? "predicting was interrupted" : NULL;
}
