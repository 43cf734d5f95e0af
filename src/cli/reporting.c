#include "cli/reporting.h"

#include "cli/command.h"
#include "report/full_text.h"
#include "report/html.h"
#include "report/sarif.h"

int reporting_write(const struct report *report, enum report_format format, const char *path,
                    struct error *error)
{
    FILE *out = command_output(path, error);
    if (!out)
        return -1;
    switch (format) {
    case REPORT_TEXT:
        report_text(out, report, text_style_of(out));
        break;
    case REPORT_JSON:
        report_json(out, report->history->trace, report->engines, report->engine_count,
                    report->run);
        break;
    case REPORT_SARIF:
        report_sarif(out, report, PREPLAY_VERSION);
        break;
    case REPORT_HTML:
        report_html(out, report, PREPLAY_VERSION);
        break;
    }
    return command_close(out, path, error);
}
