/* The report for a terminal: every finding with its stacks, locks, threads and the
 * schedule that reaches it, then a summary. */
#ifndef PREPLAY_REPORT_FULL_TEXT_H
#define PREPLAY_REPORT_FULL_TEXT_H

#include "report/held.h"
#include "report/report.h"

struct text_style {
    bool colour;
    size_t width; /* cells a line */
};

/* Colour and the real width on a terminal (unless NO_COLOR); 80 plain ones in a pipe. */
struct text_style text_style_of(FILE *out);

void report_text(FILE *out, const struct report *report, struct text_style style);

/* Its parts. */
void report_text_findings(FILE *out, const struct report *report, struct text_style style);
void text_interleaving(FILE *out, const struct history *history, const struct finding *finding,
                       struct text_style style);
/* What the items from `first` to before `end`, which have one cause with the finding before them,
 * add to it. */
void text_other_places(FILE *out, const struct report *report, size_t first, size_t end,
                       struct text_style style);
void text_summary(FILE *out, const struct report *report, struct text_style style);

/* Escape sequences, empty without colour. */
const char *text_bold(struct text_style style);
const char *text_red(struct text_style style);
const char *text_dim(struct text_style style);
const char *text_normal(struct text_style style);

#endif
