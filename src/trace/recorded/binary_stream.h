/* SPDX-License-Identifier: MIT */
/* Decodes one thread's stream (encoding.h) into units: a stamped record and the
 * accesses that follow it, in program order. */
#ifndef PREPLAY_TRACE_RECORDED_BINARY_STREAM_H
#define PREPLAY_TRACE_RECORDED_BINARY_STREAM_H

#include "base/error.h"
#include "trace/encoding.h"

#include <stddef.h>

/* Call stacks and locations are shared by all streams of a trace. */
struct binary_places;

struct binary_access {
    uint64_t address, length;
    uint64_t value;
    uint32_t location, stack;
    uint8_t op, size;
    bool has_value, present;
};

struct binary_unit {
    bool is_record; /* false: accesses only */
    uint8_t op;     /* enum event_op or enum record_op */
    uint8_t flags, order, size;
    bool repeat;
    uint64_t stamp, object, other, value;
    uint32_t location, stack;
    const struct binary_access *accesses; /* valid until the next call */
    size_t count;
};

struct binary_stream;

/* Maps the file and checks its header, which it copies out. Nothing beyond `limit`
 * bytes is looked at. */
struct binary_stream *binary_stream_open(const char *path, uint64_t limit,
                                         struct stream_header *header, struct error *error);
void binary_stream_close(struct binary_stream *stream);

/* The first unit's stamp without decoding more: 1, 0 if there is none, -1 on error. */
int binary_stream_first(const char *path, uint64_t limit, struct stream_header *header,
                        uint64_t *stamp, struct error *error);

/* 1 with a unit, 0 at the end, -1 on an error. */
int binary_stream_next(struct binary_stream *stream, struct binary_places *places,
                       struct binary_unit *unit, struct error *error);
/* The stamp of the unit that comes next: 1, 0 at the end, -1 on error. */
int binary_stream_peek(struct binary_stream *stream, struct binary_places *places, uint64_t *stamp,
                       struct error *error);

/* The call stack that is the stream's n-th; 0 if it has none of that number so far. */
uint32_t binary_stream_stack(const struct binary_stream *stream, uint32_t node);

/* Locations (program counters) and call stacks as dense ids. */
struct binary_places *binary_places_create(void);
void binary_places_destroy(struct binary_places *places);
uint32_t binary_places_location(struct binary_places *places, uint64_t pc);
uint32_t binary_places_stack(struct binary_places *places, uint32_t parent, uint64_t pc);
/* For synchronisation by code of the C++ library, which all of a program shares: moves on to the
 * caller that is the program's own, if the stack has one. Nothing without symbols. */
void binary_places_home(struct binary_places *places, uint32_t *location, uint32_t *stack);
struct symbols;
void binary_places_use(struct binary_places *places, struct symbols *symbols);
uint64_t binary_places_pc(const struct binary_places *places, uint32_t location);
/* The caller's location and the next outer stack; false for stack 0 and unknown ones. */
bool binary_places_frame(const struct binary_places *places, uint32_t stack, uint32_t *location,
                         uint32_t *outer);
/* The text of a block's label, which lay at this address in the target. */
void binary_places_name(struct binary_places *places, uint64_t address, const char *text,
                        size_t length);
const char *binary_places_label(const struct binary_places *places, uint64_t address);

#endif
