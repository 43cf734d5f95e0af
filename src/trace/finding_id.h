/* SPDX-License-Identifier: MIT */
/* Names for findings that survive from run to run and from edit to edit of one program. */
#ifndef PREPLAY_TRACE_FINDING_ID_H
#define PREPLAY_TRACE_FINDING_ID_H

#include "trace/finding.h"

#define FINDING_ID_SIZE 16

/* E.g. "r-1f3a9c20b7": a hash of the kind and, of each event, the operation and the place as
 * trace_identity() has it. */
void finding_id(const struct finding *finding, const struct trace *trace, char id[FINDING_ID_SIZE]);

/* Does the user mean `id`? Either the whole of it, or a beginning of at least four digits. */
bool finding_id_means(const char *word, const char *id);
/* Has a word the form of an id, or of the beginning of one? */
bool finding_id_is(const char *word);

/* What version 1 of findings.json has for an id: kind and source lines. For old baselines. */
void finding_line_id(const struct finding *finding, const struct trace *trace,
                     char id[FINDING_ID_SIZE]);

#endif
