/* SPDX-License-Identifier: MIT */
/* Findings as text for a terminal. */
#ifndef PREPLAY_REPORT_TEXT_H
#define PREPLAY_REPORT_TEXT_H

#include "trace/finding.h"

#include <stdio.h>

/* Prints text that came from a target: control characters are shown, not sent. */
void report_safe_text(FILE *out, const char *text);

/* The same for the name of an object; a C++ name as it is written in the source. */
void report_name(FILE *out, const struct trace *trace, enum object_class class, uint32_t object);

void report_finding(FILE *out, const struct trace *trace, const struct finding *finding);

#endif
