/* SPDX-License-Identifier: MIT */
/* The files of the trace directory, by short names from there ("streams/000000001.pps"). The
 * directory is opened each time: no descriptor stays, and no path lies on the target's stack,
 * which may be smaller than the longest path. Each returns the kernel's answer. */
#ifndef PREPLAY_RUNTIME_DIRECTORY_H
#define PREPLAY_RUNTIME_DIRECTORY_H

#include "runtime/system.h"

enum { DIRECTORY_NAME = 40 }; /* bytes, at most */

int directory_open(const char *path, const char *name, int flags);
int directory_make(const char *path, const char *name);
/* Into a directory in the trace directory, under its own name. */
int directory_move(const char *path, const char *name, const char *into);
/* Makes or replaces a small file. */
void directory_write(const char *path, const char *name, const char *text, size_t length);

#endif
