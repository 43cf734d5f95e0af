/* The directory of a recording, as the tool sees it: it is made before the program runs, and its
 * manifest is written then and when the program has ended. All else in it is the runtime's. */
#ifndef PREPLAY_CLI_TRACE_DIRECTORY_H
#define PREPLAY_CLI_TRACE_DIRECTORY_H

#include "cli/recording.h"

/* Makes it, or empties it. Only one that is empty or holds a trace of ours is emptied. 0 or -1. */
int trace_directory_prepare(const char *directory, struct error *error);
int trace_directory_write_manifest(const struct recording *recording, bool finished,
                                   struct error *error);

/* Was anything recorded? */
bool trace_directory_has_streams(const char *directory);
/* Where a script started the program that matters, says where that one's trace is. */
void trace_directory_point_inside(const char *directory);

#endif
