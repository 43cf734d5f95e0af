/* SPDX-License-Identifier: MIT */
/* Whether the program's calls come to us. A library that was built for preplay may be part of a
 * program that was not: a plug-in, a module of Python's. Then the C library comes before us in
 * the order of look-up, and of the library's own locks nothing is seen, unless we are preloaded.
 * `preplay record` preloads us into such programs, and tells by PREPLAY_FRONT. */
#ifndef PREPLAY_RUNTIME_FRONT_H
#define PREPLAY_RUNTIME_FRONT_H

#include <stdbool.h>

struct dl_phdr_info;

/* False for a program into which we were preloaded and that holds nothing built for preplay (a
 * shell on the way to it, an interpreter that has not loaded its module yet). */
bool front_is_wanted(void);

/* Was this module built for preplay? */
bool front_is_needed_by(const struct dl_phdr_info *module);

/* A function that programs call in the C library's place of ours; NULL if there is none. */
const char *front_missed(void);

#endif
