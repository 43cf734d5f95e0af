/* `space` of a recording, which the recorded program fills and may fill with anything: what it says
 * goes into files of the recording, or nowhere.
 *
 * The input is a list of extents: state, used (two bytes each), offset, last (eight bytes each),
 * the length of the name (one byte), the name, and the first bytes. */
#include "target/stream_space.h"
#include "trace/space.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The recording is a directory in one where nothing else may ever be. */
static const char *place(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "/dev/shm/preplay-fuzz-space-%d%s", (int)getpid(), name);
    return path;
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    (void)status, (void)kind, (void)where;
    return remove(path);
}

static bool take(const uint8_t **data, size_t *size, void *into, size_t length)
{
    if (*size < length)
        return false;
    memcpy(into, *data, length);
    *data += length;
    *size -= length;
    return true;
}

static bool fill(struct space_extent *extent, uint8_t *bytes, const uint8_t **data, size_t *size)
{
    uint16_t state, used;
    uint8_t length;
    if (!take(data, size, &state, sizeof state) || !take(data, size, &used, sizeof used) ||
        !take(data, size, &extent->offset, sizeof extent->offset) ||
        !take(data, size, &extent->last, sizeof extent->last) ||
        !take(data, size, &length, sizeof length) ||
        !take(data, size, extent->name, length % (SPACE_NAME + 1)))
        return false;
    extent->used = used;
    atomic_store(&extent->state, state);
    return take(data, size, bytes, *size < 8 ? *size : 8);
}

static void be_the_program(const uint8_t *data, size_t size)
{
    int file = open(place("/recording/space"), O_RDWR | O_CLOEXEC);
    struct space *space = mmap(NULL, SPACE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file < 0 || space == MAP_FAILED)
        abort();
    for (uint32_t i = 0; i < space->ready; i++)
        if (!fill(&space->extents[i], space_bytes(space, i), &data, &size))
            break;
    munmap(space, SPACE_SIZE);
    close(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (mkdir(place(""), 0700) || mkdir(place("/recording"), 0700) ||
        mkdir(place("/recording/streams"), 0700))
        abort();
    struct stream_space *space = stream_space_create(place("/recording"));
    if (!space)
        abort();
    be_the_program(data, size);
    stream_space_finish(space);
    nftw(place("/recording"), remove_entry, 32, FTW_DEPTH | FTW_PHYS);
    if (rmdir(place("")))
        abort(); /* something was written outside */
    return 0;
}
