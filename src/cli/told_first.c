/* SPDX-License-Identifier: MIT */
#include "cli/told_first.h"

#include "cli/progress_line.h"
#include "report/report.h"
#include "report/text.h"

static bool is_told(const struct report *report, const struct finding *finding)
{
    return report_is_real(finding) && report_leads(report, finding);
}

static size_t count_told(const struct report *report)
{
    size_t count = 0;
    for (size_t i = 0; i < report->count; i++)
        count += is_told(report, report->items[i]);
    return count;
}

static void print(const struct report *report, size_t most)
{
    size_t left = count_told(report);
    if (!left)
        return;
    fputs("preplay: this happened in the recorded run; predicting goes on, and the report "
          "follows:\n",
          stderr);
    for (size_t i = 0; i < report->count && most; i++) {
        if (!is_told(report, report->items[i]))
            continue;
        report_finding(stderr, report->trace, report->items[i]);
        left--;
        most--;
    }
    if (left)
        fprintf(stderr, "... and %zu more\n", left);
    fflush(stderr);
}

static void tell(void *context, const struct trace *trace, struct findings *observed)
{
    const struct told_first *told = context;
    const struct options *options = told->options;
    const struct report_engine engine = {.name = "auto", .findings = observed};
    struct report report;
    report_create(&report, trace, NULL, trace->path, &engine, 1, false);
    report_leave_out(&report, told->filter ? told->filter->suppressions : NULL,
                     told->filter ? told->filter->baseline : NULL, NULL);
    flockfile(stderr); /* the line of progress waits */
    if (progress_line_wanted(options))
        progress_line_clear();
    print(&report, options->max_findings ? options->max_findings : SIZE_MAX);
    funlockfile(stderr);
    report_free(&report);
}

void told_first_begin(struct told_first *told, struct options *options,
                      const struct reporting_filter *filter)
{
    *told = (struct told_first){options, filter, {tell, told}};
    if (!options->quiet)
        options->observer = &told->observer;
}
