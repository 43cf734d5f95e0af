/* SPDX-License-Identifier: MIT */
/* The report for a terminal: every finding with its stacks, locks, threads and the
 * schedule that reaches it, then a summary. */
#ifndef PREPLAY_REPORT_FULL_TEXT_H
#define PREPLAY_REPORT_FULL_TEXT_H

#include "report/held.h"
#include "report/report.h"
#include "report/text_style.h"

void report_text(FILE *out, const struct report *report, struct text_style style);

/* Its parts. */
void report_text_findings(FILE *out, const struct report *report, struct text_style style);
void text_interleaving(FILE *out, const struct report *report, const struct finding *finding,
                       struct text_style style);
/* What the program did after the error, in each order of it: what fails first. */
void text_consequence(FILE *out, const struct report *report, const struct finding *finding,
                      struct text_style style);
/* What the items from `first` to before `end`, which have one cause with the finding before them,
 * add to it. */
void text_other_places(FILE *out, const struct report *report, size_t first, size_t end,
                       struct text_style style);
void text_summary(FILE *out, const struct report *report, struct text_style style);

#endif
