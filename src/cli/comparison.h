/* SPDX-License-Identifier: MIT */
/* Findings of several engines as one table: a row for each error that some engine
 * reports and, where the trace is small enough for the oracle, for each that is true.
 * Two findings are the same error if they have the same places: source locations, or
 * events with --pairs.
 *
 * On small traces every finding is judged: true under which model, so that what an
 * engine missed and what it reports wrongly can be told. Otherwise an engine missed
 * what others report and it looks for. */
#ifndef PREPLAY_CLI_COMPARISON_H
#define PREPLAY_CLI_COMPARISON_H

#include "base/array.h"
#include "cli/predict.h"
#include "oracle/truth.h"

enum cell {
    CELL_NOT_ITS_KIND, /* the engine does not look for such errors */
    CELL_ABSENT,       /* not reported, and it did not have to be */
    CELL_FOUND,
    CELL_COVERED, /* it reports one error an object, and another one of this object */
    CELL_MISSED,
    CELL_WRONG, /* reported, but not true under the model of the report */
};

/* MODEL_NONE: not true under any; MODEL_COUNT: not known. */
struct comparison_row {
    const struct finding *finding; /* of the first engine that has it, or the oracle's */
    enum model truth;              /* the strictest model under which it is true */
    uint8_t *cells;                /* enum cell, by engine */
    const struct finding **found;  /* by engine: its finding, or NULL */
    unsigned true_under;           /* bits 1u << MODEL_* */
};

struct comparison {
    const struct prediction *prediction;
    struct comparison_rows ARRAY_OF(struct comparison_row) rows;
    size_t *missed, *wrong; /* by engine */
    bool judged;            /* the oracle has spoken */
    bool complete;          /* ... of everything */
    struct truth truths[MODEL_COUNT];
    struct true_findings ARRAY_OF(struct finding *) true_findings; /* of rows that nobody found */
};

/* `path` is the trace's: small ones may have to be read again. */
int comparison_create(struct comparison *comparison, const struct prediction *prediction,
                      const char *path, struct error *error);
void comparison_free(struct comparison *comparison);

void comparison_print(const struct comparison *comparison);
/* As the member `comparison` of the findings' JSON (docs/findings.schema.json). */
int comparison_write_json(const struct comparison *comparison, const char *path,
                          struct error *error);

#endif
