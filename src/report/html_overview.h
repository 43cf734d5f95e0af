/* SPDX-License-Identifier: MIT */
/* The recorded run as a whole: threads as lanes over its events, where they waited and who ended
 * that, which locks were fought for, and where the findings lie. Markup that needs no JavaScript,
 * of a bounded size however long the run: the lanes of the threads that matter most, activity by
 * parts of the run, the longest waits. */
#ifndef PREPLAY_REPORT_HTML_OVERVIEW_H
#define PREPLAY_REPORT_HTML_OVERVIEW_H

#include "report/report.h"

#include <stdio.h>

void html_overview(FILE *out, const struct report *report);

#endif
