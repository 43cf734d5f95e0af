/* SPDX-License-Identifier: MIT */
/* Walks over a stream's records (encoding.h) without decoding what they say: where
 * each ends, and the stamps. It goes on where it stopped when the stream has grown,
 * so that a stream can be followed while its thread still writes it. */
#ifndef PREPLAY_TRACE_RECORDED_BINARY_SCAN_H
#define PREPLAY_TRACE_RECORDED_BINARY_SCAN_H

#include "trace/encoding.h"

#include <stddef.h>

struct binary_scan {
    uint64_t offset; /* in the file: the end of the last whole record */
    uint64_t stamp;  /* of the last stamped record */
    uint64_t stamps; /* how many there were */
    bool broken;     /* what follows is no record: nothing more is read */
    uint8_t ops[ENCODING_SITES];
};

/* `bytes` are the file's from scan->offset on. Moves over the whole records in them,
 * with `once` not beyond the first stamped one; the number of bytes that took. */
size_t binary_scan_records(struct binary_scan *scan, const uint8_t *bytes, size_t length,
                           bool once);

#endif
