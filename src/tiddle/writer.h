/* SPDX-License-Identifier: MIT */
/* Writes events as Tiddle lines; what the reader reads back is the same trace. */
#ifndef PREPLAY_TIDDLE_WRITER_H
#define PREPLAY_TIDDLE_WRITER_H

#include "trace/trace.h"

#include <stdio.h>

/* The operation with its thread, operands and value, without a location. */
void tiddle_write_operation(FILE *out, const struct trace *trace, const struct event *event);
/* One line. The location is written only where it is not `line`, the number of
 * the line within its file. */
void tiddle_write_event(FILE *out, const struct trace *trace, const struct event *event,
                        uint32_t line);

/* Tiddle text in its one canonical layout, line for line, comments and blank
 * lines kept, so that the trace and its locations stay the same. Formatting twice
 * changes nothing. `name` is for error messages. */
int tiddle_format_text(FILE *out, const char *name, const char *bytes, size_t length,
                       struct error *error);

#endif
