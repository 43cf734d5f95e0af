#include "cli/reporting.h"

#include "cli/command.h"
#include "report/full_text.h"
#include "report/html.h"
#include "report/sarif.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
