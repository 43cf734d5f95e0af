/* SPDX-License-Identifier: MIT */
/* The report as JUnit XML, which every CI server shows: a failed test case for each root cause
 * that happened, an error where a recording is incomplete, and one that passed if there is
 * neither. */
#ifndef PREPLAY_REPORT_JUNIT_H
#define PREPLAY_REPORT_JUNIT_H

#include "report/report.h"

#include <stdio.h>

void report_junit(FILE *out, const struct report *report);

#endif
