/* SPDX-License-Identifier: MIT */
/* Where recordings go that nobody gave a place: each into a directory of its own,
 *
 *     preplay.data/PROGRAM-N      N counts the recordings of one program from 1
 *     preplay.data/latest         a link to the newest
 *
 * A recording that lies in preplay.data itself, as older versions made them, is left alone. */
#ifndef PREPLAY_TARGET_RECORDINGS_H
#define PREPLAY_TARGET_RECORDINGS_H

#include "target/recordings_prune.h"
#include "target/trace_lock.h"

#include <limits.h>

#define RECORDINGS_LATEST "latest"

/* Makes the directory of a new recording, locked, and prunes. */
int recordings_make(char path[PATH_MAX], const char *program, const struct recordings_rule *rule,
                    struct trace_lock *lock, struct error *error);
/* Has `latest` point to it, if it is one that recordings_make() made. */
void recordings_point_to(const char *path);

/* What a TRACE on the command line means: a directory with a `latest` means that one, unless it
 * is named with "/." behind it; everything else itself. */
int recordings_find(char path[PATH_MAX], const char *trace, struct error *error);

#endif
