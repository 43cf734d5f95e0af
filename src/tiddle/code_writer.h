/* SPDX-License-Identifier: MIT */
/* Turns a Tiddle program into one readable C file of pthreads. It runs in any order, like any
 * program; at its end it prints what all variables hold. An assertion that fails is told, with the
 * line of the Tiddle file, and aborts. */
#ifndef PREPLAY_TIDDLE_CODE_WRITER_H
#define PREPLAY_TIDDLE_CODE_WRITER_H

#include "tiddle/code.h"

#include <stdio.h>

/* `name` is for the heading. `lines`: #line, so that debuggers and reports show the Tiddle file. */
void code_write_program(FILE *out, const struct code *code, const char *name, bool lines);

#endif
