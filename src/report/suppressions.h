/* SPDX-License-Identifier: MIT */
/* Findings that the user knows and does not want to see: files in the format of
 * ThreadSanitizer's suppressions, one `kind:pattern` a line, # for comments.
 *
 *   race:PATTERN        a function, file, module or variable of a race
 *   race_top:PATTERN    the same, of the innermost frames alone
 *   deadlock:PATTERN    a function, file, module or lock of a deadlock (mutex: too)
 *   atomicity:PATTERN   a function, file, module, variable or block
 *   called_from_lib:PATTERN  a module of any finding
 *   id:ID               one finding
 *   thread: signal:     are read and have no meaning here
 *
 * A pattern is searched for anywhere in a name; * stands for anything, ^ and $ for the
 * name's beginning and end. */
#ifndef PREPLAY_REPORT_SUPPRESSIONS_H
#define PREPLAY_REPORT_SUPPRESSIONS_H

#include "trace/finding.h"

struct suppressions;

/* Those that always hold: races inside the headers of the C++ library that its makers know and
 * that no program can do anything about. They are never unused. */
struct suppressions *suppressions_known(void);
/* The same, and a file's (NULL: none); NULL with an ERROR_INPUT that names the line. */
struct suppressions *suppressions_read(const char *path, struct error *error);
void suppressions_free(struct suppressions *suppressions);

/* True if some line covers the finding; remembers which. */
bool suppressions_match(struct suppressions *suppressions, const struct trace *trace,
                        const struct finding *finding);

/* The lines that covered nothing, one call a line; NULL after the last. */
const char *suppressions_unused(const struct suppressions *suppressions, size_t *at);

/* ThreadSanitizer's pattern matching. */
bool suppression_pattern(const char *pattern, const char *name);

#endif
