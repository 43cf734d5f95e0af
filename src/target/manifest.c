/* SPDX-License-Identifier: MIT */
#include "target/manifest.h"

#include "base/files.h"
#include "trace/encoding.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LARGEST = 64 << 20, PATH_ROOM = PATH_MAX + 64 };

static json_t *load(const char *path, struct error *error)
{
    size_t length = 0;
    json_error_t where;
    char *text = files_load(path, LARGEST, &length);
    if (!text) {
        error_set(error, ERROR_INPUT, "%s: cannot be read: %s", path, files_reason(errno));
        return NULL;
    }
    json_t *manifest = json_loadb(text, length, 0, &where);
    free(text);
    if (!manifest)
        error_set(error, ERROR_INPUT, "%s:%d: %s", path, where.line, where.text);
    return manifest;
}

static bool has_format(const json_t *manifest)
{
    const char *format = json_string_value(json_object_get(manifest, "format"));
    return format && strcmp(format, MANIFEST_FORMAT) == 0;
}

bool manifest_marks(const char *directory)
{
    char path[PATH_ROOM];
    snprintf(path, sizeof path, "%s/" MANIFEST_FILE, directory);
    json_t *manifest = load(path, NULL);
    bool marked = has_format(manifest);
    json_decref(manifest);
    return marked;
}

static int check(const json_t *manifest, const char *path, struct error *error)
{
    const json_t *version = json_object_get(manifest, "version");
    if (!has_format(manifest))
        return error_set(error, ERROR_INPUT, "%s: not the manifest of a recording of preplay",
                         path);
    if (!json_is_integer(version))
        return error_set(error, ERROR_INPUT, "%s: it does not tell its version", path);
    if (json_integer_value(version) != ENCODING_VERSION)
        return error_set(error, ERROR_INPUT,
                         "%s: format version %lld, this preplay reads version %d; record the "
                         "program again, or read it with the preplay that recorded it",
                         path, (long long)json_integer_value(version), ENCODING_VERSION);
    return 0;
}

/* Goes up as long as the directory is that of a process inside another's. */
static void find(char path[PATH_ROOM], char process[MANIFEST_PROCESS], const char *trace_path)
{
    char directory[PATH_MAX], inside[MANIFEST_PROCESS];
    process[0] = 0;
    if (!realpath(trace_path, directory))
        snprintf(directory, sizeof directory, "%s", trace_path);
    for (;;) {
        snprintf(path, PATH_ROOM, "%s/" MANIFEST_FILE, directory);
        char *last = strrchr(directory, '/');
        if (access(path, F_OK) == 0 || !last || strncmp(last + 1, "process-", 8) != 0)
            break;
        snprintf(inside, sizeof inside, "%.100s%s%.150s", last + 1, *process ? "/" : "", process);
        memcpy(process, inside, sizeof inside);
        *last = 0;
    }
    if (!*process) /* as the user named it */
        snprintf(path, PATH_ROOM, "%s/" MANIFEST_FILE, trace_path);
}

json_t *manifest_read(const char *directory, char process[MANIFEST_PROCESS], struct error *error)
{
    char path[PATH_ROOM], way[MANIFEST_PROCESS];
    find(path, process ? process : way, directory);
    json_t *manifest = load(path, error);
    if (manifest && check(manifest, path, error)) {
        json_decref(manifest);
        return NULL;
    }
    return manifest;
}

int manifest_write(const char *directory, const json_t *manifest, struct error *error)
{
    char path[PATH_ROOM];
    struct new_file file;
    snprintf(path, sizeof path, "%s/" MANIFEST_FILE, directory);
    if (files_begin(&file, path, error))
        return -1;
    if (json_dumpf(manifest, file.stream, JSON_INDENT(1)) == 0)
        return files_commit(&file, error);
    files_abandon(&file);
    return error_set(error, ERROR_INTERNAL, "%s: cannot be written", path);
}
