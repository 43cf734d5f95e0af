/* SPDX-License-Identifier: MIT */
/* A line on the terminal that says what a command is doing, rewritten a few times a second and gone
 * when it is done. In a pipe or a file, and with --quiet, there is none. */
#ifndef PREPLAY_CLI_PROGRESS_LINE_H
#define PREPLAY_CLI_PROGRESS_LINE_H

#include "base/progress.h"
#include "cli/options.h"

#include <pthread.h>

/* Whether the user wants such lines, and can see them. */
bool progress_line_wanted(const struct options *options);
/* Removes the line. */
void progress_line_clear(void);

struct progress_line {
    struct progress progress;
    bool shown, ends;
    pthread_t thread; /* writes the line */
    pthread_mutex_t mutex;
    pthread_cond_t changed;
};

/* What the work is to write to; NULL if no line is wanted. Between the two calls the process has
 * one more thread: it should not fork. */
struct progress *progress_line_begin(struct progress_line *line, const struct options *options,
                                     const char *phase);
void progress_line_end(struct progress_line *line);

#endif
