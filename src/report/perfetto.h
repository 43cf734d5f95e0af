/* SPDX-License-Identifier: MIT */
/* A recorded run and its findings in Chrome's trace event format, which Perfetto and
 * chrome://tracing open: threads as tracks, locks as tracks that say who holds them, and each
 * finding's schedule as a process of its own. A microsecond there is one event here: a recording
 * has an order, no clock. */
#ifndef PREPLAY_REPORT_PERFETTO_H
#define PREPLAY_REPORT_PERFETTO_H

#include "report/report.h"

#include <stdio.h>

void report_perfetto(FILE *out, const struct report *report);

#endif
