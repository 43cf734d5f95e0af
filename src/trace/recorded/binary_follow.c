/* SPDX-License-Identifier: MIT */
#include "trace/recorded/binary_follow.h"

#include "base/array.h"
#include "base/files.h"
#include "trace/recorded/binary_scan.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PATH_ROOM = 4400, LOOK_FIRST = 1 << 14, LOOK_MOST = 1 << 20 };

struct followed {
    uint32_t number, kernel_thread;
    bool begun, ended;
    struct binary_scan scan;
};

struct binary_follow {
    char *directory;
    int process;       /* its id, 0 if it is not known yet */
    uint64_t identity; /* of the folder of streams: an exec puts another in its place */
    struct streams ARRAY_OF(struct followed *) streams;
    struct map by_number; /* stream number -> place + 1 */
    uint8_t *bytes, *again;
};

void binary_cut_free(struct binary_cut *cut)
{
    map_free(&cut->ends);
}

struct binary_follow *binary_follow_create(const char *directory)
{
    struct binary_follow *self = NEW(struct binary_follow);
    self->directory = memory_copy(directory, strlen(directory) + 1);
    self->bytes = memory_alloc(LOOK_MOST, 1);
    self->again = memory_alloc(LOOK_MOST, 1);
    return self;
}

static void forget_streams(struct binary_follow *self)
{
    for (size_t i = 0; i < self->streams.count; i++)
        free(self->streams.items[i]);
    self->streams.count = 0;
    map_clear(&self->by_number);
}

void binary_follow_destroy(struct binary_follow *self)
{
    if (!self)
        return;
    forget_streams(self);
    array_free(&self->streams);
    map_free(&self->by_number);
    free(self->directory);
    free(self->bytes);
    free(self->again);
    free(self);
}

static int read_number(const char *path)
{
    int number = 0;
    FILE *file = files_read(path);
    if (!file)
        return 0;
    if (fscanf(file, "%d", &number) != 1)
        number = 0;
    fclose(file);
    return number;
}

/* --- streams ---------------------------------------------------------------- */

static void notice(struct binary_follow *self, const char *name)
{
    unsigned number;
    int length = 0;
    if (sscanf(name, "%9u.pps%n", &number, &length) != 1 || !length || name[length])
        return;
    bool added;
    uint64_t *place = map_at(&self->by_number, number, &added);
    if (!added)
        return;
    struct followed *stream = NEW(struct followed);
    stream->number = number;
    array_push(&self->streams, stream);
    *place = self->streams.count;
}

/* Threads that are new. */
static void list_streams(struct binary_follow *self)
{
    char path[PATH_ROOM];
    struct stat status;
    snprintf(path, sizeof path, "%s/streams", self->directory);
    DIR *streams = files_list(path);
    if (!streams)
        return;
    if (fstat(dirfd(streams), &status) == 0 && status.st_ino != self->identity) {
        forget_streams(self);
        self->identity = status.st_ino;
        snprintf(path, sizeof path, "%s/process", self->directory);
        self->process = read_number(path);
    }
    for (struct dirent *entry; (entry = readdir(streams));)
        notice(self, entry->d_name);
    closedir(streams);
}

static int open_stream(const struct binary_follow *self, uint32_t number)
{
    char path[PATH_ROOM];
    snprintf(path, sizeof path, "%s/streams/%09u.pps", self->directory, number);
    return files_open(path);
}

static bool read_header(struct followed *stream, int file)
{
    struct stream_header header;
    if (pread(file, &header, sizeof header, 0) != sizeof header || header.magic != ENCODING_MAGIC)
        return false;
    stream->kernel_thread = header.kernel_thread;
    stream->scan.offset = sizeof header;
    return stream->begun = true;
}

/* A copy of memory that is being written: a record's first byte is stored last, but
 * nothing says that the copy is made in order. So the first copy tells how many bytes
 * are there, and the second one is read. */
static size_t scan_part(struct binary_follow *self, struct binary_scan *scan, int file, size_t size,
                        bool once)
{
    struct binary_scan probe = *scan;
    ssize_t got = pread(file, self->bytes, size, (off_t)scan->offset);
    if (got <= 0)
        return 0;
    size_t there = binary_scan_records(&probe, self->bytes, (size_t)got, once);
    size_t whole = there < (size_t)got ? there : (size_t)got;
    if (pread(file, self->again, whole, (off_t)scan->offset) != (ssize_t)whole)
        return 0;
    probe = *scan;
    if (binary_scan_records(&probe, self->again, whole, once) != there)
        return 0;
    *scan = probe;
    return there;
}

static void scan_file(struct binary_follow *self, struct binary_scan *scan, int file, bool once)
{
    uint64_t stamps = scan->stamps;
    for (size_t size = LOOK_FIRST; !(once && scan->stamps > stamps);
         size = size * 4 < LOOK_MOST ? size * 4 : LOOK_MOST)
        if (scan_part(self, scan, file, size, once) < size / 2)
            break;
}

static void look_at(struct binary_follow *self, struct followed *stream)
{
    struct stat status;
    int file = open_stream(self, stream->number);
    if (file < 0)
        return;
    if (stream->begun || read_header(stream, file)) {
        scan_file(self, &stream->scan, file, false);
        /* A stream is cut to what it holds when its thread ends. */
        stream->ended =
            fstat(file, &status) == 0 && (uint64_t)status.st_size == stream->scan.offset;
    }
    close(file);
}

uint64_t binary_follow_look(struct binary_follow *self)
{
    uint64_t bytes = 0;
    list_streams(self);
    for (size_t i = 0; i < self->streams.count; i++) {
        struct followed *stream = self->streams.items[i];
        if (!stream->ended)
            look_at(self, stream);
        bytes += stream->scan.offset;
    }
    return bytes;
}

/* --- cuts --------------------------------------------------------------------- */

enum activity { ACTIVITY_SLEEPS, ACTIVITY_READY, ACTIVITY_UNKNOWN };

static enum activity thread_activity(const struct binary_follow *self,
                                     const struct followed *stream)
{
    char path[128], text[512] = "";
    snprintf(path, sizeof path, "/proc/%d/task/%u/stat", self->process, stream->kernel_thread);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) /* it is gone, or was never to be seen from here */
        return ACTIVITY_UNKNOWN;
    ssize_t got = read(file, text, sizeof text - 1);
    close(file);
    const char *name_end = got > 0 ? strrchr(text, ')') : NULL;
    if (!name_end || !name_end[1])
        return ACTIVITY_UNKNOWN;
    return name_end[2] == 'R' || name_end[2] == 'D' ? ACTIVITY_READY : ACTIVITY_SLEEPS;
}

/* Nanoseconds of processor time. */
static uint64_t thread_time(const struct binary_follow *self, const struct followed *stream)
{
    char path[128];
    uint64_t time = 0;
    snprintf(path, sizeof path, "/proc/%d/task/%u/schedstat", self->process, stream->kernel_thread);
    FILE *file = fopen(path, "re");
    if (!file)
        return 0;
    if (fscanf(file, "%" SCNu64, &time) != 1)
        time = 0;
    fclose(file);
    return time;
}

static void nap(void)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    nanosleep(&pause, NULL);
}

/* The first stamp that is new in the stream; false if there is none. */
static bool new_stamp(struct binary_follow *self, const struct followed *stream, uint64_t *stamp)
{
    struct binary_scan scan = stream->scan;
    struct followed fresh = {0};
    int file = open_stream(self, stream->number);
    if (file < 0)
        return false;
    if (!stream->begun && read_header(&fresh, file))
        scan = fresh.scan;
    if (stream->begun || fresh.begun)
        scan_file(self, &scan, file, true);
    close(file);
    *stamp = scan.stamp;
    return scan.stamps > stream->scan.stamps;
}

/* May the thread have done something before now that it has not written yet? Not if
 * it sleeps, or has run for longer than writing takes. One that is ready to run and
 * does not get to may; `naps` is how long all threads together are waited for. */
static bool may_owe(const struct binary_follow *self, const struct followed *stream, unsigned *naps)
{
    enum { ENOUGH = 100000 /* nanoseconds */ };
    uint64_t start = 0;
    for (;;) {
        if (thread_activity(self, stream) != ACTIVITY_READY)
            return false;
        uint64_t time = thread_time(self, stream);
        if (!start)
            start = time;
        if (time - start > ENOUGH)
            return false;
        if (!*naps)
            return true;
        --*naps;
        nap();
    }
}

/* The lowest stamp that the stream may have beyond the first look. */
static uint64_t stream_limit(struct binary_follow *self, const struct followed *stream,
                             uint64_t limit, unsigned *naps)
{
    uint64_t stamp;
    if (new_stamp(self, stream, &stamp))
        return stamp;
    if (!stream->begun || stream->scan.stamp >= limit)
        return UINT64_MAX;
    bool owes = may_owe(self, stream, naps);
    if (new_stamp(self, stream, &stamp))
        return stamp;
    return owes ? stream->scan.stamp + 1 : UINT64_MAX;
}

static uint64_t find_limit(struct binary_follow *self, uint64_t limit)
{
    unsigned naps = 50;
    list_streams(self);
    for (size_t i = 0; i < self->streams.count; i++) {
        const struct followed *stream = self->streams.items[i];
        uint64_t other = stream->ended ? UINT64_MAX : stream_limit(self, stream, limit, &naps);
        limit = other < limit ? other : limit;
    }
    return limit;
}

bool binary_follow_cut(struct binary_follow *self, struct binary_cut *cut)
{
    *cut = (struct binary_cut){.bytes = binary_follow_look(self)};
    for (size_t i = 0; i < self->streams.count; i++) {
        const struct followed *stream = self->streams.items[i];
        if (!stream->scan.stamps)
            continue;
        *map_at(&cut->ends, stream->number, NULL) = stream->scan.offset;
        if (stream->scan.stamp >= cut->limit)
            cut->limit = stream->scan.stamp + 1;
    }
    uint64_t identity = self->identity;
    cut->limit = find_limit(self, cut->limit);
    return cut->ends.count && self->identity == identity;
}
