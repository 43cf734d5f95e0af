/* SPDX-License-Identifier: MIT */
/* preplay explore: every behaviour of a program on one input, and its failures. */
#include "cli/command.h"
#include "cli/explore_program.h"
#include "cli/reporting.h"
#include "report/full_text.h"

#include <limits.h>

static void print(const struct explore_report *report, const struct report *reports,
                  const struct options *options)
{
    FILE *out = reporting_takes_output(options) ? stderr : stdout;
    for (const struct report *each = reports; each; each = each->next)
        if (each->count)
            report_text_findings(out, each, text_style_of(out));
    explore_text_end(out, report, reports);
}

static int write_formats(const struct report *reports, const struct options *options,
                         struct error *error)
{
    for (unsigned format = 0; format < REPORT_FORMATS; format++)
        if (reporting_file(options, format) &&
            reporting_write(reports, format, reporting_file(options, format), error))
            return -1;
    return 0;
}

/* What the user does not want to see is left out. The number of findings that are left, or -1. */
static long tell(struct explore_program *program, const struct options *options,
                 struct error *error)
{
    struct reporting_filter filter;
    char tool[PATH_MAX];
    struct explore_report report = explore_program_report(program, tool);
    if (reporting_filter_read(&filter, options, error))
        return -1;
    struct interner *reported = interner_create();
    explored_leave_out(&program->explored, &filter, reported);
    const struct report *reports = explored_reports(&program->explored);
    print(&report, reports, options);
    long count = write_formats(reports, options, error) ? -1 : (long)report_count_real(reports);
    reporting_filter_free(&filter);
    interner_destroy(reported);
    return count;
}

int cmd_explore(struct options *options, struct error *error)
{
    struct explore_program program;
    if (!options->argument_count)
        return error_set(error, ERROR_USAGE, "preplay explore takes a PROGRAM to run");
    for (unsigned format = 0; format < REPORT_FORMATS; format++)
        if (reporting_check(reporting_file(options, format), error))
            return -1;
    long found = -1;
    if (explore_program_run(&program, options, options->directory, error) == 0) {
        found = tell(&program, options, error);
        recordings_point_to(program.recording.directory);
    }
    int code = found > 0                     ? (int)options->exit_code
               : *program.exploration.doubts ? EXIT_INCOMPLETE
                                             : EXIT_OK;
    explore_program_free(&program);
    return found < 0 ? -1 : code;
}
