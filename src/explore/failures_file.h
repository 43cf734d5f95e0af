/* SPDX-License-Identifier: MIT */
/* exploration.json of a directory: the failures that were found, with their schedules, for
 * `preplay replay`. It may have been written by anybody. */
#ifndef PREPLAY_EXPLORE_FAILURES_FILE_H
#define PREPLAY_EXPLORE_FAILURES_FILE_H

#include "explore/failure.h"

/* Of each failure what is known without running it: id, identity, turns, run, preemptions. */
struct kept_failures {
    struct failure *items;
    size_t count, capacity;
    int usual;        /* exit code that is no failure */
    char *check;      /* the command that judges each run, or NULL */
    bool same_output; /* as the file `expected` */
};

/* Is the directory an exploration's? */
bool failures_file_is_in(const char *directory);
/* -1 with an error that names the file and what is wrong with it. */
int failures_file_read(struct kept_failures *failures, const char *directory, struct error *error);
void failures_file_free(struct kept_failures *failures);

#endif
