/* SPDX-License-Identifier: MIT */
#include "runtime/space.h"

#include "runtime/directory.h"
#include "runtime/text.h"

#include <linux/futex.h>

#if !defined(PREPLAY_HOSTED)

enum { WAIT_TURNS = 3000 }; /* for a free extent: milliseconds, or about as long */

static struct space *space;
static _Atomic uint32_t next_extent; /* where to look first */

void space_begin(const char *directory)
{
    int file = directory_open(directory, "space", O_RDWR | O_NOFOLLOW);
    if (file < 0)
        return;
    struct space *found = system_map(file, 0, SPACE_SIZE);
    system_close(file);
    if (found && found->magic == SPACE_MAGIC && found->version == SPACE_VERSION)
        space = found;
    else if (found)
        system_unmap(found, SPACE_SIZE);
}

bool space_there(void)
{
    return space && !atomic_load(&space->failure);
}

void space_quietly(void)
{
    if (space)
        atomic_store(&space->silent, 1);
}

static void ring(void)
{
    atomic_fetch_add(&space->bell, 1);
    if (!system_sealed)
        system_call(SYS_futex, (long)&space->bell, FUTEX_WAKE, 1, 0, 0, 0);
}

static space_extent_id take_free(void)
{
    uint32_t ready = atomic_load(&space->ready);
    if (ready > SPACE_EXTENTS)
        return 0;
    for (uint32_t i = 0; i < ready; i++) {
        uint32_t extent = atomic_fetch_add(&next_extent, 1) % ready, state = SPACE_FREE;
        if (atomic_compare_exchange_strong(&space->extents[extent].state, &state, SPACE_TAKEN))
            return extent + 1;
    }
    return 0;
}

space_extent_id space_take(const char *name, uint64_t offset)
{
    space_extent_id taken = 0;
    for (unsigned turn = 0; turn < WAIT_TURNS && space_there() && !(taken = take_free()); turn++) {
        ring();
        system_nap();
    }
    if (!taken)
        return 0;
    struct space_extent *extent = &space->extents[taken - 1];
    extent->offset = offset;
    extent->used = 0;
    extent->last = 0;
    text_append(extent->name, 0, SPACE_NAME, name);
    atomic_store(&extent->state, SPACE_NAMED);
    ring();
    return taken;
}

uint8_t *space_window(space_extent_id extent)
{
    return space_bytes(space, extent - 1);
}

void space_give(space_extent_id extent, uint32_t used, bool last)
{
    struct space_extent *given = &space->extents[extent - 1];
    given->used = used;
    given->last = last;
    atomic_store(&given->state, SPACE_FULL);
    ring();
}

void space_append(const char *name, const char *text, size_t length)
{
    space_extent_id taken = length <= SPACE_EXTENT ? space_take(name, SPACE_APPEND) : 0;
    if (!taken)
        return;
    uint8_t *bytes = space_window(taken);
    for (size_t i = 0; i < length; i++)
        bytes[i] = (uint8_t)text[i];
    space_give(taken, (uint32_t)length, false);
}

uint32_t space_new_process(void)
{
    return SPACE_PROCESSES + atomic_fetch_add(&space->processes, 1);
}

#endif
