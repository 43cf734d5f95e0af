/* SPDX-License-Identifier: MIT */
/* Something that can be run under a schedule: a program (stepping.h), or what a test makes of one.
 */
#ifndef PREPLAY_EXPLORE_BACKEND_H
#define PREPLAY_EXPLORE_BACKEND_H

#include "base/error.h"
#include "stepper/page.h"

#include <stdbool.h>
#include <stddef.h>

struct stepped_run {
    const struct stepper_page *page; /* until the next run */
    int status;                      /* as from waitpid() */
    bool stopped;                    /* it stood still outside of what can be stepped */
    bool late;                       /* and was ended, for it took too long */
    bool unstepped;                  /* the program took no notice of the stepper */
    bool interrupted;                /* a user pressed Ctrl-C */
    bool checked;                    /* a command looked at what it left, and ended so: */
    int check_status;                /* as from waitpid() */
};

struct explore_backend {
    /* What it prints goes to the file `output` (absolute). 0, or -1 with an error. */
    int (*run)(void *context, const struct step_turn *turns, size_t count, const char *output,
               struct stepped_run *run, struct error *error);
    void *context;
    /* The same in two halves: others can run meanwhile. NULL: not this one. */
    int (*begin)(void *context, const struct step_turn *turns, size_t count, const char *output,
                 struct error *error);
    int (*end)(void *context, struct stepped_run *run, struct error *error);
};

#endif
