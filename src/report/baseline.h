/* The findings of an earlier run, by id: what is in them is not new. */
#ifndef PREPLAY_REPORT_BASELINE_H
#define PREPLAY_REPORT_BASELINE_H

#include "base/error.h"

#include <stdbool.h>

struct baseline;

/* From a file of --json, or findings.json. NULL with an ERROR_INPUT. */
struct baseline *baseline_read(const char *path, struct error *error);
void baseline_free(struct baseline *baseline);

bool baseline_has(const struct baseline *baseline, const char *id);

#endif
