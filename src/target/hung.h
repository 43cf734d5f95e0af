/* SPDX-License-Identifier: MIT */
/* Whoever records a program that really deadlocks would wait with it, for ever. Every recorded
 * process of the run that has come to a standstill (standstill.h) for some seconds is stopped,
 * and that is said; what it recorded is analysed like any other. Those that wait for such a
 * process, as make or a shell do, go on. */
#ifndef PREPLAY_TARGET_HUNG_H
#define PREPLAY_TARGET_HUNG_H

#include "base/array.h"
#include "base/intern.h"

#include <stdbool.h>
#include <stdint.h>

#define HUNG_LOOK 1.0 /* seconds between two looks */

struct hung_process {
    const char *directory;
    int process;    /* 0: not known yet */
    uint64_t ran;   /* at the last look */
    uint32_t still; /* looks in a row at which it had not run on */
    bool told;      /* to end */
    bool over;      /* it has ended: its number may be another one's by now */
};

struct hung {
    const char *directory; /* of the run, as its processes were told */
    int program;           /* the process that the user named */
    double begun, next;
    bool program_hung;            /* out */
    struct interner *directories; /* of processes; their ids are the indices of the next */
    struct hung_processes ARRAY_OF(struct hung_process) processes;
};

/* If it is time to; cheap while processes run. */
void hung_look(struct hung *self, double now);
void hung_free(struct hung *self);

#endif
