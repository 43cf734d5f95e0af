/* SPDX-License-Identifier: MIT */
/* Text in columns, by the width it has on a terminal: wide characters take two
 * cells, and what a target's names hold beyond printable text is made visible. */
#ifndef PREPLAY_REPORT_COLUMNS_H
#define PREPLAY_REPORT_COLUMNS_H

#include <stddef.h>
#include <stdio.h>

/* Cells that the text takes. */
size_t columns_width(const char *text);
/* Prints the text in exactly `width` cells: cut off with "...", or padded. */
void columns_print(FILE *out, const char *text, size_t width);
/* Prints it as long as it is. */
void columns_text(FILE *out, const char *text);
/* The same, but at most `width` cells of its end, after "...". */
void columns_tail(FILE *out, const char *text, size_t width);
/* At most `width` cells of a long line: those around its byte `at`, with "..." where it is cut. */
void columns_around(FILE *out, const char *text, size_t width, size_t at);

#endif
