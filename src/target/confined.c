/* SPDX-License-Identifier: MIT */
#include "target/confined.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/landlock.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LANDLOCK_WITH_TRUNCATE = 3 }; /* the version of its interface */

#ifndef LANDLOCK_ACCESS_FS_TRUNCATE
#define LANDLOCK_ACCESS_FS_TRUNCATE (1ULL << 14)
#endif

static const uint64_t change_file = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_TRUNCATE;

static const uint64_t change_anything =
    LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_TRUNCATE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
    LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR |
    LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
    LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM | LANDLOCK_ACCESS_FS_REFER;

bool confined_possible(void)
{
    return syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION) >=
           LANDLOCK_WITH_TRUNCATE;
}

static int allow(int rules, const char *path, uint64_t what)
{
    struct landlock_path_beneath_attr beneath = {.allowed_access = what,
                                                 .parent_fd = open(path, O_PATH | O_CLOEXEC)};
    long result = beneath.parent_fd < 0 ? -1
                                        : syscall(SYS_landlock_add_rule, rules,
                                                  LANDLOCK_RULE_PATH_BENEATH, &beneath, 0);
    int reason = errno;
    if (beneath.parent_fd >= 0)
        close(beneath.parent_fd);
    errno = reason;
    return (int)result;
}

/* One by one: /dev/shm lies among them. Disks are none of those that are opened. */
static void allow_devices(int rules, const char *directory, int depth)
{
    DIR *entries = opendir(directory);
    for (struct dirent *entry; entries && (entry = readdir(entries));) {
        char path[PATH_MAX];
        struct stat status;
        int length = snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
        if (*entry->d_name == '.' || length >= PATH_MAX || lstat(path, &status))
            continue;
        if (S_ISCHR(status.st_mode))
            allow(rules, path, change_file);
        else if (S_ISDIR(status.st_mode) && depth > 0)
            allow_devices(rules, path, depth - 1);
    }
    if (entries)
        closedir(entries);
}

/* An ordinary user may only if nothing that he starts can gain rights. */
static int restrict_self(int rules)
{
    long result = syscall(SYS_landlock_restrict_self, rules, 0);
    if (result && errno == EPERM && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
        result = syscall(SYS_landlock_restrict_self, rules, 0);
    return (int)result;
}

int confined_enter(const char *const *directories, size_t count, struct error *error)
{
    struct landlock_ruleset_attr handled = {.handled_access_fs = change_anything};
    int rules = (int)syscall(SYS_landlock_create_ruleset, &handled, sizeof handled, 0);
    if (rules < 0)
        return error_set(error, ERROR_INTERNAL, "no Landlock: %s", strerror(errno));
    int result = 0;
    for (size_t i = 0; !result && i < count; i++)
        if (allow(rules, directories[i], change_anything))
            result = error_set(error, ERROR_INTERNAL, "%s cannot stay writable: %s", directories[i],
                               strerror(errno));
    allow(rules, "/proc", change_file);
    allow(rules, "/dev/pts", change_file);
    allow_devices(rules, "/dev", 1);
    if (!result && restrict_self(rules))
        result = error_set(error, ERROR_INTERNAL, "no Landlock: %s", strerror(errno));
    close(rules);
    return result;
}
