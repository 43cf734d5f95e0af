/* SPDX-License-Identifier: MIT */
#include "trace/recorded/binary_scan.h"

#include <string.h>

/* Each of these returns where the record ends, or NULL if it does not end before
 * `end`. */

static const uint8_t *skip(const uint8_t *at, const uint8_t *end, unsigned varints)
{
    uint64_t ignored;
    while (at && varints--)
        at = varint_get(at, end, &ignored);
    return at;
}

static const uint8_t *skip_site(struct binary_scan *scan, const uint8_t *at, const uint8_t *end)
{
    uint64_t slot;
    if (!(at = varint_get(at, end, &slot)) || end - at < 2)
        return NULL;
    uint8_t op = *at;
    at = skip(at + 2, end, 2);
    if (at && slot >= ENCODING_SITES)
        scan->broken = true;
    else if (at)
        scan->ops[slot] = op;
    return at;
}

static const uint8_t *skip_sync(struct binary_scan *scan, const uint8_t *at, const uint8_t *end,
                                unsigned first, uint64_t *stamp)
{
    uint64_t slot;
    if (!(at = varint_get(at, end, &slot)))
        return NULL;
    if (slot >= ENCODING_SITES) {
        scan->broken = true;
        return NULL;
    }
    bool value = (first >> RECORD_FLAG_SHIFT) & EVENT_HAS_VALUE;
    at = varint_get(at, end, stamp);
    return skip(at, end, 1u + record_has_other(scan->ops[slot]) + value);
}

static const uint8_t *skip_name(const uint8_t *at, const uint8_t *end)
{
    at = skip(at, end, 1);
    if (!at || at == end || end - at - 1 < *at)
        return NULL;
    return at + 1 + *at;
}

/* The space that is left in a part of the file before the next one begins. */
static const uint8_t *skip_pad(const uint8_t *at, const uint8_t *end, uint64_t *beyond)
{
    uint32_t length;
    if (end - at < 4)
        return NULL;
    memcpy(&length, at, 4);
    at += 4;
    if (length <= (size_t)(end - at))
        return at + length;
    *beyond = length - (size_t)(end - at);
    return end;
}

static const uint8_t *skip_run(const uint8_t *at, const uint8_t *end)
{
    at = skip(at, end, 1);
    return at && end - at >= 4 ? at + 4 : NULL;
}

static const uint8_t *skip_record(struct binary_scan *scan, const uint8_t *at, const uint8_t *end,
                                  uint64_t *stamp, uint64_t *beyond)
{
    unsigned first = *at++;
    switch (first & RECORD_TYPE_MASK) {
    case RECORD_NODE:
        return skip(at, end, 2);
    case RECORD_SITE:
        return skip_site(scan, at, end);
    case RECORD_SINGLE:
        return skip(at, end, first & RECORD_VALUE ? 4 : 3);
    case RECORD_RUN:
        return skip_run(at, end);
    case RECORD_RANGE:
        return skip(at, end, 4);
    case RECORD_CHUNK:
        return varint_get(at, end, stamp);
    case RECORD_SYNC:
        return skip_sync(scan, at, end, first, stamp);
    case RECORD_PAD:
        return skip_pad(at, end, beyond);
    case RECORD_NAME:
        return skip_name(at, end);
    default:
        scan->broken = true;
        return NULL;
    }
}

size_t binary_scan_records(struct binary_scan *scan, const uint8_t *bytes, size_t length, bool once)
{
    const uint8_t *at = bytes, *end = bytes + length;
    uint64_t beyond = 0, stamps = scan->stamps;
    while (at < end && (*at & RECORD_TYPE_MASK) != RECORD_END && !scan->broken && !beyond &&
           !(once && scan->stamps > stamps)) {
        uint64_t delta = UINT64_MAX;
        const uint8_t *next = skip_record(scan, at, end, &delta, &beyond);
        if (!next || scan->broken)
            break;
        if (delta != UINT64_MAX) {
            scan->stamp += delta;
            scan->stamps++;
        }
        at = next;
    }
    scan->offset += (size_t)(at - bytes) + beyond;
    return (size_t)(at - bytes) + beyond;
}
