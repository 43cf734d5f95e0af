/* Findings from a file that report_json() wrote, for the same trace. */
#ifndef PREPLAY_REPORT_FINDINGS_FILE_H
#define PREPLAY_REPORT_FINDINGS_FILE_H

#include "report/json.h"
#include "trace/history.h"

/* Adds the file's findings to `findings`. Events are looked up by pos in `history`;
 * a file that does not fit the trace is an ERROR_INPUT. */
int findings_file_read(struct findings *findings, const struct history *history, const char *path,
                       struct error *error);

/* What such a file says besides: all engines taken together as one (its `findings` are
 * left alone), and the numbers of preplay run; false if it has none. */
bool findings_file_numbers(const char *path, struct report_engine *engine, struct report_run *run);

#endif
