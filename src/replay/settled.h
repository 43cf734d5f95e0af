/* SPDX-License-Identifier: MIT */
/* What is known of a finding once it was replayed, and what replaying it needs. */
#ifndef PREPLAY_REPLAY_SETTLED_H
#define PREPLAY_REPLAY_SETTLED_H

#include "replay/replaying.h"

enum { SETTLED_SEEN = 48 };

struct settled_order {
    uint32_t first;   /* as in struct consequence_order */
    const char *rule; /* NULL: as the recorded run */
    char text[1400], values[300], stack[4000];
};

/* What came of it: no pointers but to constants, so that processes can share it. */
struct settled {
    enum verdict verdict;
    char reason[1600];
    bool failed;           /* the program failed, and did not come to the error: a failure */
    const char *rule;      /* of a failure */
    bool reached;          /* the error, by the first run */
    bool harmless;         /* it was reached, and nothing came of it, which makes it none */
    bool interrupted;      /* by the user: it says nothing */
    bool wants_usual;      /* `ahead`: it is to be held against the recorded order first */
    bool ordered_accesses; /* the schedule ordered accesses, too */
    uint32_t runs;
    double seconds; /* of all runs */
    struct settled_order orders[2];
    uint32_t order_count;
    /* Where the schedule was left, if it was. */
    bool left;
    uint32_t left_index;
    char left_thread[64];
    /* Other races that happens-before saw: by ids of findings, and in how many runs of the schedule
     * that is kept. */
    char seen[SETTLED_SEEN][FINDING_ID_SIZE];
    uint32_t seen_times[SETTLED_SEEN], seen_count;
};

struct usual_output;

struct settling {
    const struct replay_program *program;
    const struct history *history;
    double timeout; /* seconds, each run; 0: the standard */
    unsigned lane;
    bool consequences; /* find out what an error does */
    bool ahead;        /* in a process that ends with it: no replays of the recorded order */
    /* Its own: two replays of the recorded order, made when they are first asked for. */
    bool usual_tried;
    int usual_code; /* exit code of these, or -1 */
    struct usual_output *usual;
};

#endif
