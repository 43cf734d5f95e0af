/* SPDX-License-Identifier: MIT */
/* Changes of files: what is about to be changed is kept for replays (keep.h), and those who watch
 * files are ordered after it. Nothing else of files orders anything. */
#include "runtime/channels.h"
#include "runtime/edges.h"
#include "runtime/keep.h"
#include "runtime/numbers.h"
#include "runtime/randomness.h"
#include "runtime/real.h"
#include "runtime/recorder.h"

#include <errno.h>
#include <fcntl.h>

/* Not in the runtime that records synchronisation only. */
extern void channel_files_change(uintptr_t pc) __attribute__((weak));
extern void number_given(int number, uintptr_t pc) __attribute__((weak));

static void changes(uintptr_t pc)
{
    if (channel_files_change)
        channel_files_change(pc);
}

static int opened(int number, const char *path, uintptr_t pc)
{
    if (number >= 0)
        randomness_note(path);
    if (number_given)
        number_given(number, pc);
    return number;
}

static void opening(int directory, const char *path, int flags, uintptr_t pc)
{
    changes(pc);
    edge_approach(pc);
    bool written = (flags & O_ACCMODE) != O_RDONLY || flags & (O_CREAT | O_TRUNC);
    if (written && !(flags & O_DIRECTORY)) /* O_TMPFILE has no name */
        keep_written(directory, path, !(flags & O_NOFOLLOW));
}

#define FUNCTION(result, name, parameters)                                                         \
    EXPORT result name parameters;                                                                 \
    EXPORT result name parameters

#define MODE_BEHIND(last)                                                                          \
    ({                                                                                             \
        va_list arguments;                                                                         \
        va_start(arguments, last);                                                                 \
        mode_t given = va_arg(arguments, mode_t);                                                  \
        va_end(arguments);                                                                         \
        given;                                                                                     \
    })

/* --- by descriptors ------------------------------------------------------------------------- */

#define OPEN(name)                                                                                 \
    FUNCTION(int, name, (const char *path, int flags, ...))                                        \
    {                                                                                              \
        mode_t mode = MODE_BEHIND(flags);                                                          \
        opening(AT_FDCWD, path, flags, CALLER);                                                    \
        return opened(REAL(name)(path, flags, mode), path, CALLER);                                \
    }
OPEN(open)
OPEN(open64)

#define OPEN_AT(name)                                                                              \
    FUNCTION(int, name, (int directory, const char *path, int flags, ...))                         \
    {                                                                                              \
        mode_t mode = MODE_BEHIND(flags);                                                          \
        opening(directory, path, flags, CALLER);                                                   \
        return opened(REAL(name)(directory, path, flags, mode), path, CALLER);                     \
    }
OPEN_AT(openat)
OPEN_AT(openat64)

/* What _FORTIFY_SOURCE makes of the same: without O_CREAT. */
#define OPEN_CHECKED(name)                                                                         \
    FUNCTION(int, name, (const char *path, int flags))                                             \
    {                                                                                              \
        opening(AT_FDCWD, path, flags, CALLER);                                                    \
        return opened(REAL(name)(path, flags), path, CALLER);                                      \
    }
OPEN_CHECKED(__open_2)
OPEN_CHECKED(__open64_2)

#define OPEN_AT_CHECKED(name)                                                                      \
    FUNCTION(int, name, (int directory, const char *path, int flags))                              \
    {                                                                                              \
        opening(directory, path, flags, CALLER);                                                   \
        return opened(REAL(name)(directory, path, flags), path, CALLER);                           \
    }
OPEN_AT_CHECKED(__openat_2)
OPEN_AT_CHECKED(__openat64_2)

#define CREATE(name)                                                                               \
    FUNCTION(int, name, (const char *path, mode_t mode))                                           \
    {                                                                                              \
        opening(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, CALLER);                             \
        return opened(REAL(name)(path, mode), path, CALLER);                                       \
    }
CREATE(creat)
CREATE(creat64)

/* --- streams -----------------------------------------------------------------------------------
 */

static void opening_stream(const char *path, const char *mode, uintptr_t pc)
{
    bool written = false;
    for (; path && *mode; mode++)
        written |= *mode == 'w' || *mode == 'a' || *mode == '+';
    if (written)
        opening(AT_FDCWD, path, O_RDWR, pc);
    else
        edge_approach(pc);
}

#define OPEN_STREAM(name)                                                                          \
    FUNCTION(FILE *, name, (const char *path, const char *mode))                                   \
    {                                                                                              \
        opening_stream(path, mode, CALLER);                                                        \
        FILE *file = REAL(name)(path, mode);                                                       \
        if (file)                                                                                  \
            opened(fileno(file), path, CALLER);                                                    \
        return file;                                                                               \
    }
OPEN_STREAM(fopen)
OPEN_STREAM(fopen64)

#define OPEN_STREAM_AGAIN(name)                                                                    \
    FUNCTION(FILE *, name, (const char *path, const char *mode, FILE *file))                       \
    {                                                                                              \
        opening_stream(path, mode, CALLER);                                                        \
        return REAL(name)(path, mode, file);                                                       \
    }
OPEN_STREAM_AGAIN(freopen)
OPEN_STREAM_AGAIN(freopen64)

/* --- names
 * ----------------------------------------------------------------------------------------- */

#define CHANGE(name, parameters, arguments, keep)                                                  \
    FUNCTION(int, name, parameters)                                                                \
    {                                                                                              \
        changes(CALLER);                                                                           \
        keep;                                                                                      \
        return REAL(name) arguments;                                                               \
    }

CHANGE(truncate, (const char *path, off_t size), (path, size), keep_written(AT_FDCWD, path, true))
CHANGE(truncate64, (const char *path, off64_t size), (path, size),
       keep_written(AT_FDCWD, path, true))
CHANGE(unlink, (const char *path), (path), keep_removed(AT_FDCWD, path))
CHANGE(remove, (const char *path), (path), keep_removed(AT_FDCWD, path))
CHANGE(rmdir, (const char *path), (path), keep_removed(AT_FDCWD, path))
CHANGE(unlinkat, (int directory, const char *path, int flags), (directory, path, flags),
       keep_removed(directory, path))
CHANGE(mkdir, (const char *path, mode_t mode), (path, mode), keep_written(AT_FDCWD, path, false))
CHANGE(mkdirat, (int directory, const char *path, mode_t mode), (directory, path, mode),
       keep_written(directory, path, false))
CHANGE(mkfifo, (const char *path, mode_t mode), (path, mode), keep_written(AT_FDCWD, path, false))
CHANGE(symlink, (const char *to, const char *path), (to, path), keep_written(AT_FDCWD, path, false))
CHANGE(symlinkat, (const char *to, int directory, const char *path), (to, directory, path),
       keep_written(directory, path, false))
CHANGE(link, (const char *from, const char *path), (from, path),
       keep_written(AT_FDCWD, path, false))
CHANGE(linkat, (int from_directory, const char *from, int directory, const char *path, int flags),
       (from_directory, from, directory, path, flags), keep_written(directory, path, false))

/* What was there under the new name goes; if nothing was, that is kept in mind. */
static void renaming(int from_directory, const char *from, int directory, const char *to)
{
    keep_moved(from_directory, from);
    keep_removed(directory, to);
    keep_written(directory, to, false);
}

CHANGE(rename, (const char *from, const char *to), (from, to),
       renaming(AT_FDCWD, from, AT_FDCWD, to))
CHANGE(renameat, (int from_directory, const char *from, int directory, const char *to),
       (from_directory, from, directory, to), renaming(from_directory, from, directory, to))
CHANGE(renameat2,
       (int from_directory, const char *from, int directory, const char *to, unsigned flags),
       (from_directory, from, directory, to, flags), renaming(from_directory, from, directory, to))

/* --- names that the C library makes up
 * --------------------------------------------------------------- */

#define MADE(name, parameters, arguments)                                                          \
    FUNCTION(int, name, parameters)                                                                \
    {                                                                                              \
        int file = REAL(name) arguments;                                                           \
        int saved = errno;                                                                         \
        if (file >= 0)                                                                             \
            keep_made(path);                                                                       \
        errno = saved;                                                                             \
        return opened(file, path, CALLER);                                                         \
    }
MADE(mkstemp, (char *path), (path))
MADE(mkstemp64, (char *path), (path))
MADE(mkostemp, (char *path, int flags), (path, flags))
MADE(mkostemp64, (char *path, int flags), (path, flags))
MADE(mkstemps, (char *path, int suffix), (path, suffix))
MADE(mkstemps64, (char *path, int suffix), (path, suffix))
MADE(mkostemps, (char *path, int suffix, int flags), (path, suffix, flags))
MADE(mkostemps64, (char *path, int suffix, int flags), (path, suffix, flags))

FUNCTION(char *, mkdtemp, (char *path))
{
    char *made = REAL(mkdtemp)(path);
    if (made)
        keep_made(made);
    return made;
}
