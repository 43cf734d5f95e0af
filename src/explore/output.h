/* SPDX-License-Identifier: MIT */
/* What runs print, compared byte for byte. */
#ifndef PREPLAY_EXPLORE_OUTPUT_H
#define PREPLAY_EXPLORE_OUTPUT_H

#include "base/error.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* Keeps a run's output as what is expected of others. 0, or -1 with an error. */
int output_keep(const char *output, const char *expected, struct error *error);
/* Is it another? Then `text` says where: the first line that differs, and how. What cannot be read,
 * or is not there, differs from nothing. */
bool output_differs(const char *expected, const char *output, char *text, size_t size);
/* Where the command goes that looks at the output: beside it. */
void output_of_check(char path[PATH_MAX], const char *output);

#endif
