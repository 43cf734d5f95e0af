/* SPDX-License-Identifier: MIT */
#include "report/code_quality.h"

#include "report/frames.h"
#include "report/relative_path.h"
#include "report/words.h"
#include "trace/finding_id.h"

#include <stdlib.h>
#include <string.h>

static json_t *location_json(const struct report *report, const struct finding *finding)
{
    const char *function, *place;
    size_t length;
    frame_own(report->trace, finding->events[0].location, finding->events[0].stack, &function,
              &place);
    unsigned line = place_line(place, &length);
    const char *path = relative_path(place, &length, report->directory);
    return json_pack("{s:o, s:{s:I}}", "path", words_format("%.*s", (int)length, path), "lines",
                     "begin", (json_int_t)(line ? line : 1));
}

static json_t *issue_json(const struct report *report, const struct finding *finding)
{
    char id[FINDING_ID_SIZE], *title = words_title(report, finding);
    finding_id(finding, report->trace, id);
    json_t *issue = json_pack(
        "{s:o, s:o, s:s, s:s, s:o}", "description",
        words_format("%s (%s)", title, verdict_text(finding->verdict)), "check_name",
        words_format("preplay/%s", finding_kind_text(finding->kind)), "fingerprint", id, "severity",
        report_is_real(finding) ? "critical" : "minor", "location", location_json(report, finding));
    free(title);
    return issue;
}

/* An empty list would say that all is well. An issue has to be somewhere: in the recording; and is
 * the same one from run to run: of that program. */
static json_t *incomplete_json(const struct report *report, const char *reason)
{
    size_t length = strlen(report->path);
    const char *path = relative_path(report->path, &length, report->directory);
    return json_pack(
        "{s:o, s:s, s:o, s:s, s:{s:o, s:{s:i}}}", "description",
        words_format("The recording is incomplete: %s. Nothing is said about the rest.", reason),
        "check_name", "preplay/incomplete", "fingerprint",
        words_format("incomplete %s", report->program ? report->program->command : report->path),
        "severity", "major", "location", "path", words_format("%.*s", (int)length, path), "lines",
        "begin", 1);
}

void report_code_quality(FILE *out, const struct report *report)
{
    json_t *list = json_array();
    const char *incomplete = report_incomplete(report);
    if (incomplete)
        json_array_append_new(list, incomplete_json(report, incomplete));
    for (; report; report = report->next)
        for (size_t i = 0; i < report->count; i++)
            if (report_leads(report, report->items[i]))
                json_array_append_new(list, issue_json(report, report->items[i]));
    json_dumpf(list, out, JSON_INDENT(1));
    putc('\n', out);
    json_decref(list);
}
