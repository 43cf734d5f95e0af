/* SPDX-License-Identifier: MIT */
#include "base/files.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* O_NONBLOCK: a FIFO that nobody writes to must not hold us up before it is recognised. */
static int open_regular(const char *path, int flags)
{
    struct stat status;
    int file = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | flags);
    if (file < 0) {
        if (errno == ENXIO || errno == ENODEV) /* a socket, a device without a driver */
            errno = FILES_NOT_REGULAR;
        return -1;
    }
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode))
        return file;
    close(file);
    errno = FILES_NOT_REGULAR;
    return -1;
}

int files_open(const char *path)
{
    return open_regular(path, O_NOFOLLOW);
}

int files_open_linked(const char *path)
{
    return open_regular(path, 0);
}

static FILE *as_stream(int file, const char *mode)
{
    FILE *stream = file >= 0 ? fdopen(file, mode) : NULL;
    if (file >= 0 && !stream)
        close(file);
    return stream;
}

FILE *files_read(const char *path)
{
    return as_stream(files_open(path), "r");
}

const char *files_reason(int number)
{
    switch (number) {
    case ELOOP:
        return "it is a symbolic link";
    case FILES_NOT_REGULAR:
        return "it is no regular file";
    case ENOENT:
        return "it is not there";
    default:
        return strerror(number);
    }
}

char *files_load(const char *path, size_t most, size_t *length)
{
    FILE *stream = files_read(path);
    if (!stream)
        return NULL;
    size_t room = 4096, count = 0, got;
    char *bytes = memory_alloc(room, 1);
    while (count <= most && (got = fread(bytes + count, 1, room - count - 1, stream)) > 0) {
        count += got;
        if (count + 1 == room)
            bytes = memory_resize(bytes, room *= 2, 1);
    }
    fclose(stream);
    if (count > most) {
        free(bytes);
        errno = EFBIG;
        return NULL;
    }
    bytes[count] = '\0';
    if (length)
        *length = count;
    return bytes;
}

int files_open_directory(const char *path)
{
    return open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

DIR *files_list(const char *path)
{
    int directory = files_open_directory(path);
    DIR *entries = directory >= 0 ? fdopendir(directory) : NULL;
    if (directory >= 0 && !entries)
        close(directory);
    return entries;
}

int files_make_directory(const char *path)
{
    if (mkdir(path, FILES_DIRECTORY_MODE) == 0)
        return 0;
    if (errno != EEXIST)
        return -1;
    int directory = files_open_directory(path);
    if (directory < 0)
        return -1;
    close(directory);
    return 0;
}

/* --- writing ------------------------------------------------------------------ */

int files_create(const char *path)
{
    if (unlink(path) && errno != ENOENT)
        return -1;
    return open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, FILES_MODE);
}

FILE *files_write(const char *path)
{
    return as_stream(files_create(path), "w+");
}

int files_begin(struct new_file *file, const char *path, struct error *error)
{
    size_t room = strlen(path) + sizeof ".new-XXXXXX";
    file->path = memory_copy(path, strlen(path) + 1);
    file->beside = memory_alloc(room, 1);
    snprintf(file->beside, room, "%s.new-XXXXXX", path);
    int made = mkostemp(file->beside, O_CLOEXEC); /* with mode 0600 */
    file->stream = made >= 0 ? fdopen(made, "w+") : NULL;
    if (file->stream)
        return 0;
    error_set(error, ERROR_INTERNAL, "%s: cannot be written: %s", path, strerror(errno));
    free(file->path);
    free(file->beside);
    return -1;
}

void files_abandon(struct new_file *file)
{
    if (file->stream)
        fclose(file->stream);
    unlink(file->beside);
    free(file->path);
    free(file->beside);
    *file = (struct new_file){0};
}

int files_commit(struct new_file *file, struct error *error)
{
    bool written = fflush(file->stream) == 0 && !ferror(file->stream);
    written = fclose(file->stream) == 0 && written;
    file->stream = NULL;
    if (written && rename(file->beside, file->path) == 0) {
        free(file->path);
        free(file->beside);
        *file = (struct new_file){0};
        return 0;
    }
    int result =
        error_set(error, ERROR_INTERNAL, "%s: cannot be written: %s", file->path, strerror(errno));
    files_abandon(file);
    return result;
}
