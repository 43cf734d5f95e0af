/* Findings of many runs as one: what a CI with a thousand tests has at its end. The reports are
 * JSON (docs/findings.schema.json); findings with one id are one, with the strongest verdict that
 * any run gave it and the runs that have it. */
#ifndef PREPLAY_REPORT_MERGE_H
#define PREPLAY_REPORT_MERGE_H

#include "base/error.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

struct merge;

struct merge *merge_create(void);
void merge_destroy(struct merge *merge);

/* Adds a report that `name` stands for. Any JSON of a known version; an ERROR_INPUT otherwise. */
int merge_add(struct merge *merge, const char *name, const json_t *report, struct error *error);

/* How many root causes happened in some run. */
size_t merge_count_real(const struct merge *merge);

/* The whole as one object: `traces` names the runs, and each finding has `trace` (the run that it
 * is told from), `runs` (how many have it) and `traces` (which). The same for any order of adding
 * but for that. */
json_t *merge_json(const struct merge *merge);
/* A line for each root cause, strongest and most frequent first, and a summary. */
void merge_text(FILE *out, const struct merge *merge, bool all);
/* A test suite: a case for each run, failed if something happened in it. */
void merge_junit(FILE *out, const struct merge *merge);

#endif
