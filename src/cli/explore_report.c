/* SPDX-License-Identifier: MIT */
#include "cli/explore_report.h"

#include "cli/command.h"
#include "cli/explore_findings.h"
#include "report/findings_file.h"

/* What exploration.json says of each finding besides what every finding has. */
static json_t *besides_of(const json_t *root)
{
    static const char *const keys[] = {"rule", "identity", "run",        "preemptions",
                                       "text", "schedule", "explanation"};
    json_t *all = json_object();
    const json_t *one;
    size_t i;
    json_array_foreach(json_object_get(root, "findings"), i, one)
    {
        const char *id = json_string_value(json_object_get(one, "id"));
        json_t *kept = json_object();
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
            if (json_object_get(one, keys[k]))
                json_object_set(kept, keys[k], json_object_get(one, keys[k]));
        if (id)
            json_object_set(all, id, kept);
        json_decref(kept);
    }
    return all;
}

/* And of the whole. */
static json_t *extra_of(const json_t *root)
{
    static const char *const keys[] = {"trace", "engines", "exploration", "incomplete"};
    json_t *extra = json_object();
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        if (json_object_get(root, keys[k]))
            json_object_set(extra, keys[k], json_object_get(root, keys[k]));
    return extra;
}

static int write_report(struct explored *explored, const struct options *options,
                        enum report_format format, struct error *error)
{
    struct reporting_filter filter;
    if (reporting_filter_read(&filter, options, error))
        return -1;
    struct interner *reported = interner_create();
    explored_leave_out(explored, &filter, reported);
    const struct report *reports = explored_reports(explored);
    int code = reporting_write(reports, format, options->output, error);
    if (code == 0 && report_count_real(reports))
        code = (int)options->exit_code;
    else if (code == 0 && report_incomplete(reports))
        code = EXIT_INCOMPLETE;
    interner_destroy(reported);
    reporting_filter_free(&filter);
    return code;
}

int explore_report(const struct options *options, enum report_format format, struct error *error)
{
    char path[PATH_MAX];
    struct explored explored;
    snprintf(path, sizeof path, "%.4000s/exploration.json", options->arguments[0]);
    json_t *root = findings_file_load(path, error);
    if (!root)
        return -1;
    json_t *extra = extra_of(root), *besides = besides_of(root);
    int code = explored_read(&explored, options->arguments[0], options, error);
    if (code == 0) {
        explored_add(&explored, extra, besides);
        explored_doubt(&explored, json_string_value(json_object_get(root, "incomplete")));
        code = write_report(&explored, options, format, error);
    }
    explored_free(&explored);
    json_decref(extra);
    json_decref(besides);
    json_decref(root);
    return code;
}
