/* SPDX-License-Identifier: MIT */
/* What JSON says of a finding beyond its events' places: the call stack of each, the locks
 * its thread held, and where the threads were created. */
#ifndef PREPLAY_REPORT_DETAILS_H
#define PREPLAY_REPORT_DETAILS_H

#include "report/held.h"

#include <jansson.h>

/* Adds "stack" (innermost first: function where known, location) and "held" (lock, and the
 * location where it was taken) to an event's object. */
void details_of_event(json_t *object, const struct history *history, const struct held *held,
                      const struct finding_event *event);
/* The threads of a finding: number, name, who created it, and the stack there. */
json_t *details_of_threads(const struct history *history, const struct finding *finding);

#endif
