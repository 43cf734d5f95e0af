/* The findings of engines as the JSON of DESIGN, section 7. */
#ifndef PREPLAY_REPORT_JSON_H
#define PREPLAY_REPORT_JSON_H

#include "trace/finding.h"

#include <stdio.h>

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
    uint32_t replays;
    uint32_t left; /* predictions not replayed, for lack of budget or */
    bool interrupted;
};

/* Everything that the engines found, whether or not other reports show it, but for what
 * was left out. Call it when the traces are read to their end. */
void report_json(FILE *out, const struct report *report);

/* The op's word in JSON and reports: "write", "acquire-read", ... */
const char *report_op_text(enum event_op op);

#endif
