/* SPDX-License-Identifier: MIT */
#include "target/before.h"

#include "base/files.h"
#include "target/processes.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LIST_LIMIT ((size_t)1 << 28)

/* --- reading -------------------------------------------------------------------------------- */

static bool find_kind(const char *word, enum before_kind *kind)
{
    static const char *const words[] = {"absent", "file", "directory", "link", "lost", "device"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(word, words[i]) == 0) {
            *kind = (enum before_kind)i;
            return true;
        }
    return false;
}

/* Whoever wrote the list may want us to leave the directory that is meant. */
static bool is_straight(const char *path)
{
    if (path[0] != '/' || !path[1] || strlen(path) >= PATH_MAX)
        return false;
    for (const char *at = path; at; at = strchr(at + 1, '/')) {
        size_t length = strcspn(at + 1, "/");
        if (length == 0 || (length == 1 && at[1] == '.') ||
            (length == 2 && at[1] == '.' && at[2] == '.'))
            return false;
    }
    return true;
}

static bool read_record(struct before *before, const char *directory, const char *text)
{
    struct before_entry entry = {0};
    char kind[16], number[17], content[PATH_MAX];
    unsigned root;
    int end = 0;
    if (sscanf(text, "%15s %16[0-9a-f] %u %u %u %" SCNd64 " %" SCNu64 " %u %n", kind, number,
               &entry.mode, &entry.user, &entry.group, &entry.changed, &entry.when, &root,
               &end) != 8 ||
        !end || !find_kind(kind, &entry.kind) || !is_straight(text + end))
        return false;
    snprintf(content, sizeof content, "%.4000s/before/%s", directory, number);
    entry.content = memory_copy(content, strlen(content) + 1);
    entry.path = memory_copy(text + end, strlen(text + end) + 1);
    entry.from_root = root;
    array_push(before, entry);
    return true;
}

struct reading {
    struct before *before;
    struct error *error;
    int result;
};

static void read_list(void *context, const char *directory)
{
    struct reading *self = context;
    char path[PATH_MAX];
    size_t length = 0;
    snprintf(path, sizeof path, "%.4000s/before/list", directory);
    char *text = files_load(path, LIST_LIMIT, &length);
    if (!text && errno != ENOENT)
        self->result = error_set(self->error, ERROR_INPUT, "%s: %s", path, files_reason(errno));
    for (size_t at = 0; text && at < length && !self->result; at += strlen(text + at) + 1)
        /* The last one is cut off if the program was killed. */
        if (!read_record(self->before, directory, text + at) && at + strlen(text + at) < length)
            self->result = error_set(self->error, ERROR_INPUT,
                                     "%s: offset %zu: no record of a kept file", path, at);
    free(text);
}

static int compare_entries(const void *a, const void *b)
{
    const struct before_entry *x = a, *y = b;
    int order = strcmp(x->path, y->path);
    return order ? order : (x->when > y->when) - (x->when < y->when);
}

static void free_entry(struct before_entry *entry)
{
    free(entry->path);
    free(entry->content);
}

static void keep_first(struct before *before)
{
    size_t kept = 0;
    if (before->count)
        qsort(before->items, before->count, sizeof *before->items, compare_entries);
    for (size_t i = 0; i < before->count; i++) {
        struct before_entry *entry = &before->items[i];
        if (kept && strcmp(before->items[kept - 1].path, entry->path) == 0)
            free_entry(entry);
        else
            before->items[kept++] = *entry;
    }
    before->count = kept;
}

int before_read(struct before *before, const char *recording, struct error *error)
{
    struct reading self = {before, error, 0};
    processes_each(recording, read_list, &self);
    keep_first(before);
    return self.result;
}

void before_free(struct before *before)
{
    for (size_t i = 0; i < before->count; i++)
        free_entry(&before->items[i]);
    array_free(before);
}

/* --- what it takes -----------------------------------------------------------------------------
 */

bool before_has(const struct before *before, const char *path)
{
    struct before_entry key = {.path = (char *)path};
    size_t low = 0, high = before->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = strcmp(key.path, before->items[middle].path);
        if (order == 0)
            return true;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return false;
}

const char *before_device(const struct before *before)
{
    for (size_t i = 0; i < before->count; i++)
        if (before->items[i].kind == BEFORE_DEVICE)
            return before->items[i].path;
    return NULL;
}

/* The directory that the path is in, and no part of what has to be put back itself. */
static void find_around(const struct before *before, char path[PATH_MAX])
{
    do {
        char *last = strrchr(path, '/');
        if (last == path) {
            path[1] = 0;
            return;
        }
        *last = 0;
    } while (before_has(before, path) || access(path, F_OK));
}

void before_directories(const struct before *before,
                        void (*visit)(void *context, const char *directory), void *context)
{
    char path[PATH_MAX], last[PATH_MAX] = "";
    for (size_t i = 0; i < before->count; i++) {
        snprintf(path, sizeof path, "%s", before->items[i].path);
        find_around(before, path);
        if (strcmp(path, last) != 0)
            visit(context, path);
        memcpy(last, path, sizeof last);
    }
}

uint64_t before_bytes(const struct before *before)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < before->count; i++) {
        struct stat status;
        const struct before_entry *entry = &before->items[i];
        if (lstat(entry->path, &status) == 0 && S_ISREG(status.st_mode))
            bytes += (uint64_t)status.st_size;
        if (entry->kind == BEFORE_FILE && stat(entry->content, &status) == 0)
            bytes += (uint64_t)status.st_size;
    }
    return bytes;
}
