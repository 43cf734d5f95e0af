/* SPDX-License-Identifier: MIT */
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

/* Which findings: those that happened in some run, also predictions of sound models, all. */
enum merge_level { MERGE_REAL, MERGE_PREDICTED, MERGE_ALL };
/* How many root causes. */
size_t merge_count(const struct merge *merge, enum merge_level level);
/* How many runs were not recorded to their end. */
size_t merge_incomplete(const struct merge *merge);

/* The whole as one object: `traces` names the runs, and each finding has `trace` (the run that it
 * is told from), `runs` (how many have it) and `traces` (which). The same for any order of adding
 * but for that. With or without how long it took. */
json_t *merge_json(const struct merge *merge, bool times);
/* A line for each root cause, strongest and most frequent first, and a summary. */
void merge_text(FILE *out, const struct merge *merge, enum merge_level level);
/* A test suite: a case for each run, failed if something happened in it. */
void merge_junit(FILE *out, const struct merge *merge);

#endif
