/* SPDX-License-Identifier: MIT */
/* Puts back what a run has changed. Inside a sandbox: nothing here is the user's own. */
#include "base/files.h"
#include "target/before.h"
#include "target/copying.h"
#include "target/mounts.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void place_of(char place[PATH_MAX], const struct before_entry *entry, const char *from,
                     const char *to)
{
    assert(!from || path_is_below(entry->path, from));
    if (from)
        snprintf(place, PATH_MAX, "%.2000s%s", to, entry->path + (from[1] ? strlen(from) : 0));
    else
        snprintf(place, PATH_MAX, "%s", entry->path);
}

static void clear(const char *place)
{
    struct stat status;
    if (lstat(place, &status))
        return;
    if (S_ISDIR(status.st_mode))
        copy_remove(place);
    else
        unlink(place);
}

static void make_around(const char *place)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s", place);
    for (char *at = strchr(path + 1, '/'); at; at = strchr(at + 1, '/')) {
        *at = 0;
        mkdir(path, 0777);
        *at = '/';
    }
}

static void set_attributes(int file, const struct before_entry *entry)
{
    struct stat status = {
        .st_mode = entry->mode,
        .st_uid = entry->user,
        .st_gid = entry->group,
        .st_mtim = {.tv_sec = entry->changed / 1000000000, .tv_nsec = entry->changed % 1000000000}};
    status.st_atim = status.st_mtim;
    copy_attributes(file, &status);
}

static int put_file(const struct before_entry *entry, const char *place)
{
    clear(place);
    int from = files_open(entry->content);
    int to = from < 0 ? -1 : open(place, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    int result = to < 0 ? -1 : copy_bytes(from, to, SIZE_MAX);
    if (to >= 0) {
        set_attributes(to, entry);
        close(to);
    }
    if (from >= 0)
        close(from);
    return result;
}

static int put_link(const struct before_entry *entry, const char *place)
{
    size_t length;
    char *text = files_load(entry->content, PATH_MAX, &length);
    clear(place);
    int result = text ? symlink(text, place) : -1;
    free(text);
    return result;
}

static int put_directory(const char *place)
{
    struct stat status;
    if (lstat(place, &status) == 0 && S_ISDIR(status.st_mode))
        return 0;
    clear(place);
    return mkdir(place, 0700);
}

static int put(const struct before_entry *entry, const char *place)
{
    switch (entry->kind) {
    case BEFORE_FILE:
        make_around(place);
        return put_file(entry, place);
    case BEFORE_LINK:
        make_around(place);
        return put_link(entry, place);
    case BEFORE_DIRECTORY:
        make_around(place);
        return put_directory(place);
    default:
        return 0;
    }
}

/* Only when all is in it is a directory as old, and as closed, as it was. */
static void finish_directory(const struct before_entry *entry, const char *place)
{
    int file = open(place, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0)
        return;
    set_attributes(file, entry);
    close(file);
}

int before_restore(const struct before *before, const char *from, const char *to,
                   struct error *error)
{
    char place[PATH_MAX];
    for (size_t i = before->count; i-- > 0;)
        if (before->items[i].kind == BEFORE_ABSENT) {
            place_of(place, &before->items[i], from, to);
            clear(place);
        }
    for (size_t i = 0; i < before->count; i++) {
        place_of(place, &before->items[i], from, to);
        if (put(&before->items[i], place))
            return error_set(error, ERROR_INTERNAL, "%s cannot be put back as it was: %s",
                             before->items[i].path, strerror(errno));
    }
    for (size_t i = before->count; i-- > 0;)
        if (before->items[i].kind == BEFORE_DIRECTORY) {
            place_of(place, &before->items[i], from, to);
            finish_directory(&before->items[i], place);
        }
    return 0;
}
