/* SPDX-License-Identifier: MIT */
/* A thread as a reader is told of it: its number, and what it is there for. */
#ifndef PREPLAY_REPORT_THREAD_TEXT_H
#define PREPLAY_REPORT_THREAD_TEXT_H

#include "report/report.h"

/* "T0 (main)", "T0.1 (worker)", "T0.1". Returns the length as snprintf does. */
int thread_text(char *text, size_t size, const struct report *report, uint32_t thread);

#endif
