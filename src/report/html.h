/* SPDX-License-Identifier: MIT */
/* Findings as one HTML page that needs nothing else: the data as JSON inside it, and
 * the program that draws it (page/). Nothing from the target becomes markup: the data
 * holds no '<', and the page only ever sets text. */
#ifndef PREPLAY_REPORT_HTML_H
#define PREPLAY_REPORT_HTML_H

#include "report/report.h"

void report_html(FILE *out, const struct report *report, const char *version);

/* The parts of the page, from page/. */
extern const char page_head[], page_style[], page_body[], page_why[], page_story[], page_program[];

#endif
