/* SPDX-License-Identifier: MIT */
/* preplay merge: the findings of many runs as one report. */
#include "base/array.h"
#include "base/files.h"
#include "cli/command.h"
#include "report/findings_file.h"
#include "report/merge.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_directory(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static int add_file(struct merge *merge, const char *name, const char *path, struct error *error)
{
    json_t *report = findings_file_load(path, error);
    int result = report ? merge_add(merge, name, report, error) : -1;
    json_decref(report);
    return result;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* All recordings of a preplay.data, in the order of their names. Whoever has no findings was never
 * predicted for. */
static int add_directory(struct merge *merge, const char *path, struct error *error)
{
    struct names ARRAY_OF(char *) names = {0};
    char file[PATH_MAX];
    int result = 0;
    size_t before = 0;
    DIR *directory = files_list(path);
    for (struct dirent *entry; directory && (entry = readdir(directory));)
        if (entry->d_name[0] != '.' && strcmp(entry->d_name, "latest") != 0)
            array_push(&names, memory_copy(entry->d_name, strlen(entry->d_name) + 1));
    if (directory)
        closedir(directory);
    if (names.count)
        qsort(names.items, names.count, sizeof *names.items, compare_names);
    for (size_t i = 0; i < names.count && result == 0; i++) {
        char trace[PATH_MAX];
        snprintf(trace, sizeof trace, "%s/%s", path, names.items[i]);
        snprintf(file, sizeof file, "%.4000s/findings.json", trace);
        if (is_directory(trace) && access(file, F_OK) == 0) {
            result = add_file(merge, trace, file, error);
            before++;
        }
    }
    for (size_t i = 0; i < names.count; i++)
        free(names.items[i]);
    array_free(&names);
    if (result == 0 && !before)
        return error_set(error, ERROR_INPUT,
                         "%s: no report in it: preplay predict or preplay run writes findings.json",
                         path);
    return result;
}

static int add(struct merge *merge, const char *argument, struct error *error)
{
    char file[PATH_MAX];
    if (!is_directory(argument))
        return add_file(merge, argument, argument, error);
    snprintf(file, sizeof file, "%.4000s/findings.json", argument);
    return access(file, F_OK) == 0 ? add_file(merge, argument, file, error)
                                   : add_directory(merge, argument, error);
}

static int write_merged(const struct merge *merge, const struct options *options,
                        struct error *error)
{
    FILE *out = command_output(options->output, error);
    if (!out)
        return -1;
    if (options->as_json) {
        json_t *whole = merge_json(merge, true);
        json_dumpf(whole, out, JSON_INDENT(1) | JSON_REAL_PRECISION(6));
        putc('\n', out);
        json_decref(whole);
    } else if (options->as_junit) {
        merge_junit(out, merge);
    } else {
        merge_text(out, merge, options->all ? MERGE_ALL : MERGE_REAL);
    }
    return command_close(out, options->output, error);
}

int cmd_merge(struct options *options, struct error *error)
{
    if (!options->argument_count)
        return error_set(error, ERROR_USAGE,
                         "preplay merge takes the REPORTs of runs: files of --json, recordings, or "
                         "a preplay.data");
    struct merge *merge = merge_create();
    int code = 0;
    for (size_t i = 0; i < options->argument_count && code == 0; i++)
        code = add(merge, options->arguments[i], error);
    if (code == 0)
        code = write_merged(merge, options, error);
    if (code == 0 && merge_count(merge, MERGE_REAL))
        code = (int)options->exit_code;
    merge_destroy(merge);
    return code;
}
