/* SPDX-License-Identifier: MIT */
/* What is true of a program as a whole: who begins and ends whom. Private to the parser of
 * programs.
 */
#ifndef PREPLAY_TIDDLE_CODE_WHOLE_H
#define PREPLAY_TIDDLE_CODE_WHOLE_H

#include "tiddle/code.h"

/* Its lines have been read: makes its threads, and adds what is not written. -1 with an error. */
int code_make_whole(struct code *code, struct error *error);

#endif
