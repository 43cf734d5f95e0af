/* SPDX-License-Identifier: MIT */
#include "target/copied.h"

#include "target/copying.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static uint64_t mix_time(uint64_t into, const struct timespec *time)
{
    return map_mix(into ^ (uint64_t)time->tv_sec * 1000000000 ^ (uint64_t)time->tv_nsec);
}

/* A directory's times change with what is in it, which is looked at by itself. */
static uint64_t state_of(const struct stat *status)
{
    uint64_t state = map_mix(status->st_mode);
    if (S_ISDIR(status->st_mode))
        return state;
    state = map_mix(state ^ (uint64_t)status->st_size);
    return mix_time(mix_time(state, &status->st_mtim), &status->st_ctim);
}

/* Calls `each` for what is in the directory. */
static void for_entries(const char *directory, struct copied *copied,
                        void (*each)(struct copied *copied, const char *path,
                                     const struct stat *status))
{
    DIR *entries = opendir(directory);
    for (struct dirent *entry; entries && (entry = readdir(entries));) {
        char path[PATH_MAX];
        struct stat status;
        int length = snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
            length < PATH_MAX && lstat(path, &status) == 0)
            each(copied, path, &status);
    }
    if (entries)
        closedir(entries);
}

static void remove_changed(struct copied *copied, const char *path, const struct stat *status)
{
    const uint64_t *known = map_find(&copied->known, status->st_ino);
    if (!known || *known != state_of(status))
        copy_remove(path);
    else if (S_ISDIR(status->st_mode))
        for_entries(path, copied, remove_changed);
}

static void keep_entry(struct copied *copied, const char *path, const struct stat *status)
{
    *map_at(&copied->known, status->st_ino, NULL) = state_of(status);
    if (S_ISDIR(status->st_mode))
        for_entries(path, copied, keep_entry);
}

int copied_reset(struct copied *copied, const char *from, const char *to, size_t most,
                 struct error *error)
{
    for_entries(to, copied, remove_changed);
    return copy_directory(from, to, most, error);
}

void copied_keep(struct copied *copied, const char *to)
{
    map_clear(&copied->known);
    for_entries(to, copied, keep_entry);
}

void copied_free(struct copied *copied)
{
    map_free(&copied->known);
}
