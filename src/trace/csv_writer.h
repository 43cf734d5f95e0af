/* SPDX-License-Identifier: MIT */
/* Traces as comma-separated values (RFC 4180), for spreadsheets and scripts: a header,
 * then a row an event. */
#ifndef PREPLAY_TRACE_CSV_WRITER_H
#define PREPLAY_TRACE_CSV_WRITER_H

#include "trace/trace.h"

#include <stdio.h>

void csv_write_header(FILE *out);
void csv_write_event(FILE *out, const struct trace *trace, const struct event *event, uint32_t pos);

#endif
