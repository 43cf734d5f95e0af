/* SPDX-License-Identifier: MIT */
/* Lines of the target's source files, as far as they can be found. A file is read
 * once; one that is missing, too large or no text has no lines. */
#ifndef PREPLAY_REPORT_SOURCE_H
#define PREPLAY_REPORT_SOURCE_H

#include <stddef.h>

struct sources;

/* Relative paths are looked for here and where the program ran. Only files that the programs of the
 * report, or of one after it, vouch for have lines (source_roots.h). The report must outlive it. */
struct report;
struct sources *sources_create(const struct report *report);
void sources_destroy(struct sources *sources);

/* The line of "path:line[:column]" shifted by `offset` lines, without its end; NULL if
 * there is none. Valid until the sources are destroyed. */
const char *sources_line(struct sources *sources, const char *place, int offset);

#endif
