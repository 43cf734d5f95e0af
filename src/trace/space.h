/* SPDX-License-Identifier: MIT */
/* Room for the recordings of those who cannot make files any more: a program that has changed its
 * user or its root, closed its descriptors, has none left, or may not make system calls.
 *
 * `space` in the directory of a run is mapped by every process before main() (and so by its
 * forked children). It is a table of extents. Who needs room takes a free one, names the file it
 * belongs to, fills it and says that it is full; preplay itself, which has none of these troubles,
 * puts it into its file, clears it and gives it free again. Only extents that have their blocks
 * on the disk are handed out, so that a full disk is no SIGBUS. */
#ifndef PREPLAY_TRACE_SPACE_H
#define PREPLAY_TRACE_SPACE_H

#include <stdatomic.h>
#include <stdint.h>

#define SPACE_MAGIC   UINT64_C(0x3130435053505050) /* "PPPSPC01", little-endian */
#define SPACE_VERSION 1

enum {
    SPACE_EXTENTS = 1024,
    SPACE_EXTENT = 1 << 16, /* bytes */
    SPACE_NAME = 104,
    /* Directories of processes that cannot make one have numbers from here. */
    SPACE_PROCESSES = 100001,
};

enum space_state { SPACE_FREE, SPACE_TAKEN, SPACE_NAMED, SPACE_FULL };

#define SPACE_APPEND UINT64_MAX

struct space_extent {
    _Atomic uint32_t state; /* enum space_state */
    uint32_t used;          /* of a full one: how many of its bytes count */
    uint64_t offset;        /* in the file; SPACE_APPEND: at its end, wherever that is */
    uint64_t last;          /* not 0: the file ends with it */
    char name[SPACE_NAME];  /* of the file, from the run's directory */
};

struct space {
    uint64_t magic;
    uint32_t version;
    _Atomic uint32_t bell;      /* a futex: raised by who wants preplay to look */
    _Atomic uint32_t ready;     /* extents, from the first, that have blocks */
    _Atomic uint32_t failure;   /* preplay cannot go on: an error number */
    _Atomic uint32_t silent;    /* somebody may not ring: look often */
    _Atomic uint32_t processes; /* directories handed out */
    struct space_extent extents[SPACE_EXTENTS];
};

#define SPACE_HEADER ((sizeof(struct space) + SPACE_EXTENT - 1) / SPACE_EXTENT * SPACE_EXTENT)
#define SPACE_SIZE   (SPACE_HEADER + (uint64_t)SPACE_EXTENTS * SPACE_EXTENT)

static inline uint8_t *space_bytes(struct space *space, uint32_t extent)
{
    return (uint8_t *)space + SPACE_HEADER + (uint64_t)extent * SPACE_EXTENT;
}

#endif
