/* SPDX-License-Identifier: MIT */
/* The records of a stream (encoding.h), one by one: the part of binary_stream.h that knows
 * their bytes. */
#ifndef PREPLAY_TRACE_RECORDED_BINARY_RECORDS_H
#define PREPLAY_TRACE_RECORDED_BINARY_RECORDS_H

#include "base/array.h"
#include "trace/recorded/binary_stream.h"

struct reader_site {
    bool bound;
    uint8_t op, size;
    uint32_t location, stack;
    struct predictor predictor;
};

struct binary_stream {
    char *path;
    const uint8_t *bytes, *at, *end;
    const uint8_t *left; /* the pages before are not needed any more */
    size_t mapped;
    uint64_t stamp, pc;
    uint32_t chunk, last_tick;
    struct reader_site *sites;
    struct stacks ARRAY_OF(uint32_t) stacks; /* global id of each node, node 1 first */
    struct binary_access *accesses;
    size_t access_count, access_capacity;
    bool failed;   /* an error was set: not merely the end of a cut-off file */
    bool has_next; /* `next` holds the stamped record that ended the last chunk */
    struct binary_unit next;
};

/* Reads up to and including the next stamped record: 1, 0 at the end, -1. */
int binary_records_chunk(struct binary_stream *stream, struct binary_places *places,
                         struct error *error);

#endif
