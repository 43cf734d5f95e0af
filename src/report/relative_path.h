/* SPDX-License-Identifier: MIT */
/* Paths as reports for other tools have them: below a root they are relative to it, so that
 * reports of different machines agree. */
#ifndef PREPLAY_REPORT_RELATIVE_PATH_H
#define PREPLAY_REPORT_RELATIVE_PATH_H

#include <stddef.h>

/* The part of `path` below `root` (NULL: none) and without "./"; shortens *length. */
const char *relative_path(const char *path, size_t *length, const char *root);

#endif
