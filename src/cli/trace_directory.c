#include "cli/trace_directory.h"

#include "trace/encoding.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- the directory ---------------------------------------------------------- */

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)status, (void)kind;
    /* What makes it a trace goes last, so that it can be tried again. */
    bool manifest = place->level == 1 && strcmp(path + place->base, "manifest.json") == 0;
    return place->level && !manifest ? remove(path) : 0;
}

int trace_directory_prepare(const char *directory, struct error *error)
{
    char path[PATH_MAX + 32];
    if (mkdir(directory, 0777) == 0)
        return 0;
    if (errno != EEXIST)
        return error_set(error, ERROR_INPUT, "%s: cannot be made: %s", directory, strerror(errno));
    snprintf(path, sizeof path, "%s/manifest.json", directory);
    if (access(path, F_OK) == 0) {
        if (nftw(directory, remove_entry, 32, FTW_DEPTH | FTW_PHYS) || remove(path))
            return error_set(error, ERROR_INPUT, "%s: the old trace cannot be removed: %s",
                             directory, strerror(errno));
        return 0;
    }
    if (rmdir(directory) || mkdir(directory, 0777))
        return error_set(error, ERROR_INPUT,
                         "%s exists and is no trace of preplay; choose another with -d", directory);
    return 0;
}

/* --- the manifest ------------------------------------------------------------ */

static json_t *text_list(const char *const *texts)
{
    json_t *list = json_array();
    for (; texts && *texts; texts++)
        json_array_append_new(list, json_stringn_nocheck(*texts, strlen(*texts)));
    return list;
}

static json_t *manifest(const struct recording *recording, bool finished)
{
    extern char **environ;
    char here[PATH_MAX] = "";
    struct utsname machine;
    json_t *object = json_object();
    json_object_set_new(object, "format", json_string("preplay-trace"));
    json_object_set_new(object, "version", json_integer(ENCODING_VERSION));
    json_object_set_new(object, "command", text_list(recording->command));
    if (getcwd(here, sizeof here))
        json_object_set_new(object, "directory", json_string_nocheck(here));
    json_object_set_new(object, "sync_only", json_boolean(recording->sync_only));
    json_object_set_new(object, "valgrind", json_boolean(recording->valgrind));
    json_object_set_new(object, "values", json_boolean(recording->values));
    json_object_set_new(object, "branches", json_boolean(recording->branches));
    json_object_set_new(object, "blocks", json_boolean(recording->blocks));
    if (uname(&machine) == 0) {
        json_object_set_new(object, "system", json_string(machine.sysname));
        json_object_set_new(object, "release", json_string(machine.release));
        json_object_set_new(object, "machine", json_string(machine.machine));
    }
    json_object_set_new(object, "processors", json_integer(sysconf(_SC_NPROCESSORS_ONLN)));
    json_object_set_new(object, "environment", text_list((const char *const *)environ));
    if (finished)
        json_object_set_new(object, "seconds", json_real(recording->seconds));
    if (finished && WIFEXITED(recording->status))
        json_object_set_new(object, "exit_code", json_integer(WEXITSTATUS(recording->status)));
    if (finished && WIFSIGNALED(recording->status))
        json_object_set_new(object, "signal", json_integer(WTERMSIG(recording->status)));
    return object;
}

int trace_directory_write_manifest(const struct recording *recording, bool finished,
                                   struct error *error)
{
    char path[PATH_MAX + 32];
    snprintf(path, sizeof path, "%s/manifest.json", recording->directory);
    json_t *object = manifest(recording, finished);
    int failed = json_dump_file(object, path, JSON_INDENT(1));
    json_decref(object);
    return failed ? error_set(error, ERROR_INTERNAL, "%s: cannot be written", path) : 0;
}

/* --- afterwards -------------------------------------------------------------- */

bool trace_directory_has_streams(const char *directory)
{
    char path[PATH_MAX + 32];
    snprintf(path, sizeof path, "%s/streams", directory);
    return access(path, F_OK) == 0;
}

static unsigned count_streams(const char *directory, const char *inner)
{
    char path[PATH_MAX + 300];
    unsigned count = 0;
    snprintf(path, sizeof path, "%s/%s/streams", directory, inner);
    DIR *streams = opendir(path);
    for (struct dirent *entry; streams && (entry = readdir(streams));)
        count += entry->d_name[0] != '.';
    if (streams)
        closedir(streams);
    return count;
}

void trace_directory_point_inside(const char *directory)
{
    DIR *all = count_streams(directory, ".") <= 1 ? opendir(directory) : NULL;
    for (struct dirent *entry; all && (entry = readdir(all));)
        if (strncmp(entry->d_name, "process-", 8) == 0 &&
            count_streams(directory, entry->d_name) > 1)
            fprintf(stderr, "preplay: a process with threads was recorded in %s/%s\n", directory,
                    entry->d_name);
    if (all)
        closedir(all);
}
