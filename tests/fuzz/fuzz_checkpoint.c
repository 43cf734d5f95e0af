/* A checkpoint that an earlier job left, of any bytes: an error, or pieces that were whole when
 * they were written. The input is what follows the head; a record is taken as it is, and another
 * time with its sum made right, so that what lies behind it is reached. */
#include "cluster/checkpoint.c"

#include <sys/mman.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { PIECES = 16 };

static void look_at(void *context, uint32_t piece, struct bytes result)
{
    const struct checkpoint *self = context;
    const char *bytes = result.data, *end = self->kept + self->kept_size;
    if (piece >= PIECES || bytes < self->kept || result.size > (size_t)(end - bytes))
        abort();
    XXH3_64bits(bytes, result.size);
}

static void read_all(const struct checkpoint *self)
{
    size_t whole = whole_size(self);
    if (whole < sizeof(struct head) || whole > self->kept_size)
        abort();
    for (uint32_t round = 0; round < 3; round++)
        checkpoint_each(self, round, round, PIECES, look_at, (void *)self);
}

static void make_sums_right(struct checkpoint *self)
{
    struct record record;
    for (size_t at = sizeof(struct head); self->kept_size - at >= sizeof record;
         at += sizeof record + record.size) {
        size_t left = self->kept_size - at - sizeof record;
        memcpy(&record, self->kept + at, sizeof record);
        record.size = left ? record.size % (left + 1) : 0;
        record.sum =
            XXH3_64bits_withSeed(self->kept + at + sizeof record, record.size, record.piece);
        memcpy(self->kept + at, &record, sizeof record);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error error = {0};
    struct head wanted = {.binary = 1, .work = 2};
    struct checkpoint *self = NEW(struct checkpoint);
    int file = memfd_create("checkpoint", MFD_CLOEXEC); /* whose it is counts */
    memcpy(wanted.magic, magic, sizeof magic);
    self->file = -1;
    self->kept_size = size;
    self->kept = memory_alloc(size + 1, 1);
    if (size)
        memcpy(self->kept, data, size);
    if (check(self, &wanted, file, &error) && error.code != ERROR_USAGE)
        abort();
    if (size >= sizeof wanted) {
        memcpy(self->kept, &wanted, sizeof wanted);
        if (check(self, &wanted, file, &error))
            abort();
        read_all(self);
        make_sums_right(self);
        read_all(self);
    }
    close(file);
    checkpoint_close(self);
    return 0;
}
