/* SPDX-License-Identifier: MIT */
/* How text for a terminal looks: colour and width. */
#ifndef PREPLAY_REPORT_TEXT_STYLE_H
#define PREPLAY_REPORT_TEXT_STYLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct text_style {
    bool colour;
    size_t width; /* cells a line */
};

/* Colour and the real width on a terminal (unless NO_COLOR); 80 plain ones in a pipe. */
struct text_style text_style_of(FILE *out);

/* Escape sequences, empty without colour. */
const char *text_bold(struct text_style style);
const char *text_red(struct text_style style);
const char *text_dim(struct text_style style);
const char *text_normal(struct text_style style);

#endif
