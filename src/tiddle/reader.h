/* SPDX-License-Identifier: MIT */
/* Tiddle files as traces: the format behind trace_open("x.tiddle"). The trace
 * holds the written operations, no more: what a program needs besides, missing
 * forks and joins, complete.h adds. An event's location is its line's number, or
 * what the line says after `@`. */
#ifndef PREPLAY_TIDDLE_READER_H
#define PREPLAY_TIDDLE_READER_H

#include "trace/formats.h"

extern const struct trace_opener tiddle_opener;

/* "-" is standard input. */
struct trace *tiddle_open(const char *path, struct error *error);
/* Tiddle text that lies in memory; it is copied. */
struct trace *tiddle_open_memory(const char *name, const char *bytes, size_t length);

/* A whole file, followed by a '\0'; the caller frees it. NULL on an error. */
char *tiddle_read_file(const char *path, size_t *length, struct error *error);

#endif
