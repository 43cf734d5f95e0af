/* SPDX-License-Identifier: MIT */
#include "target/trace_directory.h"

#include "base/files.h"
#include "target/manifest.h"
#include "target/trace_removal.h"
#include "trace/encoding.h"
#include "trace/hidden.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- the directory ---------------------------------------------------------- */

/* As the path says it, or not at all: -1 with ELOOP if a step of it is a symbolic link. */
static int open_without_links(const char *path)
{
    struct open_how how = {.flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC,
                           .resolve = RESOLVE_NO_SYMLINKS};
    int directory = (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
    /* A kernel without it, a filter that forbids it: the last step at least. */
    return directory >= 0 || (errno != ENOSYS && errno != EPERM) ? directory
                                                                 : files_open_directory(path);
}

/* The working directory or one that it lies in. */
static bool is_around_us(const char *directory)
{
    char real[PATH_MAX], here[PATH_MAX];
    if (!realpath(directory, real) || !getcwd(here, sizeof here))
        return true;
    size_t length = strlen(real);
    return strncmp(here, real, length) == 0 &&
           (!here[length] || here[length] == '/' || length == 1);
}

static int check_content(int found, const char *directory, bool *empty, struct error *error)
{
    struct trace_content content;
    if (trace_removal_look(found, &content))
        return error_set(error, ERROR_USAGE, "%s: cannot be read: %s", directory, strerror(errno));
    *empty = content.empty;
    if (content.empty)
        return 0;
    if (!content.marked)
        return error_set(error, ERROR_USAGE,
                         "%s is in the way: it holds %s, and no " MANIFEST_FILE
                         " that says it is a recording of preplay; choose another directory "
                         "with -d",
                         directory, *content.stranger ? content.stranger : "files");
    if (*content.stranger)
        return error_set(error, ERROR_USAGE,
                         "%s holds a recording and %s, which is no part of it: move that away, or "
                         "choose another directory with -d",
                         directory, content.stranger);
    return 0;
}

static int empty_old(int found, const char *directory, struct trace_lock *lock, struct error *error)
{
    bool empty;
    if (is_around_us(directory))
        return error_set(error, ERROR_USAGE,
                         "%s is the working directory, or around it: a recording needs a directory "
                         "of its own, choose another with -d",
                         directory);
    if (check_content(found, directory, &empty, error) || trace_lock_alone(lock, directory, error))
        return -1;
    if (!empty && trace_removal_empty(found)) {
        error_set(error, ERROR_USAGE, "%s: the old recording cannot be removed: %s", directory,
                  strerror(errno));
        trace_lock_release(lock);
        return -1;
    }
    return fchmod(found, FILES_DIRECTORY_MODE) && errno != EPERM
               ? error_set(error, ERROR_USAGE, "%s: %s", directory, strerror(errno))
               : 0;
}

int trace_directory_prepare(const char *directory, struct trace_lock *lock, struct error *error)
{
    int result = 0;
    if (mkdir(directory, FILES_DIRECTORY_MODE)) {
        int reason = errno, found = reason == EEXIST ? open_without_links(directory) : -1;
        if (reason != EEXIST)
            return error_set(error, ERROR_USAGE, "%s: cannot be made: %s", directory,
                             strerror(reason));
        if (found < 0)
            return error_set(error, ERROR_USAGE, "%s is in the way: %s; choose another with -d",
                             directory,
                             errno == ELOOP     ? "the path goes through a symbolic link"
                             : errno == ENOTDIR ? "it is no directory"
                                                : strerror(errno));
        result = empty_old(found, directory, lock, error);
        close(found);
    } else {
        result = trace_lock_alone(lock, directory, error);
    }
    if (!result)
        trace_lock_open_up(lock);
    return result;
}

void trace_directory_discard(const char *directory, struct trace_lock *lock)
{
    int found = files_open_directory(directory);
    if (found >= 0 && trace_lock_alone(lock, directory, NULL) == 0 &&
        trace_removal_empty(found) == 0 && unlinkat(found, TRACE_LOCK_FILE, 0) == 0)
        rmdir(directory);
    if (found >= 0)
        close(found);
    trace_lock_release(lock);
}

/* --- the manifest ------------------------------------------------------------ */

static json_t *text_list(const char *const *texts)
{
    json_t *list = json_array();
    for (; texts && *texts; texts++)
        json_array_append_new(list, json_stringn_nocheck(*texts, strlen(*texts)));
    return list;
}

static json_t *text(const char *bytes, size_t length)
{
    return json_stringn_nocheck(bytes, length);
}

/* The values of what is hidden are left out, not the names: a replay needs them. */
static void add_environment(json_t *object, const char *hidden)
{
    extern char **environ;
    json_t *kept = json_array(), *names = json_array();
    for (char **entry = environ; entry && *entry; entry++)
        if (hidden_is(hidden, *entry))
            json_array_append_new(names, text(*entry, strcspn(*entry, "=")));
        else
            json_array_append_new(kept, text(*entry, strlen(*entry)));
    json_object_set_new(object, "environment", kept);
    json_object_set_new(object, "environment_left_out", names);
}

static json_t *manifest(const struct recording *recording, bool finished)
{
    char here[PATH_MAX] = "";
    struct utsname machine;
    json_t *object = json_object();
    json_object_set_new(object, "format", json_string(MANIFEST_FORMAT));
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
    /* Of a replay nobody wants it: it is what was recorded. */
    add_environment(object, recording->schedule ? "*" : recording->hidden);
    if (recording->limit)
        json_object_set_new(object, "limit", json_integer((json_int_t)recording->limit));
    if (finished && recording->process > 0 && !recording->schedule)
        json_object_set_new(object, "process", json_integer(recording->process));
    if (finished)
        json_object_set_new(object, "seconds", json_real(recording->seconds));
    if (finished)
        json_object_set_new(object, "processor_seconds", json_real(recording->processor_seconds));
    if (finished && WIFEXITED(recording->status))
        json_object_set_new(object, "exit_code", json_integer(WEXITSTATUS(recording->status)));
    if (finished && WIFSIGNALED(recording->status))
        json_object_set_new(object, "signal", json_integer(WTERMSIG(recording->status)));
    return object;
}

int trace_directory_write_manifest(const struct recording *recording, bool finished,
                                   struct error *error)
{
    json_t *object = manifest(recording, finished);
    int result = manifest_write(recording->directory, object, error);
    json_decref(object);
    return result;
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
    DIR *streams = files_list(path);
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
