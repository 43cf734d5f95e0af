/* SPDX-License-Identifier: MIT */
/* Findings from a file that report_json() wrote, for the same trace. */
#ifndef PREPLAY_REPORT_FINDINGS_FILE_H
#define PREPLAY_REPORT_FINDINGS_FILE_H

#include "report/json.h"
#include "trace/history.h"

#include <jansson.h>

/* The file as it is; NULL with an ERROR_INPUT (`error` may be NULL) if it is no JSON. */
json_t *findings_file_load(const char *path, struct error *error);

/* Adds the file's findings to `findings`. Events are looked up by pos in `history`;
 * a file that does not fit the trace is an ERROR_INPUT. */
int findings_file_read(struct findings *findings, const struct history *history, const char *path,
                       struct error *error);
/* The same for a file that was loaded from `path`. */
int findings_file_take(struct findings *findings, const struct history *history, const json_t *root,
                       const char *path, struct error *error);

/* What such a file says besides: all engines taken together as one (its `findings` are
 * left alone), and the numbers of preplay run; false if it has none. */
bool findings_file_numbers(const json_t *root, struct report_engine *engine,
                           struct report_run *run);

/* Does it say that it is not all that there is? */
bool findings_file_incomplete(const json_t *root);

#endif
