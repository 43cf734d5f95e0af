/* SPDX-License-Identifier: MIT */
#include "cli/reporting.h"

#include "cli/command.h"
#include "cli/version.h"
#include "report/code_quality.h"
#include "report/full_text.h"
#include "report/html.h"
#include "report/junit.h"
#include "report/sarif.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *reporting_file(const struct options *options, enum report_format format)
{
    const char *const files[REPORT_FORMATS] = {
        [REPORT_JSON] = options->json_file,
        [REPORT_SARIF] = options->sarif_file,
        [REPORT_HTML] = options->html_file,
        [REPORT_JUNIT] = options->junit_file,
        [REPORT_CODE_QUALITY] = options->code_quality_file,
    };
    return files[format];
}

static bool is_output(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

bool reporting_takes_output(const struct options *options)
{
    for (unsigned format = 0; format < REPORT_FORMATS; format++)
        if (is_output(reporting_file(options, format)))
            return true;
    return false;
}

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
        report_html(out, report, version_text());
        break;
    case REPORT_JUNIT:
        report_junit(out, report);
        break;
    case REPORT_CODE_QUALITY:
        report_code_quality(out, report);
        break;
    case REPORT_FORMATS:
        break;
    }
    return command_close(out, path, error);
}

/* Nothing is made yet: a run that fails must not leave an empty report. */
int reporting_check(const char *path, struct error *error)
{
    struct stat status;
    char directory[PATH_MAX];
    if (!path || strcmp(path, "-") == 0)
        return 0;
    if (stat(path, &status) == 0) {
        if (S_ISDIR(status.st_mode))
            return error_set(error, ERROR_USAGE, "%s: cannot write: it is a directory", path);
        if (access(path, W_OK) == 0)
            return 0;
        return error_set(error, ERROR_USAGE, "%s: cannot write: %s", path, strerror(errno));
    }
    const char *slash = strrchr(path, '/');
    snprintf(directory, sizeof directory, "%.*s", slash ? (int)(slash - path) : 1,
             slash ? path : ".");
    if (access(*directory ? directory : "/", W_OK | X_OK) == 0)
        return 0;
    return error_set(error, ERROR_USAGE, "%s: cannot write: %s", path, strerror(errno));
}

static bool is_same_file(const char *path, const struct stat *wanted)
{
    struct stat found;
    return stat(path, &found) == 0 && found.st_dev == wanted->st_dev &&
           found.st_ino == wanted->st_ino;
}

static bool is_in_path(const struct stat *tool)
{
    char candidate[PATH_MAX];
    const char *path = getenv("PATH");
    for (const char *at = path ? path : ""; *at;) {
        size_t length = strcspn(at, ":");
        snprintf(candidate, sizeof candidate, "%.*s/preplay", (int)length, at);
        if (access(candidate, X_OK) == 0)
            return is_same_file(candidate, tool); /* the first is what a shell takes */
        at += length + (at[length] == ':');
    }
    return false;
}

const char *reporting_tool(char path[PATH_MAX])
{
    char here[PATH_MAX];
    struct stat tool;
    ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
    if (length <= 0)
        return "preplay";
    path[length] = '\0';
    if (stat(path, &tool) != 0 || is_in_path(&tool))
        return "preplay";
    size_t below = getcwd(here, sizeof here) ? strlen(here) : 0;
    return below && strncmp(path, here, below) == 0 && path[below] == '/' &&
                   strchr(path + below + 1, '/')
               ? path + below + 1
               : path;
}

int reporting_filter_read(struct reporting_filter *filter, const struct options *options,
                          struct error *error)
{
    *filter = (struct reporting_filter){0};
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
