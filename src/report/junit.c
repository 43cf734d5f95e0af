/* SPDX-License-Identifier: MIT */
#include "report/junit.h"

#include "report/full_text.h"
#include "report/words.h"
#include "report/xml.h"
#include "trace/finding_id.h"

#include <stdlib.h>
#include <string.h>

static void begin_case(FILE *out, const struct report *report, const char *name)
{
    fputs("  <testcase classname=\"preplay.", out);
    xml_text(out, report->process ? report->process : report->path);
    fputs("\" name=\"", out);
    xml_text(out, name);
    fputs("\"", out);
}

/* Everything that text says of the cause that begins at `first`. */
static void write_story(FILE *out, const struct report *report, size_t first, size_t end)
{
    char *text;
    size_t length;
    struct report one = *report;
    one.items = report->items + first;
    one.count = end - first;
    FILE *story = open_memstream(&text, &length);
    report_text_findings(story, &one, (struct text_style){.width = 100});
    fclose(story);
    xml_text(out, text);
    free(text);
}

static void write_cause(FILE *out, const struct report *report, size_t first, size_t end)
{
    const struct finding *finding = report->items[first];
    char id[FINDING_ID_SIZE], name[FINDING_ID_SIZE + 32], *title = words_title(report, finding);
    finding_id(finding, report->trace, id);
    snprintf(name, sizeof name, "%s %s", finding_kind_text(finding->kind), id);
    begin_case(out, report, name);
    fprintf(out, ">\n    <failure type=\"%s\" message=\"", finding_kind_text(finding->kind));
    xml_text(out, title);
    fputs("\">", out);
    write_story(out, report, first, end);
    fputs("</failure>\n  </testcase>\n", out);
    free(title);
}

static size_t write_causes(FILE *out, const struct report *report)
{
    size_t failures = 0;
    for (size_t i = 0, end; i < report->count; i = end) {
        for (end = i + 1; end < report->count && !report_leads(report, report->items[end]);)
            end++;
        if (!report_is_real(report->items[i]))
            continue;
        failures++;
        write_cause(out, report, i, end);
    }
    return failures;
}

void report_junit(FILE *out, const struct report *first)
{
    char *cases;
    size_t length, failures = 0;
    FILE *body = open_memstream(&cases, &length);
    for (const struct report *report = first; report; report = report->next)
        failures += write_causes(body, report);
    const char *incomplete = report_incomplete(first);
    if (incomplete) {
        begin_case(body, first, "the recording is complete");
        fputs(">\n    <error message=\"", body);
        xml_text(body, incomplete);
        fputs("\"/>\n  </testcase>\n", body);
    } else if (!failures) {
        begin_case(body, first, "no schedule of this run fails");
        fputs("/>\n", body);
    }
    fclose(body);
    fprintf(out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<testsuite name=\"preplay\" tests=\"%zu\" failures=\"%zu\" errors=\"%d\"",
            failures + (incomplete || !failures), failures, incomplete != NULL);
    if (first->run)
        fprintf(out, " time=\"%.3f\"",
                first->run->recording + first->run->predicting + first->run->replaying);
    fprintf(out, ">\n%s</testsuite>\n", cases);
    free(cases);
}
