/* SPDX-License-Identifier: MIT */
#include "target/processes.h"

#include "base/files.h"
#include "target/manifest.h"
#include "trace/formats.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

enum { PATH_ROOM = PATH_MAX + 64 };

enum { LARGEST = 64 << 20 }; /* of an environment */

/* A whole small file, NUL-terminated; NULL if it is not there. */
static char *read_all(const char *directory, const char *name, size_t *length)
{
    char path[PATH_ROOM];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return files_load(path, LARGEST, length);
}

/* Texts that end with NUL, as in /proc/PID/cmdline. */
static json_t *text_list(const char *directory, const char *name)
{
    size_t length = 0;
    json_t *list = json_array();
    char *bytes = read_all(directory, name, &length);
    for (size_t at = 0; at < length; at += strlen(bytes + at) + 1)
        json_array_append_new(list, json_stringn_nocheck(bytes + at, strlen(bytes + at)));
    free(bytes);
    return list;
}

static bool has(const char *directory, const char *name)
{
    char path[PATH_ROOM];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return access(path, F_OK) == 0;
}

/* The manifest of a process: the run's, but for what the process itself was started
 * with. */
static void write_manifest(const char *directory, const json_t *of_run)
{
    size_t length;
    char *cwd = read_all(directory, "cwd", &length);
    json_t *manifest = of_run ? json_copy((json_t *)of_run) : json_object();
    json_object_set_new(manifest, "command", text_list(directory, "cmdline"));
    json_object_set_new(manifest, "environment", text_list(directory, "environ"));
    if (cwd)
        json_object_set_new(manifest, "directory", json_stringn_nocheck(cwd, length));
    free(cwd);
    manifest_write(directory, manifest, NULL); /* readable without */
    json_decref(manifest);
}

/* A link would lead out of the recording. */
static int is_process(const struct dirent *entry)
{
    return strncmp(entry->d_name, "process-", 8) == 0 &&
           (entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN);
}

void processes_each(const char *directory, void (*visit)(void *context, const char *directory),
                    void *context)
{
    struct dirent **entries;
    visit(context, directory);
    int count = scandir(directory, &entries, is_process, versionsort);
    for (int i = 0; i < count; i++) {
        char path[PATH_ROOM];
        if (snprintf(path, sizeof path, "%s/%s", directory, entries[i]->d_name) < PATH_MAX)
            processes_each(path, visit, context);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
}

struct finding_processes {
    struct processes *processes;
    const json_t *manifest; /* of the run */
    int program;
};

static void found(void *context, const char *directory)
{
    const struct finding_processes *self = context;
    size_t length;
    char *process = read_all(directory, "process", &length);
    bool is_program = process && atoi(process) == self->program;
    free(process);
    if (!binary_has_threads(directory)) /* it may have been killed before it began */
        return;
    array_push(self->processes, memory_copy(directory, strlen(directory) + 1));
    if (!is_program && has(directory, "cmdline"))
        write_manifest(directory, self->manifest);
}

void processes_find(struct processes *processes, const char *directory, int program)
{
    json_t *manifest = manifest_read(directory, NULL, NULL);
    struct finding_processes self = {processes, manifest, program};
    processes_each(directory, found, &self);
    json_decref(manifest);
}

void processes_free(struct processes *processes)
{
    for (size_t i = 0; i < processes->count; i++)
        free(processes->items[i]);
    array_free(processes);
}
