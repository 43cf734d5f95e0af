/* SPDX-License-Identifier: MIT */
/* Reports into files: what run and report share. */
#ifndef PREPLAY_CLI_REPORTING_H
#define PREPLAY_CLI_REPORTING_H

#include "cli/options.h"
#include "report/report.h"

#include <limits.h>

enum report_format {
    REPORT_TEXT,
    REPORT_JSON,
    REPORT_SARIF,
    REPORT_HTML,
    REPORT_JUNIT,
    REPORT_CODE_QUALITY,
    REPORT_FORMATS,
};

/* Where preplay run writes a format: the option's value, NULL if it was not given. */
const char *reporting_file(const struct options *options, enum report_format format);
/* Whether one of them is standard output. */
bool reporting_takes_output(const struct options *options);

/* Writes a report to `path`; NULL and "-" are standard output. 0 or -1. */
int reporting_write(const struct report *report, enum report_format format, const char *path,
                    struct error *error);

/* Whether a report could be written there: 0 or -1. Before the work that it reports on. */
int reporting_check(const char *path, struct error *error);

/* How to call this very tool from here: "preplay" if a shell finds it by that name, or
 * its path. */
const char *reporting_tool(char path[PATH_MAX]);

/* What --suppressions and --baseline leave out. */
struct reporting_filter {
    struct suppressions *suppressions;
    struct baseline *baseline;
};

int reporting_filter_read(struct reporting_filter *filter, const struct options *options,
                          struct error *error);
void reporting_filter_free(struct reporting_filter *filter);

#endif
