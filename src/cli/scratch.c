#include "cli/scratch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct copy {
    size_t left; /* bytes */
    struct error *error;
};

static int failed(struct copy *copy, const char *name)
{
    return error_set(copy->error, ERROR_INPUT, "%s: cannot be copied: %s", name, strerror(errno));
}

static int copy_bytes(struct copy *copy, int from, int to, const char *name)
{
    ssize_t got;
    while ((got = copy_file_range(from, NULL, to, NULL, (size_t)1 << 24, 0)) > 0) {
        if ((size_t)got > copy->left)
            return error_set(copy->error, ERROR_USAGE,
                             "--scratch: the working directory is larger than %zu MiB",
                             SCRATCH_LIMIT >> 20);
        copy->left -= (size_t)got;
    }
    return got < 0 ? failed(copy, name) : 0;
}

static int copy_file(struct copy *copy, int from, int to, const char *name, mode_t mode)
{
    int source = openat(from, name, O_RDONLY | O_CLOEXEC);
    int target = openat(to, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode & 0777);
    int result =
        source < 0 || target < 0 ? failed(copy, name) : copy_bytes(copy, source, target, name);
    if (source >= 0)
        close(source);
    if (target >= 0)
        close(target);
    return result;
}

static int copy_link(struct copy *copy, int from, int to, const char *name)
{
    char text[PATH_MAX];
    ssize_t length = readlinkat(from, name, text, sizeof text - 1);
    if (length < 0)
        return failed(copy, name);
    text[length] = 0;
    return symlinkat(text, to, name) ? failed(copy, name) : 0;
}

static int copy_directory(struct copy *copy, int from, int to);

static bool is_trace(int directory)
{
    return faccessat(directory, "manifest.json", F_OK, 0) == 0 &&
           faccessat(directory, "streams", F_OK, 0) == 0;
}

static int copy_inner(struct copy *copy, int from, int to, const char *name, mode_t mode)
{
    int source = openat(from, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (source >= 0 && is_trace(source)) {
        close(source);
        return 0;
    }
    int target = mkdirat(to, name, (mode & 0777) | 0700)
                     ? -1
                     : openat(to, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int result =
        source < 0 || target < 0 ? failed(copy, name) : copy_directory(copy, source, target);
    if (source >= 0 && target < 0)
        close(source);
    if (target >= 0)
        close(target);
    return result;
}

/* Closes `from`. Sockets, pipes and devices are left out. */
static int copy_directory(struct copy *copy, int from, int to)
{
    DIR *entries = fdopendir(from);
    int result = entries ? 0 : failed(copy, "a directory");
    for (struct dirent *entry; entries && !result && (entry = readdir(entries));) {
        struct stat status;
        const char *name = entry->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
            continue;
        if (fstatat(from, name, &status, AT_SYMLINK_NOFOLLOW))
            result = failed(copy, name);
        else if (S_ISREG(status.st_mode))
            result = copy_file(copy, from, to, name, status.st_mode);
        else if (S_ISLNK(status.st_mode))
            result = copy_link(copy, from, to, name);
        else if (S_ISDIR(status.st_mode))
            result = copy_inner(copy, from, to, name, status.st_mode);
    }
    if (entries)
        closedir(entries);
    return result;
}

int scratch_make(char *path, size_t room, const char *from, struct error *error)
{
    const char *base = getenv("TMPDIR");
    struct copy copy = {SCRATCH_LIMIT, error};
    snprintf(path, room, "%s/preplay-XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(path))
        return error_set(error, ERROR_INTERNAL, "%s: cannot be made: %s", path, strerror(errno));
    int source = open(from, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int target = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int result =
        source < 0 || target < 0 ? failed(&copy, from) : copy_directory(&copy, source, target);
    if (target >= 0)
        close(target);
    if (result)
        scratch_remove(path);
    return result;
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)status, (void)kind, (void)place;
    return remove(path);
}

void scratch_remove(const char *path)
{
    nftw(path, remove_entry, 32, FTW_DEPTH | FTW_PHYS);
}
