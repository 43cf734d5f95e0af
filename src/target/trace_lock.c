/* SPDX-License-Identifier: MIT */
#include "target/trace_lock.h"

#include "base/files.h"
#include "target/processes.h"
#include "target/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* The bytes of the file that stand for something. Locks of an open file, not of a process
 * (F_OFD_*): another part of this process may close the same file without dropping them. */
enum { BYTE_USE, BYTE_REPLAY };

static int set_lock(int file, short type, off_t byte)
{
    struct flock wanted = {.l_type = type, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
    return fcntl(file, F_OFD_SETLK, &wanted);
}

/* The guard of a preplay that was killed holds its locks until it has ended what was replayed: that
 * takes a moment. */
static int lock_replays(int file)
{
    enum { TRIES = 200 };
    const struct timespec moment = {.tv_nsec = 10000000};
    int answer = set_lock(file, F_WRLCK, BYTE_REPLAY);
    for (int i = 0; i < TRIES && answer && (errno == EAGAIN || errno == EACCES); i++) {
        nanosleep(&moment, NULL);
        answer = set_lock(file, F_WRLCK, BYTE_REPLAY);
    }
    return answer;
}

static void lock_path(char path[PATH_MAX], const char *directory)
{
    snprintf(path, PATH_MAX, "%.4000s/" TRACE_LOCK_FILE, directory);
}

/* Is the open file still the one at its place? Who removes a directory removes its lock, too. */
static bool is_there(int file, const char *path)
{
    struct stat held, found;
    return fstat(file, &held) == 0 && lstat(path, &found) == 0 && held.st_ino == found.st_ino &&
           held.st_dev == found.st_dev;
}

static int open_lock(const char *path, bool make)
{
    struct stat status;
    int flags = O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    int file = open(path, O_RDWR | (make ? O_CREAT : 0) | flags, FILES_MODE);
    if (file < 0)
        file = open(path, O_RDONLY | flags);
    if (file >= 0 && (fstat(file, &status) || !S_ISREG(status.st_mode))) {
        close(file);
        file = -1;
    }
    return file;
}

static int in_use(const char *directory, int file, struct error *error)
{
    char text[32] = "";
    long process = pread(file, text, sizeof text - 1, 0) > 0 ? atol(text) : 0;
    if (process > 0 && (kill((pid_t)process, 0) == 0 || errno == EPERM))
        return error_set(error, ERROR_USAGE, "%s is in use by another preplay (process %ld)",
                         directory, process);
    return error_set(error, ERROR_USAGE, "%s is in use by another preplay", directory);
}

static int share(struct trace_lock *lock, const char *directory, bool make, struct error *error)
{
    char path[PATH_MAX];
    lock_path(path, directory);
    int file = lock->file ? lock->file - 1 : open_lock(path, make);
    if (file < 0)
        return 0;
    lock->file = file + 1;
    bool shared = set_lock(file, F_RDLCK, BYTE_USE) == 0;
    if (!shared && (errno == EAGAIN || errno == EACCES)) {
        in_use(directory, file, error);
        trace_lock_release(lock);
        return -1;
    }
    return 0;
}

int trace_lock_share(struct trace_lock *lock, const char *directory, struct error *error)
{
    return share(lock, directory, false, error);
}

/* --- alone --------------------------------------------------------------------- */

struct looking {
    char directory[PATH_MAX];
    long writer;
};

/* A recorded program outlives a preplay that was killed, and goes on writing. */
static void look_for_writer(void *context, const char *directory)
{
    struct looking *looking = context;
    char path[PATH_MAX + 16];
    snprintf(path, sizeof path, "%s/process", directory);
    char *text = files_load(path, 64, NULL);
    long process = text ? atol(text) : 0;
    if (process > 0 && process <= INT_MAX && writer_records_into((int)process, looking->directory))
        looking->writer = process;
    free(text);
}

int trace_lock_alone(struct trace_lock *lock, const char *directory, struct error *error)
{
    char path[PATH_MAX];
    struct looking looking = {0};
    lock_path(path, directory);
    int file = lock->file ? lock->file - 1 : open_lock(path, true);
    if (file < 0)
        return error_set(error, ERROR_USAGE, "%s: cannot be made: %s", path, strerror(errno));
    lock->file = file + 1;
    if ((set_lock(file, F_WRLCK, BYTE_USE) && (errno == EAGAIN || errno == EACCES)) ||
        !is_there(file, path)) {
        in_use(directory, file, error);
        trace_lock_release(lock);
        return -1;
    }
    if (realpath(directory, looking.directory))
        processes_each(directory, look_for_writer, &looking);
    if (!looking.writer)
        return 0;
    trace_lock_release(lock);
    return error_set(error, ERROR_USAGE, "%s is in use: process %ld still records into it",
                     directory, looking.writer);
}

void trace_lock_open_up(struct trace_lock *lock)
{
    char text[32];
    if (!lock->file)
        return;
    int length = snprintf(text, sizeof text, "%d\n", (int)getpid());
    bool left = ftruncate(lock->file - 1, 0) == 0 &&
                pwrite(lock->file - 1, text, (size_t)length, 0) == length;
    (void)left; /* it is only for the message to others */
    set_lock(lock->file - 1, F_RDLCK, BYTE_USE);
}

int trace_lock_replay(struct trace_lock *lock, const char *directory, struct error *error)
{
    if (share(lock, directory, true, error))
        return -1;
    if (!lock->file || lock_replays(lock->file - 1) == 0 || (errno != EAGAIN && errno != EACCES))
        return 0;
    in_use(directory, lock->file - 1, error);
    trace_lock_release(lock);
    return -1;
}

void trace_lock_release(struct trace_lock *lock)
{
    if (lock->file)
        close(lock->file - 1);
    lock->file = 0;
}
