#include "report/report.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

bool report_is_real(const struct finding *finding)
{
    return finding->verdict == VERDICT_OBSERVED || finding->verdict == VERDICT_CONFIRMED;
}

bool report_shows(const struct finding *finding)
{
    bool sound = finding->model != MODEL_SYNC && finding->model != MODEL_NONE;
    return report_is_real(finding) || (sound && finding->verdict != VERDICT_CANDIDATE);
}

static int rank(const struct finding *finding)
{
    if (report_is_real(finding))
        return 0;
    return report_shows(finding) ? 1 : 2;
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
    for (int wanted = 0; wanted <= 2; wanted++)
        for (size_t i = 0; i < count; i++)
            for (size_t k = 0; k < engines[i].findings->count; k++) {
                const struct finding *finding = &engines[i].findings->items[k];
                if (rank(finding) != wanted)
                    continue;
                if (wanted == 2 && !all)
                    report->hidden++;
                else
                    report->items[report->count++] = finding;
            }
}

static bool unwanted(struct report *report, struct suppressions *suppressions,
                     const struct baseline *baseline, struct interner *reported,
                     const struct finding *finding)
{
    char id[FINDING_ID_SIZE];
    const struct trace *trace = report->trace;
    finding_id(finding, trace, id);
    bool suppressed = suppressions && suppressions_match(suppressions, trace, finding);
    bool known = !suppressed && baseline && baseline_has(baseline, id);
    uint32_t before = reported ? intern_count(reported) : 0;
    bool repeated = !suppressed && !known && reported && intern(reported, id, strlen(id)) < before;
    report->suppressed += suppressed;
    report->known += known;
    report->repeated += repeated;
    return suppressed || known || repeated;
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
}

void report_free(struct report *report)
{
    map_free(&report->left_out);
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
