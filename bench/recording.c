/* SPDX-License-Identifier: MIT */
#include "recording.h"

#include "base/map.h"
#include "base/memory.h"
#include "trace/encoding.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { BUFFER = 1 << 18, BYTES_AN_EVENT = 7 };

struct writer {
    FILE *file;
    uint8_t *buffer, *at;
    struct map slots; /* operation and place -> slot of the site + 1 */
    struct predictor sites[ENCODING_SITES];
    uint64_t stamp, pc;
    uint32_t chunk, tick, last_tick;
};

struct recording {
    struct writer *writers;
    uint32_t threads;
    uint64_t stamp;
    bool failed;
};

/* --- bytes ----------------------------------------------------------------- */

static void flush(struct recording *self, struct writer *writer)
{
    size_t length = (size_t)(writer->at - writer->buffer);
    self->failed |= fwrite(writer->buffer, 1, length, writer->file) != length;
    writer->at = writer->buffer;
}

static void make_room(struct recording *self, struct writer *writer)
{
    if (writer->buffer + BUFFER - writer->at < 2 * ENCODING_RECORD_MAX)
        flush(self, writer);
}

static uint32_t site_of(struct writer *writer, unsigned op, unsigned size, uint64_t pc)
{
    bool added;
    uint64_t *slot = map_at(&writer->slots, pc << 8 | op, &added);
    if (!added)
        return (uint32_t)*slot - 1;
    *slot = writer->slots.count;
    uint32_t number = (uint32_t)*slot - 1;
    if (number >= ENCODING_SITES) {
        fprintf(stderr, "recording: more than %d places in a thread\n", ENCODING_SITES);
        exit(1);
    }
    *writer->at++ = RECORD_SITE;
    writer->at = varint_put(writer->at, number);
    *writer->at++ = (uint8_t)op;
    *writer->at++ = (uint8_t)size;
    writer->at = varint_put(writer->at, zigzag(pc - writer->pc));
    writer->at = varint_put(writer->at, 0);
    writer->pc = pc;
    return number;
}

static uint64_t next_stamp(struct recording *self, struct writer *writer)
{
    uint64_t delta = ++self->stamp - writer->stamp;
    writer->stamp = self->stamp;
    writer->chunk++;
    writer->tick = writer->last_tick = 0;
    return delta;
}

static void put_access(struct recording *self, struct writer *writer, unsigned op, uint64_t address,
                       uint64_t pc)
{
    if (writer->tick == ENCODING_CHUNK_TICKS) {
        *writer->at++ = RECORD_CHUNK;
        writer->at = varint_put(writer->at, next_stamp(self, writer));
    }
    uint32_t slot = site_of(writer, op, 8, pc);
    struct predictor *site = &writer->sites[slot];
    *writer->at++ = RECORD_SINGLE;
    writer->at = varint_put(writer->at, slot);
    writer->at = varint_put(writer->at, writer->tick - writer->last_tick);
    writer->at = varint_put(writer->at, zigzag(address - site->address));
    predictor_single(site, writer->chunk, address, writer->tick);
    writer->last_tick = writer->tick++;
}

static void put_sync(struct recording *self, struct writer *writer, unsigned op, uint64_t object,
                     uint64_t pc)
{
    uint32_t slot = site_of(writer, op, 0, pc);
    struct predictor *site = &writer->sites[slot];
    *writer->at++ = RECORD_SYNC;
    writer->at = varint_put(writer->at, slot);
    writer->at = varint_put(writer->at, next_stamp(self, writer));
    writer->at = varint_put(writer->at, zigzag(object - site->address));
    site->address = object;
}

void recording_event(struct recording *self, uint32_t thread, unsigned op, uint64_t object,
                     uint64_t pc)
{
    struct writer *writer = &self->writers[thread];
    make_room(self, writer);
    if (op == EVENT_READ || op == EVENT_WRITE)
        put_access(self, writer, op, object, pc);
    else
        put_sync(self, writer, op, object, pc);
}

/* --- threads ---------------------------------------------------------------- */

static void begin_thread(struct recording *self, uint32_t thread)
{
    struct stream_header header = {
        .magic = ENCODING_MAGIC,
        .version = ENCODING_VERSION,
        .flags = STREAM_ENDED | (thread ? 0 : STREAM_MAIN),
        .number = thread,
        .child = thread,
        .kernel_thread = thread + 1,
    };
    struct writer *writer = &self->writers[thread];
    memcpy(writer->at, &header, sizeof header);
    writer->at += sizeof header;
    recording_event(self, thread, EVENT_START, 0, 1);
}

void recording_fork(struct recording *self, uint32_t child, uint64_t pc)
{
    recording_event(self, 0, EVENT_FORK, child, pc);
    begin_thread(self, child);
}

void recording_join(struct recording *self, uint32_t child, uint64_t pc)
{
    recording_event(self, child, EVENT_END, 0, 2);
    recording_event(self, 0, EVENT_JOIN, child, pc);
}

/* --- the directory ----------------------------------------------------------- */

static int open_stream(struct recording *self, const char *directory, uint32_t thread)
{
    char path[4400];
    struct writer *writer = &self->writers[thread];
    snprintf(path, sizeof path, "%s/streams/%09" PRIu32 ".pps", directory, thread);
    writer->file = fopen(path, "w");
    if (!writer->file) {
        perror(path);
        return -1;
    }
    setvbuf(writer->file, NULL, _IONBF, 0);
    writer->at = writer->buffer = memory_alloc(BUFFER, 1);
    return 0;
}

static int make_directory(const char *directory, uint64_t events)
{
    char path[4400];
    struct statvfs disk;
    snprintf(path, sizeof path, "%s/streams", directory);
    if ((mkdir(directory, 0777) && errno != EEXIST) || mkdir(path, 0777) ||
        statvfs(directory, &disk)) {
        perror(directory);
        return -1;
    }
    uint64_t room = (uint64_t)disk.f_bavail * disk.f_frsize;
    if (room / BYTES_AN_EVENT >= events)
        return 0;
    fprintf(stderr, "%s: %" PRIu64 " events need about %" PRIu64 " MB, and there are %" PRIu64 "\n",
            directory, events, events * BYTES_AN_EVENT >> 20, room >> 20);
    rmdir(path);
    return -1;
}

struct recording *recording_create(const char *directory, uint32_t threads, uint64_t events)
{
    if (make_directory(directory, events))
        return NULL;
    struct recording *self = NEW(struct recording);
    self->threads = threads;
    self->writers = NEW_ARRAY(struct writer, threads);
    for (uint32_t i = 0; i < threads; i++)
        if (open_stream(self, directory, i))
            return NULL;
    begin_thread(self, 0);
    return self;
}

int recording_close(struct recording *self)
{
    recording_event(self, 0, EVENT_END, 0, 2);
    for (uint32_t i = 0; i < self->threads; i++) {
        struct writer *writer = &self->writers[i];
        flush(self, writer);
        self->failed |= fclose(writer->file) != 0;
        free(writer->buffer);
        map_free(&writer->slots);
    }
    int result = self->failed ? -1 : 0;
    if (result)
        perror("recording");
    free(self->writers);
    free(self);
    return result;
}
