/* SPDX-License-Identifier: MIT */
/* What an exploration came to: for a person, and for programs. */
#ifndef PREPLAY_CLI_EXPLORE_TEXT_H
#define PREPLAY_CLI_EXPLORE_TEXT_H

#include "explore/exploring.h"
#include "report/report.h"

#include <jansson.h>
#include <stdio.h>

struct explore_report {
    const struct exploration *exploration;
    const char *directory;   /* as the user names it */
    struct symbols *symbols; /* of the program */
    const char *tool;        /* how the user calls us */
    const struct exploring_limits *limits;
    const char *check; /* the command that judges each run, or NULL */
};

/* What all of it came to; `reports` are what is told of it. */
void explore_text_end(FILE *out, const struct explore_report *report, const struct report *reports);
/* The same without the line that ends the findings before it. */
void explore_text_summary(FILE *out, const struct explore_report *report,
                          const struct report *reports);
void explore_text_failure(FILE *out, const struct explore_report *report,
                          const struct failure *failure);
/* What the JSON of an exploration (docs/findings.schema.json) has besides a report's: of the whole,
 * and of each finding by its id. */
json_t *explore_json(const struct explore_report *report);
json_t *explore_besides(const struct exploration *exploration);

#endif
