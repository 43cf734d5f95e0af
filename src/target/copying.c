/* SPDX-License-Identifier: MIT */
#include "target/copying.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <linux/fs.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

struct copy {
    size_t most, left; /* bytes */
    struct error *error;
};

/* --- one file ------------------------------------------------------------------------ */

/* For file systems between which the kernel does not copy. */
static ssize_t copy_by_hand(int from, int to)
{
    char block[1 << 16];
    ssize_t got = read(from, block, sizeof block);
    for (ssize_t done = 0; done < got;) {
        ssize_t written = write(to, block + done, (size_t)(got - done));
        if (written < 0)
            return -1;
        done += written;
    }
    return got;
}

static ssize_t copy_some(int from, int to)
{
    ssize_t got = copy_file_range(from, NULL, to, NULL, (size_t)1 << 24, 0);
    bool other_way = got < 0 && (errno == EXDEV || errno == EINVAL || errno == ENOSYS ||
                                 errno == EOPNOTSUPP || errno == EBADF);
    return got > 0 || (got < 0 && !other_way) ? got : copy_by_hand(from, to);
}

int copy_bytes(int from, int to, size_t most)
{
    struct stat status;
    if (fstat(from, &status) == 0 && (uint64_t)status.st_size > most) {
        errno = EFBIG;
        return -1;
    }
    if (ioctl(to, FICLONE, from) == 0)
        return 0;
    for (ssize_t got; (got = copy_some(from, to)) != 0; most -= (size_t)got) {
        if (got < 0)
            return -1;
        if ((size_t)got > most) {
            errno = EFBIG;
            return -1;
        }
    }
    return 0;
}

void copy_attributes(int file, const struct stat *status)
{
    const struct timespec times[2] = {status->st_atim, status->st_mtim};
    int ignored = fchown(file, status->st_uid, status->st_gid);
    ignored = fchmod(file, status->st_mode & 07777);
    ignored = futimens(file, times);
    (void)ignored;
}

/* --- a tree ------------------------------------------------------------------------------- */

static int failed(struct copy *copy, const char *name)
{
    if (errno == EFBIG)
        return error_set(copy->error, ERROR_USAGE, "more than %zu MiB would have to be copied",
                         copy->most >> 20);
    return error_set(copy->error, ERROR_INPUT, "%s: cannot be copied: %s", name, strerror(errno));
}

static void count_bytes(struct copy *copy, const struct stat *status)
{
    copy->left -= (size_t)status->st_size < copy->left ? (size_t)status->st_size : copy->left;
}

static int copy_file(struct copy *copy, int from, int to, const char *name,
                     const struct stat *status)
{
    if (faccessat(to, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0) {
        count_bytes(copy, status);
        return 0;
    }
    int source = openat(from, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    int target = openat(to, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    int result =
        source < 0 || target < 0 || copy_bytes(source, target, copy->left) ? failed(copy, name) : 0;
    if (!result) {
        count_bytes(copy, status);
        copy_attributes(target, status);
    }
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
    return symlinkat(text, to, name) && errno != EEXIST ? failed(copy, name) : 0;
}

static int copy_entries(struct copy *copy, int from, int to);

static bool is_recording(int directory)
{
    return faccessat(directory, "manifest.json", F_OK, 0) == 0 &&
           faccessat(directory, "streams", F_OK, 0) == 0;
}

static int copy_inner(struct copy *copy, int from, int to, const char *name,
                      const struct stat *status)
{
    int source = openat(from, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (source >= 0 && is_recording(source)) {
        close(source);
        return 0;
    }
    int target = mkdirat(to, name, 0700) && errno != EEXIST
                     ? -1
                     : openat(to, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    int result = source < 0 || target < 0 ? failed(copy, name) : copy_entries(copy, source, target);
    if (source >= 0 && target < 0)
        close(source);
    if (target >= 0) {
        copy_attributes(target, status);
        close(target);
    }
    return result;
}

static int copy_entry(struct copy *copy, int from, int to, const char *name)
{
    struct stat status;
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return 0;
    if (fstatat(from, name, &status, AT_SYMLINK_NOFOLLOW))
        return failed(copy, name);
    switch (status.st_mode & S_IFMT) {
    case S_IFREG:
        return copy_file(copy, from, to, name, &status);
    case S_IFLNK:
        return copy_link(copy, from, to, name);
    case S_IFDIR:
        return copy_inner(copy, from, to, name, &status);
    default:
        return 0;
    }
}

/* Closes `from`. */
static int copy_entries(struct copy *copy, int from, int to)
{
    DIR *entries = fdopendir(from);
    int result = entries ? 0 : failed(copy, "a directory");
    for (struct dirent *entry; entries && !result && (entry = readdir(entries));)
        result = copy_entry(copy, from, to, entry->d_name);
    if (entries)
        closedir(entries);
    return result;
}

int copy_directory(const char *from, const char *to, size_t most, struct error *error)
{
    struct copy copy = {most, most, error};
    struct stat status;
    int source = open(from, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int target = open(to, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool open_both = source >= 0 && target >= 0 && fstat(source, &status) == 0;
    int result = open_both ? copy_entries(&copy, source, target) : failed(&copy, from);
    if (!open_both && source >= 0)
        close(source);
    if (!result)
        copy_attributes(target, &status);
    if (target >= 0)
        close(target);
    return result;
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)status, (void)place;
    if (kind == FTW_DNR && chmod(path, 0700) == 0) /* as overlayfs has its own */
        copy_remove(path);
    else
        remove(path);
    return 0;
}

void copy_remove(const char *path)
{
    nftw(path, remove_entry, 32, FTW_DEPTH | FTW_PHYS);
}
