/* SPDX-License-Identifier: MIT */
/* Starting a program under our Valgrind tool (valgrind/). */
#ifndef PREPLAY_TARGET_VALGRIND_H
#define PREPLAY_TARGET_VALGRIND_H

#include "base/error.h"
#include "target/library.h"

/* The folder with the tool, beside `library` (library.h). 0 or -1. */
int valgrind_directory(char path[LIBRARY_PATH], const char *library, struct error *error);

/* A program that cannot be recorded this way is an error. 0 or -1. */
int valgrind_check_program(const char *name, struct error *error);

/* Notes in the trace what the recorder is to know of the program beforehand. */
void valgrind_prepare(const char *trace, const char *name);

/* Becomes the program, which lies at `program`. `trace` is where Valgrind's own words go; `replay`
 * asks for code that can be held before any access. Only returns if that fails. */
void valgrind_become(const char *library, const char *trace, const char *program,
                     const char *const *command, bool replay);

/* Afterwards: says why, if Valgrind gave up, and leaves no empty logs behind. */
void valgrind_ended(const char *trace);

#endif
