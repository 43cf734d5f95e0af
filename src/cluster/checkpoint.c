/* SPDX-License-Identifier: MIT */
#include "cluster/checkpoint.h"

#include "base/files.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

struct head {
    char magic[8];
    uint64_t binary, work;
};

struct record {
    uint32_t round, piece;
    uint64_t print, size, sum;
};

struct checkpoint {
    char path[PATH_MAX];
    int file;
    bool full;  /* it was said */
    char *kept; /* what an earlier job left */
    size_t kept_size;
};

static const char magic[8] = "PPDEAL1\n";

static uint64_t sum_of_binary(void)
{
    size_t size = 0;
    int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    char *block = memory_alloc(1 << 16, 1);
    XXH3_state_t *state = XXH3_createState();
    XXH3_64bits_reset(state);
    for (ssize_t got; file >= 0 && (got = read(file, block, 1 << 16)) > 0; size += (size_t)got)
        XXH3_64bits_update(state, block, (size_t)got);
    uint64_t sum = XXH3_64bits_digest(state) + size;
    XXH3_freeState(state);
    free(block);
    if (file >= 0)
        close(file);
    return sum;
}

/* The record at `at`, if all of it is there and right; its bytes follow it. */
static bool record_at(const struct checkpoint *self, size_t at, struct record *record)
{
    if (self->kept_size - at < sizeof *record)
        return false;
    memcpy(record, self->kept + at, sizeof *record);
    if (record->size > self->kept_size - at - sizeof *record)
        return false;
    return XXH3_64bits_withSeed(self->kept + at + sizeof *record, record->size, record->piece) ==
           record->sum;
}

/* How much of it is whole. */
static size_t whole_size(const struct checkpoint *self)
{
    struct record record;
    size_t at = sizeof(struct head);
    while (record_at(self, at, &record))
        at += sizeof record + record.size;
    return at;
}

/* Somebody else's would be their word for what was found. */
static int check(const struct checkpoint *self, const struct head *wanted, int file,
                 struct error *error)
{
    struct head found;
    struct stat status;
    if (fstat(file, &status) || status.st_uid != geteuid())
        return error_set(error, ERROR_USAGE, "%s: not yours: it is not resumed", self->path);
    if (self->kept_size < sizeof found || memcmp(self->kept, magic, sizeof magic) != 0)
        return error_set(error, ERROR_USAGE, "%s: not a checkpoint of preplay", self->path);
    memcpy(&found, self->kept, sizeof found);
    if (found.binary != wanted->binary)
        return error_set(error, ERROR_USAGE,
                         "%s: of another build of preplay: begin again without --resume",
                         self->path);
    if (found.work != wanted->work)
        return error_set(error, ERROR_USAGE,
                         "%s: of another trace, or of other options: begin again without --resume",
                         self->path);
    return 0;
}

static int load(struct checkpoint *self, const struct head *wanted, struct error *error)
{
    int file = files_open(self->path);
    if (file < 0)
        return error_set(error, ERROR_USAGE, "%s: nothing to resume: %s", self->path,
                         files_reason(errno));
    self->kept = files_load(self->path, SIZE_MAX / 2, &self->kept_size);
    int result = self->kept ? check(self, wanted, file, error)
                            : error_set(error, ERROR_INPUT, "%s: cannot be read: %s", self->path,
                                        files_reason(errno));
    close(file);
    return result;
}

static bool put(struct checkpoint *self, const void *data, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t wrote = write(self->file, (const char *)data + done, size - done);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0)
            return false;
        done += (size_t)wrote;
    }
    return true;
}

/* What is kept goes into a new file, so that a stranger's link is never written through. */
static int begin(struct checkpoint *self, const struct head *head, struct error *error)
{
    size_t whole = self->kept ? whole_size(self) : 0;
    self->file = files_create(self->path);
    if (self->file >= 0 && put(self, head, sizeof *head) &&
        (!whole || put(self, self->kept + sizeof *head, whole - sizeof *head)))
        return 0;
    return error_set(error, ERROR_INTERNAL, "%s: cannot be written: %s", self->path,
                     strerror(errno));
}

struct checkpoint *checkpoint_open(const char *directory, const char *work, bool resume,
                                   struct error *error)
{
    struct checkpoint *self = NEW(struct checkpoint);
    struct head head = {.binary = sum_of_binary(), .work = XXH3_64bits(work, strlen(work))};
    memcpy(head.magic, magic, sizeof magic);
    self->file = -1;
    snprintf(self->path, sizeof self->path, "%.4000s/" CHECKPOINT_FILE, directory);
    if ((!resume || load(self, &head, error) == 0) && begin(self, &head, error) == 0)
        return self;
    checkpoint_close(self);
    return NULL;
}

void checkpoint_each(const struct checkpoint *self, uint32_t round, uint64_t print, uint32_t count,
                     void (*found)(void *context, uint32_t piece, struct bytes result),
                     void *context)
{
    struct record record;
    for (size_t at = sizeof(struct head); self->kept && record_at(self, at, &record);
         at += sizeof record + record.size)
        if (record.round == round && record.print == print && record.piece < count)
            found(context, record.piece,
                  (struct bytes){self->kept + at + sizeof record, record.size});
}

void checkpoint_add(struct checkpoint *self, uint32_t round, uint64_t print, uint32_t piece,
                    struct bytes result)
{
    struct record record = {round, piece, print, result.size,
                            XXH3_64bits_withSeed(result.data, result.size, piece)};
    if (self->full || (put(self, &record, sizeof record) && put(self, result.data, result.size)))
        return;
    self->full = true;
    fprintf(stderr, "preplay: %s: cannot be written: %s; what is done from now on is not kept\n",
            self->path, strerror(errno));
}

const char *checkpoint_path(const struct checkpoint *self)
{
    return self->path;
}

void checkpoint_remove(struct checkpoint *self)
{
    unlink(self->path);
}

void checkpoint_close(struct checkpoint *self)
{
    if (!self)
        return;
    if (self->file >= 0)
        close(self->file);
    free(self->kept);
    free(self);
}
