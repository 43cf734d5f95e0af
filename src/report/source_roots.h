/* SPDX-License-Identifier: MIT */
/* Which files a report may quote. Where code comes from is what debug information says, and a
 * hostile `#line` says anything: a report that is handed on must not show the user's keys.
 *
 * Quoted is what lies below a directory that the user names (--source-root), below one where the
 * program was built or where a file lies that was compiled, or above those as far as the sources of
 * one project reach (there is a build file or version control). Such a directory must be no home,
 * nothing of the system's and nothing hidden, and so must the way from it to the file. Files in
 * /usr that everybody may read are quoted, too. (And, wherever it lies, a file whose checksum is in
 * the program's debug information: source.c.) */
#ifndef PREPLAY_REPORT_SOURCE_ROOTS_H
#define PREPLAY_REPORT_SOURCE_ROOTS_H

#include "trace/trace.h"

struct source_roots;

/* `named` is "DIR:DIR:...", or NULL. */
struct source_roots *source_roots_create(const char *named);
void source_roots_destroy(struct source_roots *roots);
/* Adds what the trace's program vouches for. More may be known later. */
void source_roots_add(struct source_roots *roots, const struct trace *trace);
/* May the file be quoted? `path` as realpath() gives it. */
bool source_roots_allow(const struct source_roots *roots, const char *path);

#endif
