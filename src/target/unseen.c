/* SPDX-License-Identifier: MIT */
#include "target/unseen.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct looking {
    struct unseen *unseen;
    const struct before *before;
    struct timespec begun, ended; /* the recorded run */
    size_t left;                  /* entries to look at */
};

static bool is_before(struct timespec a, struct timespec b)
{
    return a.tv_sec < b.tv_sec || (a.tv_sec == b.tv_sec && a.tv_nsec < b.tv_nsec);
}

/* From when its first process had begun until the manifest was written for the last time. */
static bool find_times(struct looking *self, const char *recording)
{
    char path[PATH_MAX];
    struct stat begun, ended;
    snprintf(path, sizeof path, "%.4000s/process", recording);
    bool known = stat(path, &begun) == 0;
    snprintf(path, sizeof path, "%.4000s/manifest.json", recording);
    known = known && stat(path, &ended) == 0;
    self->begun = begun.st_mtim;
    self->ended = ended.st_mtim;
    return known;
}

/* What the user has the program's output, and ours, written to. */
static bool is_output(const struct stat *status)
{
    struct stat output;
    for (int file = STDOUT_FILENO; file <= STDERR_FILENO; file++)
        if (fstat(file, &output) == 0 && output.st_dev == status->st_dev &&
            output.st_ino == status->st_ino)
            return true;
    return false;
}

static void look_at_file(struct looking *self, const char *path, const struct stat *status)
{
    if (is_before(status->st_ctim, self->begun) || is_before(self->ended, status->st_ctim) ||
        before_has(self->before, path) || is_output(status))
        return;
    if (!self->unseen->count++)
        snprintf(self->unseen->first, sizeof self->unseen->first, "%s", path);
}

static bool is_recording(const char *directory)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%.4000s/manifest.json", directory);
    return access(path, F_OK) == 0;
}

static void look_through(struct looking *self, const char *directory)
{
    DIR *entries =
        is_recording(directory) || before_has(self->before, directory) ? NULL : opendir(directory);
    for (struct dirent *entry; entries && self->left && (entry = readdir(entries));) {
        char path[PATH_MAX];
        struct stat status;
        const char *name = entry->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
            snprintf(path, sizeof path, "%s/%s", directory, name) >= (int)sizeof path)
            continue;
        self->left--;
        if (lstat(path, &status))
            continue;
        if (S_ISDIR(status.st_mode))
            look_through(self, path);
        else if (S_ISREG(status.st_mode))
            look_at_file(self, path, &status);
    }
    if (entries)
        closedir(entries);
}

void unseen_find(struct unseen *unseen, const struct before *before, const char *recording,
                 const char *directory)
{
    struct looking self = {.unseen = unseen, .before = before, .left = UNSEEN_LOOKED_AT};
    *unseen = (struct unseen){0};
    if (find_times(&self, recording))
        look_through(&self, directory);
}
