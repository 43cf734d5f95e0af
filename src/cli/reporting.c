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
        report_json(out, report);
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

int reporting_filter_read(struct reporting_filter *filter, const struct options *options,
                          struct error *error)
{
    *filter = (struct reporting_filter){0};
    if (options->suppressions)
        filter->suppressions = suppressions_read(options->suppressions, error);
    if (options->baseline)
        filter->baseline = baseline_read(options->baseline, error);
    return error->code == ERROR_NONE ? 0 : -1;
}

void reporting_filter_free(struct reporting_filter *filter)
{
    suppressions_free(filter->suppressions);
    baseline_free(filter->baseline);
}
