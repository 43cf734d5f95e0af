/* SPDX-License-Identifier: MIT */
/* The findings as text, for whoever reads the page without JavaScript: what the terminal shows,
 * where the overview's links to findings lead. */
#ifndef PREPLAY_REPORT_HTML_PLAIN_H
#define PREPLAY_REPORT_HTML_PLAIN_H

#include "report/report.h"

#include <stdio.h>

void html_plain(FILE *out, const struct report *report);

#endif
