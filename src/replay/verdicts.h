/* SPDX-License-Identifier: MIT */
/* Verdicts in the findings.json of a trace. */
#ifndef PREPLAY_REPLAY_VERDICTS_H
#define PREPLAY_REPLAY_VERDICTS_H

#include "trace/finding.h"

/* Writes the finding's verdict, and what was seen, to where its id stands in the trace's
 * findings, for preplay report. What has happened once stays so: only a confirmation
 * replaces `observed` or `confirmed`. */
int verdicts_keep(const char *trace_path, const struct finding *finding, const char *id,
                  const struct trace *trace, struct error *error);

#endif
