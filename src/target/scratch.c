/* SPDX-License-Identifier: MIT */
#include "target/scratch.h"

#include "target/copying.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static int lock_directory(const char *path)
{
    int file = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (file >= 0 && flock(file, LOCK_EX | LOCK_NB)) {
        close(file);
        return -1;
    }
    return file;
}

static bool is_ours(const char *path)
{
    struct stat status;
    return lstat(path, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid();
}

/* Nobody holds the lock of what was left behind. */
static void remove_old(const char *base)
{
    char start[32], path[PATH_MAX];
    int length = snprintf(start, sizeof start, "preplay-%u-", (unsigned)geteuid());
    DIR *entries = opendir(base);
    for (struct dirent *entry; entries && (entry = readdir(entries));) {
        if (strncmp(entry->d_name, start, (size_t)length) != 0)
            continue;
        snprintf(path, sizeof path, "%.2048s/%s", base, entry->d_name);
        int lock = is_ours(path) ? lock_directory(path) : -1;
        if (lock < 0)
            continue;
        copy_remove(path);
        close(lock);
    }
    if (entries)
        closedir(entries);
}

static bool make_in(struct scratch *scratch, const char *base)
{
    remove_old(base);
    int length = snprintf(scratch->path, sizeof scratch->path, "%.2048s/preplay-%u-XXXXXX", base,
                          (unsigned)geteuid());
    if (length >= (int)sizeof scratch->path || !mkdtemp(scratch->path))
        return false;
    scratch->lock = lock_directory(scratch->path);
    return true;
}

int scratch_make(struct scratch *scratch, bool (*is_taken)(void *context, const char *directory),
                 void *context, struct error *error)
{
    char cache[PATH_MAX] = "";
    const char *home = getenv("HOME"), *temporary = getenv("TMPDIR");
    snprintf(cache, sizeof cache, "%s/.cache", home ? home : "");
    const char *const bases[] = {temporary ? temporary : "", "/var/tmp", cache, "/tmp"};
    for (size_t i = 0; i < sizeof bases / sizeof *bases; i++)
        if (*bases[i] == '/' && !is_taken(context, bases[i]) && make_in(scratch, bases[i]))
            return 0;
    *scratch = (struct scratch){.lock = -1};
    return error_set(error, ERROR_INTERNAL,
                     "no directory for temporary files (TMPDIR, /var/tmp, ~/.cache, /tmp) is free");
}

void scratch_remove(struct scratch *scratch)
{
    if (!*scratch->path)
        return;
    copy_remove(scratch->path);
    if (scratch->lock >= 0)
        close(scratch->lock);
    *scratch = (struct scratch){.lock = -1};
}
