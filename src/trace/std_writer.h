/* SPDX-License-Identifier: MIT */
/* Writes events as .std lines; what the reader reads back is the same trace. */
#ifndef PREPLAY_TRACE_STD_WRITER_H
#define PREPLAY_TRACE_STD_WRITER_H

#include "trace/trace.h"

#include <stdio.h>

/* `op(operand)` with flags and value, without thread and location; `write_name` writes the names
 * (fputs would let them send commands to a terminal). */
typedef void std_write_name(FILE *out, const char *name);
void std_write_operation(FILE *out, const struct trace *trace, const struct event *event,
                         std_write_name *write_name);
void std_write_event(FILE *out, const struct trace *trace, const struct event *event);

#endif
