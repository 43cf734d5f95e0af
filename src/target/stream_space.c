/* SPDX-License-Identifier: MIT */
#include "target/stream_space.h"

#include "base/memory.h"
#include "trace/space.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    READY_STEP = 16, /* extents that get their blocks at a time */
    READY_AHEAD = 8, /* so many are free, at least */
    LOOK_MS = 200,   /* if nobody rings */
    LOOK_SILENT_MS = 5,
};

struct stream_space {
    int directory, file;
    struct space *space;
    pthread_t thread;
    bool serving;
    _Atomic bool over;
    double mirrored;
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* --- names ------------------------------------------------------------------- */

static size_t digits(const char *text)
{
    return strspn(text, "0123456789");
}

static bool is_stream(const char *name)
{
    return strncmp(name, "streams/", 8) == 0 && digits(name + 8) == 9 &&
           strcmp(name + 17, ".pps") == 0;
}

/* "process-N/process-M/streams/000000001.pps" and a few others, nothing else. */
static bool is_name(const char *name)
{
    size_t count;
    if (!memchr(name, '\0', SPACE_NAME))
        return false;
    while (strncmp(name, "process-", 8) == 0 && (count = digits(name + 8)) &&
           name[8 + count] == '/')
        name += 8 + count + 1;
    return is_stream(name) || strcmp(name, "modules") == 0 || strcmp(name, "process") == 0 ||
           strcmp(name, "stopped") == 0 || strcmp(name, "cut_off") == 0 ||
           strcmp(name, "users") == 0;
}

/* Opened with its directories made: whoever forked could not make them. -1 with errno. */
static int open_named(int directory, const char *name, int flags)
{
    char path[SPACE_NAME];
    for (const char *slash = strchr(name, '/'); slash; slash = strchr(slash + 1, '/')) {
        memcpy(path, name, (size_t)(slash - name));
        path[slash - name] = '\0';
        if (mkdirat(directory, path, 0700) && errno != EEXIST)
            return -1;
    }
    return openat(directory, name, flags | O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
}

/* --- extents ----------------------------------------------------------------- */

static bool write_all(int file, const uint8_t *bytes, size_t size, uint64_t offset)
{
    while (size) {
        ssize_t done = offset == SPACE_APPEND ? write(file, bytes, size)
                                              : pwrite(file, bytes, size, (off_t)offset);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        bytes += done;
        size -= (size_t)done;
        offset += offset == SPACE_APPEND ? 0 : (uint64_t)done;
    }
    return true;
}

/* `used` bytes of it, to where it says. */
static bool put(struct stream_space *self, uint32_t number, uint32_t used)
{
    struct space_extent extent = self->space->extents[number]; /* as it is now */
    bool append = extent.offset == SPACE_APPEND;
    if (!is_name(extent.name) || used > SPACE_EXTENT ||
        (!append && extent.offset > INT64_MAX - 2 * SPACE_EXTENT))
        return true; /* nothing of ours */
    int file = open_named(self->directory, extent.name, append ? O_APPEND : 0);
    if (file < 0)
        return false;
    bool done = write_all(file, space_bytes(self->space, number), used, extent.offset);
    if (done && extent.last && !append)
        done = ftruncate(file, (off_t)(extent.offset + used)) == 0;
    int reason = errno;
    close(file);
    errno = reason;
    return done;
}

static void clear(struct stream_space *self, uint32_t number)
{
    memset(space_bytes(self->space, number), 0, SPACE_EXTENT);
    memset(self->space->extents[number].name, 0, SPACE_NAME);
    atomic_store(&self->space->extents[number].state, SPACE_FREE);
}

static void failed(struct stream_space *self)
{
    uint32_t none = 0;
    atomic_compare_exchange_strong(&self->space->failure, &none, (uint32_t)(errno ? errno : EIO));
}

static void visit(struct stream_space *self, bool unfinished_too)
{
    uint32_t ready = atomic_load(&self->space->ready);
    for (uint32_t i = 0; i < ready && i < SPACE_EXTENTS; i++) {
        uint32_t state = atomic_load(&self->space->extents[i].state);
        if (state == SPACE_FULL) {
            if (!put(self, i, self->space->extents[i].used))
                failed(self);
            clear(self, i);
        } else if (state == SPACE_NAMED && unfinished_too &&
                   self->space->extents[i].offset != SPACE_APPEND) {
            if (!put(self, i, SPACE_EXTENT))
                failed(self);
        }
    }
}

static uint32_t count_free(const struct stream_space *self)
{
    uint32_t count = 0, ready = atomic_load(&self->space->ready);
    for (uint32_t i = 0; i < ready && i < SPACE_EXTENTS; i++)
        count += atomic_load(&self->space->extents[i].state) == SPACE_FREE;
    return count;
}

/* A file system without fallocate (some networks') has its blocks when zeros are written. */
static bool allocate(int file, uint64_t offset, uint64_t size)
{
    int answer = posix_fallocate(file, (off_t)offset, (off_t)size);
    errno = answer;
    return answer == 0;
}

static void keep_ready(struct stream_space *self)
{
    uint32_t ready = atomic_load(&self->space->ready);
    if (ready + READY_STEP > SPACE_EXTENTS || count_free(self) >= READY_AHEAD)
        return;
    if (allocate(self->file, SPACE_HEADER + (uint64_t)ready * SPACE_EXTENT,
                 (uint64_t)READY_STEP * SPACE_EXTENT))
        atomic_store(&self->space->ready, ready + READY_STEP);
    else if (count_free(self) == 0)
        failed(self);
}

/* --- serving ----------------------------------------------------------------- */

static void *serve(void *argument)
{
    struct stream_space *self = argument;
    while (!atomic_load(&self->over)) {
        uint32_t seen = atomic_load(&self->space->bell);
        bool mirror = seen && now() - self->mirrored >= 1;
        visit(self, mirror);
        keep_ready(self);
        if (mirror)
            self->mirrored = now();
        long wait = atomic_load(&self->space->silent) ? LOOK_SILENT_MS : LOOK_MS;
        struct timespec time = {.tv_nsec = wait * 1000000};
        syscall(SYS_futex, &self->space->bell, FUTEX_WAIT, seen, &time, NULL, 0);
    }
    return NULL;
}

struct stream_space *stream_space_create(const char *directory)
{
    struct stream_space *self = memory_alloc(1, sizeof *self);
    *self = (struct stream_space){.file = -1};
    self->directory = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (self->directory >= 0)
        self->file = openat(self->directory, "space",
                            O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    void *map = MAP_FAILED;
    if (self->file >= 0 &&
        allocate(self->file, 0, SPACE_HEADER + (uint64_t)READY_STEP * SPACE_EXTENT))
        map = mmap(NULL, SPACE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, self->file, 0);
    if (map == MAP_FAILED) {
        stream_space_finish(self);
        return NULL;
    }
    self->space = map;
    atomic_store(&self->space->ready, READY_STEP);
    self->space->version = SPACE_VERSION;
    self->space->magic = SPACE_MAGIC;
    return self;
}

void stream_space_serve(struct stream_space *self)
{
    sigset_t all, old;
    if (!self)
        return;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &old); /* they are for whoever waits for the program */
    self->serving = pthread_create(&self->thread, NULL, serve, self) == 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

void stream_space_finish(struct stream_space *self)
{
    if (!self)
        return;
    if (self->serving) {
        atomic_store(&self->over, true);
        atomic_fetch_add(&self->space->bell, 1);
        syscall(SYS_futex, &self->space->bell, FUTEX_WAKE, 1, NULL, NULL, 0);
        pthread_join(self->thread, NULL);
    }
    if (self->space) {
        visit(self, true);
        atomic_store(&self->space->failure, ECANCELED); /* for whoever still records */
        munmap(self->space, SPACE_SIZE);
    }
    if (self->file >= 0) {
        unlinkat(self->directory, "space", 0);
        close(self->file);
    }
    if (self->directory >= 0)
        close(self->directory);
    free(self);
}
