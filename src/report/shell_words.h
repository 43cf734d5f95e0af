/* SPDX-License-Identifier: MIT */
/* Commands that a reader can paste into a shell. */
#ifndef PREPLAY_REPORT_SHELL_WORDS_H
#define PREPLAY_REPORT_SHELL_WORDS_H

#include <stdio.h>

/* A word that a shell reads as it was meant: quoted if it must be. */
void shell_word(FILE *out, const char *word);

#endif
