/* SPDX-License-Identifier: MIT */
/* The report as GitLab's merge requests show it: a list of issues, each at one line of the source
 * (Code Climate's format). */
#ifndef PREPLAY_REPORT_CODE_QUALITY_H
#define PREPLAY_REPORT_CODE_QUALITY_H

#include "report/report.h"

#include <stdio.h>

void report_code_quality(FILE *out, const struct report *report);

#endif
