/* SPDX-License-Identifier: MIT */
/* Looks at the stacks of a program that is about to end by a signal, or hangs. */
#ifndef PREPLAY_REPLAY_WATCH_ENDING_H
#define PREPLAY_REPLAY_WATCH_ENDING_H

#include "trace/schedule.h"

#include <stdbool.h>

/* How a program ended that did not end by itself as programs should. */
struct watch_ending {
    int signal;       /* that ended it; 0: none */
    char thread[64];  /* which thread that hit; empty if it is not known */
    uint64_t address; /* of the memory that it was about */
    bool hung;        /* every thread waits for another one, or it runs without end */
    double ran;       /* seconds of processor time since the error, if it runs without end */
    char where[1024]; /* a function and a place of the program itself; empty if not known */
    char *stack;      /* of that thread, or of all that hang (trace/consequence.h); or NULL */
};

/* `process` as in target/threads.h. If a signal is about to end the program: notes which, and lets
 * it. */
void watch_ending_look(struct watch_ending *ending, struct replay_control *control,
                       const char *process);
/* None of its threads goes on. */
void watch_ending_hung(struct watch_ending *ending, const char *process);

#endif
