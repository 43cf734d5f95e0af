/* What an exploration came to: for a person, and for programs. */
#ifndef PREPLAY_CLI_EXPLORE_TEXT_H
#define PREPLAY_CLI_EXPLORE_TEXT_H

#include "explore/exploring.h"

#include <jansson.h>
#include <stdio.h>

struct explore_report {
    const struct exploration *exploration;
    const char *directory;   /* as the user names it */
    struct symbols *symbols; /* of the program */
    const char *tool;        /* how the user calls us */
    const struct exploring_limits *limits;
};

void explore_text(FILE *out, const struct explore_report *report);
void explore_text_failure(FILE *out, const struct explore_report *report,
                          const struct failure *failure);
/* As docs/findings.schema.json has it. */
json_t *explore_json(const struct explore_report *report);

#endif
