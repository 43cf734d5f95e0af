/* SPDX-License-Identifier: MIT */
/* The oracle: the exact truth about a small trace, by being in every state that
 * some correct reordering reaches (each distinct one once). It knows no engine,
 * and engines do not know it; they are compared with it (tests/oracle, `preplay
 * compare`).
 *
 * A trace of 20 events in 4 threads takes some ten microseconds; traces of up to
 * SMALL_EVENTS are possible where threads are tied to each other enough. */
#ifndef PREPLAY_ORACLE_ORACLE_H
#define PREPLAY_ORACLE_ORACLE_H

#include "oracle/truth.h"

/* Of a trace that can be explored, at most. */
enum { ORACLE_EVENTS = 250 };

struct oracle_options {
    enum model model;
    bool witnesses;       /* keep a witness for each error */
    uint64_t state_limit; /* 0: none */
};

/* Memory that one exploration leaves to the next. */
struct oracle;

struct oracle *oracle_create(void);
void oracle_destroy(struct oracle *oracle);

/* Fills `truth`, which the caller frees with truth_free(); -1 with the reason if
 * the trace is too large (then there is nothing to free). */
int oracle_explore(struct oracle *oracle, const struct history *history,
                   const struct oracle_options *options, struct truth *truth, struct error *error);

#endif
