/* SPDX-License-Identifier: MIT */
#include "cli/trace_argument.h"

#include "target/manifest.h"
#include "target/recordings.h"
#include "trace/finding_id.h"

#include <string.h>
#include <sys/stat.h>

/* The directory of the whole recording, of which a process may be asked for. */
static void whole_recording(char path[PATH_MAX], const char *trace)
{
    snprintf(path, PATH_MAX, "%s", trace);
    for (char *last; (last = strrchr(path, '/')) && strncmp(last + 1, "process-", 8) == 0;)
        *last = '\0';
}

/* A program may be recorded without preplay record (PREPLAY_RECORD): then it has no manifest. One
 * that is there must be right. */
static int check_recording(const char *trace, struct error *error)
{
    char path[PATH_MAX + 32];
    struct stat status;
    snprintf(path, sizeof path, "%s/" MANIFEST_FILE, trace);
    if (lstat(path, &status))
        return 0;
    json_t *manifest = manifest_read(trace, NULL, error);
    if (!manifest)
        return -1;
    json_decref(manifest);
    return 0;
}

int trace_argument_at(struct options *options, const char **argument, struct error *error)
{
    struct stat status;
    char whole[PATH_MAX];
    if (recordings_find(options->trace, *argument, error))
        return -1;
    *argument = options->trace;
    if (strcmp(*argument, "-") == 0 || stat(*argument, &status) || !S_ISDIR(status.st_mode))
        return 0; /* a text trace, or what trace_open() has a word for */
    whole_recording(whole, *argument);
    return check_recording(*argument, error) || check_recording(whole, error) ||
                   trace_lock_share(&options->lock, whole, error)
               ? -1
               : 0;
}

static int insert_standard(struct options *options, struct error *error)
{
    struct stat status;
    if (stat(RECORDINGS, &status))
        return error_set(error, ERROR_USAGE,
                         "preplay %s takes a TRACE, and here is no " RECORDINGS
                         " (preplay record makes one)",
                         command_name(options->command));
    memmove(options->arguments + 1, options->arguments,
            (options->argument_count + 1) * sizeof *options->arguments);
    options->arguments[0] = RECORDINGS;
    options->argument_count++;
    return 0;
}

int trace_argument(struct options *options, struct error *error)
{
    bool others_follow = options->command == COMMAND_REPLAY || options->command == COMMAND_PREDICT;
    bool ids_follow = options->command == COMMAND_REPLAY;
    if (!options->argument_count || (ids_follow && finding_id_is(options->arguments[0]))) {
        if (insert_standard(options, error))
            return -1;
    } else if (!others_follow && options->argument_count > 1) {
        return error_set(error, ERROR_USAGE, "preplay %s takes one TRACE, found %zu arguments",
                         command_name(options->command), options->argument_count);
    }
    return trace_argument_at(options, &options->arguments[0], error);
}
