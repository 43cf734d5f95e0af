/* SPDX-License-Identifier: MIT */
#include "target/mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* Spaces and the like are written as \040. */
static char *unescape(const char *text, size_t length)
{
    char *plain = memory_alloc(length + 1, 1);
    size_t at = 0;
    for (size_t i = 0; i < length; i++) {
        unsigned byte;
        if (text[i] == '\\' && i + 3 < length && sscanf(text + i + 1, "%3o", &byte) == 1) {
            plain[at++] = (char)byte;
            i += 3;
        } else
            plain[at++] = text[i];
    }
    plain[at] = 0;
    return plain;
}

static bool type_holds_files(const char *type)
{
    static const char *const shown[] = {
        "proc",     "sysfs",   "cgroup", "cgroup2",     "devtmpfs",  "devpts",   "mqueue",
        "bpf",      "tracefs", "pstore", "securityfs",  "fusectl",   "configfs", "debugfs",
        "efivarfs", "autofs",  "nsfs",   "binfmt_misc", "hugetlbfs", "selinuxfs"};
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        if (strcmp(type, shown[i]) == 0)
            return false;
    return true;
}

/* "36 35 98:0 /root /mount/point options [tags] - type source options" */
static void read_line(struct mounts *mounts, const char *line)
{
    int start = 0, end = 0;
    char type[64] = "";
    const char *behind = strstr(line, " - ");
    sscanf(line, "%*d %*d %*s %*s %n%*s%n", &start, &end);
    if (!end || !behind || sscanf(behind, " - %63s", type) != 1)
        return;
    struct mounted one = {unescape(line + start, (size_t)(end - start)), type_holds_files(type)};
    array_push(mounts, one);
}

int mounts_read(struct mounts *mounts, struct error *error)
{
    FILE *file = fopen("/proc/self/mountinfo", "re");
    char *line = NULL;
    size_t room = 0;
    if (!file)
        return error_set(error, ERROR_INTERNAL, "/proc/self/mountinfo: %s", strerror(errno));
    while (getline(&line, &room, file) > 0)
        read_line(mounts, line);
    free(line);
    fclose(file);
    return 0;
}

void mounts_free(struct mounts *mounts)
{
    for (size_t i = 0; i < mounts->count; i++)
        free(mounts->items[i].path);
    array_free(mounts);
}

bool path_is_below(const char *path, const char *directory)
{
    size_t length = strlen(directory);
    if (length == 1) /* "/" */
        return true;
    return strncmp(path, directory, length) == 0 && (path[length] == '/' || !path[length]);
}

/* Kernels before 5.12: all other flags have to be said again. */
static int remount_read_only(const char *path)
{
    struct statvfs status;
    if (statvfs(path, &status))
        return -1;
    unsigned long flags = MS_REMOUNT | MS_BIND | MS_RDONLY;
    flags |= status.f_flag & (ST_NOSUID | ST_NODEV | ST_NOEXEC | ST_NOATIME | ST_NODIRATIME);
    if (status.f_flag & ST_RELATIME)
        flags |= MS_RELATIME;
    return mount(NULL, path, NULL, flags, NULL);
}

int mount_make_read_only(const char *path, struct error *error)
{
    struct mount_attr attributes = {.attr_set = MOUNT_ATTR_RDONLY};
    if (mount_setattr(AT_FDCWD, path, 0, &attributes, sizeof attributes) == 0 ||
        (errno == ENOSYS && remount_read_only(path) == 0))
        return 0;
    /* Hidden below another mount, not for us to see, or gone. */
    if (errno == EINVAL || errno == EACCES || errno == ENOENT || errno == ENOTCONN)
        return 0;
    return error_set(error, ERROR_INTERNAL, "%s cannot be made read-only: %s", path,
                     strerror(errno));
}

int mount_take(const char *path, struct error *error)
{
    int taken = open_tree(AT_FDCWD, path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);
    return taken >= 0 ? taken
                      : error_set(error, ERROR_INTERNAL, "%s cannot be mounted elsewhere: %s", path,
                                  strerror(errno));
}

int mount_put(int taken, const char *path, struct error *error)
{
    int result = move_mount(taken, "", AT_FDCWD, path, MOVE_MOUNT_F_EMPTY_PATH);
    int reason = errno;
    close(taken);
    return result ? error_set(error, ERROR_INTERNAL, "nothing can be mounted at %s: %s", path,
                              strerror(reason))
                  : 0;
}
