/* SPDX-License-Identifier: MIT */
/* Findings as SARIF 2.1.0, for code hosts and editors. Rule ids and fingerprints are
 * stable; the interleaving is a code flow with a thread flow a thread. */
#ifndef PREPLAY_REPORT_SARIF_H
#define PREPLAY_REPORT_SARIF_H

#include "report/report.h"

void report_sarif(FILE *out, const struct report *report, const char *version);

#endif
