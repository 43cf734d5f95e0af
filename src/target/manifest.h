/* SPDX-License-Identifier: MIT */
/* manifest.json: what a recording is of, and the mark that a directory is one of ours. */
#ifndef PREPLAY_TARGET_MANIFEST_H
#define PREPLAY_TARGET_MANIFEST_H

#include "base/error.h"

#include <jansson.h>
#include <stdbool.h>

#define MANIFEST_FILE   "manifest.json"
#define MANIFEST_FORMAT "preplay-trace"

/* Does the directory carry the mark, of whatever version? */
bool manifest_marks(const char *directory);

/* The manifest of a recorded process. A forked child was never started itself: its manifest is
 * that of the process it was forked from, whose directory its own lies in, and `process` (may be
 * NULL) becomes the way from there ("" for a process with a manifest of its own). NULL with an
 * error if there is none, if it is no JSON, or of another version. */
enum { MANIFEST_PROCESS = 256 };
json_t *manifest_read(const char *directory, char process[MANIFEST_PROCESS], struct error *error);

int manifest_write(const char *directory, const json_t *manifest, struct error *error);

#endif
