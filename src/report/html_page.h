/* SPDX-License-Identifier: MIT */
/* The HTML page's data on its way into JSON: shared by the files that write it. */
#ifndef PREPLAY_REPORT_HTML_PAGE_H
#define PREPLAY_REPORT_HTML_PAGE_H

#include "base/intern.h"
#include "report/held.h"
#include "report/report.h"
#include "report/steps.h"

#include <jansson.h>

struct page {
    const struct report *report;
    const struct trace *trace;
    const struct held *held;
    struct interner *texts; /* what steps and frames name by number */
    struct sources *sources;
    size_t most_steps;
    json_int_t first_thread; /* of this process, in the list of all threads */
};

json_int_t page_text(struct page *page, const char *text);

/* Adds the schedule ("steps") and the recorded order ("recorded") to a finding. */
void page_steps(struct page *page, const struct finding *finding, json_t *object);

#endif
