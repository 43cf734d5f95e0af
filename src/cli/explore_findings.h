/* SPDX-License-Identifier: MIT */
/* What an exploration found, as findings of the runs in which it happened: so that every report
 * that there is tells it. */
#ifndef PREPLAY_CLI_EXPLORE_FINDINGS_H
#define PREPLAY_CLI_EXPLORE_FINDINGS_H

#include "cli/explore_predicted.h"
#include "cli/reporting.h"
#include "explore/exploring.h"
#include "explore/run_trace.h"
#include "report/report.h"

#include <jansson.h>
#include <limits.h>

/* A run in which something happened, or the first one where nothing did. */
struct explored_run {
    uint32_t number;
    struct kept_run run;
    struct run_trace trace;
    struct findings *findings;
    struct report_engine engine;
    struct report report;
};

struct explored {
    struct explored_run *runs;
    size_t count;
    struct symbols *symbols;
    struct report_program program;
    char tool[PATH_MAX], here[PATH_MAX];
    const char *path; /* of the exploration, as the user named it */
};

/* Gives each failure its id. `directory` is the exploration's, as the user named it. Behind the
 * failures come the predictions that are told, but those that a failure is. */
void explored_create(struct explored *explored, struct exploration *exploration,
                     const struct predictions *predictions, const char *directory);
/* Adds to what findings have in JSON in which run each was found, where it does not say so. */
void explored_number(const struct explored *explored, json_t *besides);
/* The same from a directory that explored_keep() wrote; 0, or -1 with an error. */
int explored_read(struct explored *explored, const char *directory, const struct options *options,
                  struct error *error);
void explored_free(struct explored *explored);

/* Writes the runs and their findings into the directory. Before anything is left out. */
int explored_keep(const struct explored *explored, const char *directory, struct error *error);
/* More members for the JSON: of the whole, and of findings by id; both must stay. */
void explored_add(struct explored *explored, json_t *extra, json_t *besides);
/* Why it is not all there is to find; NULL if it is. */
void explored_doubt(struct explored *explored, const char *reason);
/* What the user does not want to see. */
void explored_leave_out(struct explored *explored, const struct reporting_filter *filter,
                        struct interner *reported);
/* All of them, one behind the other. */
const struct report *explored_reports(const struct explored *explored);

/* As a finding of the run that shows it; `events` has room for FAILURE_PLACES. */
void explored_finding(const struct failure *failure, const struct run_trace *trace,
                      struct finding *finding, struct finding_event *events);

#endif
