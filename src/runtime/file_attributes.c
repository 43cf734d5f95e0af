/* SPDX-License-Identifier: MIT */
/* Changes of what files are, not of what is in them: kept for replays as well (keep.h). */
#include "runtime/keep.h"
#include "runtime/process.h"
#include "runtime/real.h"

#include <fcntl.h>

#define CHANGE(name, parameters, arguments, keep)                                                  \
    EXPORT int name parameters;                                                                    \
    EXPORT int name parameters                                                                     \
    {                                                                                              \
        keep;                                                                                      \
        return REAL(name) arguments;                                                               \
    }

CHANGE(chmod, (const char *path, mode_t mode), (path, mode), keep_changed(AT_FDCWD, path, true))
CHANGE(fchmod, (int file, mode_t mode), (file, mode), keep_open_changed(file))
CHANGE(fchmodat, (int directory, const char *path, mode_t mode, int flags),
       (directory, path, mode, flags),
       keep_changed(directory, path, !(flags & AT_SYMLINK_NOFOLLOW)))

CHANGE(chown, (const char *path, uid_t user, gid_t group), (path, user, group),
       keep_changed(AT_FDCWD, path, true))
CHANGE(lchown, (const char *path, uid_t user, gid_t group), (path, user, group),
       keep_changed(AT_FDCWD, path, false))
CHANGE(fchown, (int file, uid_t user, gid_t group), (file, user, group), keep_open_changed(file))
CHANGE(fchownat, (int directory, const char *path, uid_t user, gid_t group, int flags),
       (directory, path, user, group, flags),
       keep_changed(directory, path, !(flags & AT_SYMLINK_NOFOLLOW)))

CHANGE(utime, (const char *path, const struct utimbuf *times), (path, times),
       keep_changed(AT_FDCWD, path, true))
CHANGE(utimes, (const char *path, const struct timeval *times), (path, times),
       keep_changed(AT_FDCWD, path, true))
CHANGE(futimens, (int file, const struct timespec *times), (file, times), keep_open_changed(file))
CHANGE(utimensat, (int directory, const char *path, const struct timespec *times, int flags),
       (directory, path, times, flags),
       keep_changed(directory, path, !(flags & AT_SYMLINK_NOFOLLOW)))
