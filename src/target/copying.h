/* SPDX-License-Identifier: MIT */
/* Copies of files and directories, with their modes and times; owners, where that is allowed.
 * Where the file system can, a copy shares its blocks with the original until one is written to. */
#ifndef PREPLAY_TARGET_COPYING_H
#define PREPLAY_TARGET_COPYING_H

#include "base/error.h"

#include <stddef.h>
#include <sys/stat.h>

/* Copies the bytes of one open file to another, at most `most`. 0; -1 with errno, EFBIG if there
 * are more. */
int copy_bytes(int from, int to, size_t most);

/* Gives an open file or directory the mode, times and, if it may be, owner. */
void copy_attributes(int file, const struct stat *status);

/* What is in one directory to another, as far as it is not there already; recordings of preplay,
 * sockets, pipes and devices are left out. -1 with an error, also if there is more than `most`
 * bytes. */
int copy_directory(const char *from, const char *to, size_t most, struct error *error);

/* A directory and all that is in it. */
void copy_remove(const char *path);

#endif
