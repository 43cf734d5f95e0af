/* SPDX-License-Identifier: MIT */
/* Removing recordings: only what is a recording of ours, and of that only what we put there
 * ourselves. Works on open directories, so that nothing is reached through a symbolic link that
 * somebody slips in. */
#ifndef PREPLAY_TARGET_TRACE_REMOVAL_H
#define PREPLAY_TARGET_TRACE_REMOVAL_H

#include <limits.h>
#include <stdbool.h>

struct trace_content {
    bool empty;
    bool marked;                 /* its manifest says that it is a recording of ours */
    char stranger[NAME_MAX + 1]; /* something in it that is not ours, or "" */
};

/* Looks at an open directory. Returns 0, or -1 with errno. */
int trace_removal_look(int directory, struct trace_content *content);
/* Removes all that is ours in it but for its lock; what marks it as ours goes last, so that it can
 * be tried again. 0 or -1 with errno. */
int trace_removal_empty(int directory);

#endif
