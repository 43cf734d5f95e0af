/* SPDX-License-Identifier: MIT */
/* The findings of engines as the JSON of docs/design.md, "The command line". */
#ifndef PREPLAY_REPORT_JSON_H
#define PREPLAY_REPORT_JSON_H

#include "trace/finding.h"

#include <stdio.h>

/* Of the JSON: docs/findings.schema.json. Version 1 had other ids (trace/finding_id.h). */
#define FINDINGS_VERSION 2

struct report;

struct report_engine {
    const char *name;
    enum model model;
    double seconds;
    uint64_t candidates, refuted, exhausted;
    const struct findings *findings;
};

/* What preplay run did, in seconds and times. */
struct report_run {
    double recording, predicting, replaying;
    double fruitless;          /* of replaying: what showed nothing */
    uint32_t replays, at_once; /* of which so many ran side by side */
    uint32_t left;             /* predictions not replayed, for lack of budget or */
    uint32_t foretold;         /* nor these: others with the same flips left their schedules */
    bool interrupted;
    bool cut_short; /* predicting was interrupted */
    double budget;  /* seconds that replays had; 0: not known */
    char note[512]; /* on how it was replayed, or why not; "" if there is nothing to say */
};

/* Everything that the engines found, whether or not other reports show it, but for what
 * was left out. Call it when the traces are read to their end. */
void report_json(FILE *out, const struct report *report);

/* What an error does, as findings have it in JSON. */
struct json_t *report_consequence_json(const struct consequence *consequence);

/* The op's word in JSON and reports: "write", "acquire-read", ... */
const char *report_op_text(enum event_op op);

#endif
