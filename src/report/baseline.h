/* SPDX-License-Identifier: MIT */
/* The findings of an earlier run, by id: what is in them is not new. Files of version 1 have ids
 * of another form (finding_line_id), which are still known. */
#ifndef PREPLAY_REPORT_BASELINE_H
#define PREPLAY_REPORT_BASELINE_H

#include "base/error.h"
#include "trace/finding.h"

#include <stdbool.h>

struct baseline;

/* From a file of --json, or findings.json. NULL with an ERROR_INPUT. */
struct baseline *baseline_read(const char *path, struct error *error);
void baseline_free(struct baseline *baseline);

bool baseline_has(const struct baseline *baseline, const struct trace *trace,
                  const struct finding *finding);

#endif
