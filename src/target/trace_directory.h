/* SPDX-License-Identifier: MIT */
/* The directory of a recording, as the tool sees it: it is made before the program runs, and its
 * manifest is written then and when the program has ended. All else in it is the runtime's. */
#ifndef PREPLAY_TARGET_TRACE_DIRECTORY_H
#define PREPLAY_TARGET_TRACE_DIRECTORY_H

#include "target/recording.h"

/* Makes it, or empties it, and locks it for use. Emptied is only what carries our own mark and
 * holds nothing else, is not the working directory nor around it, and is not named through a
 * symbolic link; otherwise an error says what is in the way. 0 or -1. */
int trace_directory_prepare(const char *directory, struct trace_lock *lock, struct error *error);
/* Takes back what was prepared, for nothing was recorded there. */
void trace_directory_discard(const char *directory, struct trace_lock *lock);
int trace_directory_write_manifest(const struct recording *recording, bool finished,
                                   struct error *error);

/* Was anything recorded? */
bool trace_directory_has_streams(const char *directory);
/* Where a script started the program that matters, says where that one's trace is. */
void trace_directory_point_inside(const char *directory);

#endif
