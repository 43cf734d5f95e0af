/* SPDX-License-Identifier: MIT */
/* A program, and after it a command that looks at what it left: both in one process tree and one
 * sandbox, for what the program wrote is gone with these. */
#ifndef PREPLAY_EXPLORE_CHECKED_H
#define PREPLAY_EXPLORE_CHECKED_H

#include "explore/backend.h"

struct checked; /* what is known of a run, shared with its processes */

struct checked *checked_create(void);
void checked_destroy(struct checked *checked);

struct checked_program {
    void (*become)(void *context); /* does not return */
    void *context;
    const struct stepper_page *page;
};

/* In the process that is to become the program: runs it and then, if it ended by itself, the shell
 * command, in the working directory and with the program's output as its input. Does not return. */
_Noreturn void checked_become(struct checked *checked, const char *command, const char *output,
                              const struct checked_program *program);
/* When both are over. -1 with an error if there is no such command. */
int checked_result(struct checked *checked, const char *command, struct stepped_run *run,
                   struct error *error);

#endif
