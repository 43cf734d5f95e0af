/* SPDX-License-Identifier: MIT */
/* A program as Tiddle text, in its one canonical layout, line for line with all comments; printing
 * what was parsed from it changes nothing. */
#ifndef PREPLAY_TIDDLE_CODE_PRINTER_H
#define PREPLAY_TIDDLE_CODE_PRINTER_H

#include "tiddle/code.h"

#include <stdio.h>

void code_print(FILE *out, const struct code *code);
/* `x == 3`, as in `assert 1 x == 3`. */
void code_print_comparison(FILE *out, const struct code *code, const struct code_line *line);

#endif
