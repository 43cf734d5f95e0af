/* SPDX-License-Identifier: MIT */
#include "base/files.h"
#include "trace/recorded/binary_records.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* What was read of a long stream is given back in pieces of so many bytes: else the mapping would
 * stay in memory, as long as the recording. */
#define LEAVE_BYTES ((size_t)1 << 22)

static int check_header(const struct binary_stream *self, struct stream_header *header,
                        struct error *error)
{
    if ((size_t)(self->end - self->bytes) < sizeof *header)
        return error_set(error, ERROR_INPUT, "%s: too short for a stream", self->path);
    memcpy(header, self->bytes, sizeof *header);
    if (header->magic != ENCODING_MAGIC)
        return error_set(error, ERROR_INPUT, "%s: not a preplay stream", self->path);
    if (header->version != ENCODING_VERSION)
        return error_set(error, ERROR_INPUT, "%s: format version %u, this preplay reads version %u",
                         self->path, header->version, ENCODING_VERSION);
    return 0;
}

struct binary_stream *binary_stream_open(const char *path, uint64_t limit,
                                         struct stream_header *header, struct error *error)
{
    int file = files_open(path);
    struct stat status;
    if (file < 0 || fstat(file, &status)) {
        error_set(error, ERROR_INPUT, "%s: cannot be read: %s", path, files_reason(errno));
        if (file >= 0)
            close(file);
        return NULL;
    }
    struct binary_stream *self = NEW(struct binary_stream);
    self->path = memory_copy(path, strlen(path) + 1);
    self->mapped = (size_t)status.st_size;
    void *bytes = self->mapped ? mmap(NULL, self->mapped, PROT_READ, MAP_PRIVATE, file, 0) : NULL;
    close(file);
    if (bytes == MAP_FAILED) {
        error_set(error, ERROR_INPUT, "%s: cannot map: %s", path, strerror(errno));
        self->mapped = 0;
        binary_stream_close(self);
        return NULL;
    }
    self->bytes = bytes;
    self->end = self->bytes + (self->mapped < limit ? self->mapped : (size_t)limit);
    if (check_header(self, header, error)) {
        binary_stream_close(self);
        return NULL;
    }
    self->at = self->bytes + sizeof *header;
    self->left = self->bytes;
    self->sites = NEW_ARRAY(struct reader_site, ENCODING_SITES);
    return self;
}

void binary_stream_close(struct binary_stream *self)
{
    if (!self)
        return;
    if (self->mapped)
        munmap((void *)self->bytes, self->mapped);
    array_free(&self->stacks);
    free(self->sites);
    free(self->accesses);
    free(self->path);
    free(self);
}

int binary_stream_peek(struct binary_stream *self, struct binary_places *places, uint64_t *stamp,
                       struct error *error)
{
    if (!self->has_next) {
        /* Only at the start: nothing can come before the first stamp. */
        int answer = binary_records_chunk(self, places, error);
        if (answer <= 0)
            return answer;
        self->has_next = true;
    }
    *stamp = self->next.stamp;
    return 1;
}

static void leave(struct binary_stream *self)
{
    size_t read = (size_t)(self->at - self->left) & ~(LEAVE_BYTES - 1);
    if (!read)
        return;
    madvise((void *)self->left, read, MADV_DONTNEED);
    self->left += read;
}

int binary_stream_next(struct binary_stream *self, struct binary_places *places,
                       struct binary_unit *unit, struct error *error)
{
    uint64_t stamp;
    int answer = binary_stream_peek(self, places, &stamp, error);
    if (answer <= 0)
        return answer;
    *unit = self->next;
    answer = binary_records_chunk(self, places, error);
    leave(self);
    if (answer < 0)
        return -1;
    self->has_next = answer == 1;
    unit->accesses = self->accesses;
    unit->count = self->access_count;
    return 1;
}

uint32_t binary_stream_stack(const struct binary_stream *self, uint32_t node)
{
    return node && node <= self->stacks.count ? self->stacks.items[node - 1] : 0;
}

/* A process may end between making a thread's file and writing its header: then the
 * file is empty, or fresh space. */
static bool never_begun(const char *path)
{
    uint64_t magic = 0;
    int file = files_open(path);
    ssize_t got = file >= 0 ? read(file, &magic, sizeof magic) : -1;
    if (file >= 0)
        close(file);
    return got == 0 || (got == sizeof magic && magic == 0);
}

int binary_stream_first(const char *path, uint64_t limit, struct stream_header *header,
                        uint64_t *stamp, struct error *error)
{
    if (never_begun(path))
        return 0;
    struct binary_stream *self = binary_stream_open(path, limit, header, error);
    if (!self)
        return -1;
    struct binary_places *places = binary_places_create();
    int answer = binary_stream_peek(self, places, stamp, error);
    binary_places_destroy(places);
    binary_stream_close(self);
    return answer;
}
