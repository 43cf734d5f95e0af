/* The findings of engines as the JSON of DESIGN, section 7. */
#ifndef PREPLAY_REPORT_JSON_H
#define PREPLAY_REPORT_JSON_H

#include "trace/finding.h"

#include <stdio.h>

struct map;

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
    uint32_t left; /* predictions not replayed, for lack of budget */
};

/* `run` may be NULL, and so may `left_out`: findings, by address, that are not wanted. Call it when
 * the trace is read to its end. */
void report_json(FILE *out, const struct trace *trace, const struct report_engine *engines,
                 size_t count, const struct report_run *run, const struct map *left_out);

/* The op's word in JSON and reports: "write", "acquire-read", ... */
const char *report_op_text(enum event_op op);

#endif
