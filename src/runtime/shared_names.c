/* SPDX-License-Identifier: MIT */
/* Memory and semaphores with names: files of /dev/shm, which the C library opens by itself, and
 * which are kept for replays like others (keep.h). */
#include "runtime/keep.h"
#include "runtime/process.h"
#include "runtime/real.h"
#include "runtime/text.h"

#include <fcntl.h>

enum { NAME = 300 };

struct shared_path {
    char text[NAME];
};

/* As the C library makes it of a name: "" if that is no name. */
static struct shared_path path_of(const char *prefix, const char *name)
{
    struct shared_path path = {""};
    while (name && *name == '/')
        name++;
    if (!name || !*name)
        return path;
    size_t at = text_append(path.text, 0, NAME, prefix);
    if (text_append(path.text, at, NAME, name) + 1 >= NAME)
        path.text[0] = 0;
    return path;
}

static void written(const char *prefix, const char *name)
{
    keep_written(AT_FDCWD, path_of(prefix, name).text, false);
}

static void removed(const char *prefix, const char *name)
{
    keep_removed(AT_FDCWD, path_of(prefix, name).text);
}

#define MEMORY    "/dev/shm/"
#define SEMAPHORE "/dev/shm/sem."

EXPORT int shm_open(const char *name, int flags, mode_t mode);
EXPORT int shm_open(const char *name, int flags, mode_t mode)
{
    if ((flags & O_ACCMODE) != O_RDONLY || flags & (O_CREAT | O_TRUNC))
        written(MEMORY, name);
    return REAL(shm_open)(name, flags, mode);
}

EXPORT int shm_unlink(const char *name);
EXPORT int shm_unlink(const char *name)
{
    removed(MEMORY, name);
    return REAL(shm_unlink)(name);
}

EXPORT sem_t *sem_open(const char *name, int flags, ...)
{
    va_list more; /* mode and value, if it is to be made */
    va_start(more, flags);
    mode_t mode = va_arg(more, mode_t);
    unsigned value = va_arg(more, unsigned);
    va_end(more);
    written(SEMAPHORE, name);
    return REAL(sem_open)(name, flags, mode, value);
}

EXPORT int sem_unlink(const char *name)
{
    removed(SEMAPHORE, name);
    return REAL(sem_unlink)(name);
}
