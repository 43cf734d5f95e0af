/* SPDX-License-Identifier: MIT */
#include "trace/recorded/binary_records.h"

#include "trace/wire.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What a RECORD_SYNC may say; everything else is recorded as an access. */
#define OPS_STAMPED (OPS_SYNC | OP_BIT(EVENT_ALLOC) | OP_BIT(EVENT_FREE) | OPS_MISUSE)

__attribute__((cold)) static int bad(struct binary_stream *self, struct error *error,
                                     const char *reason)
{
    self->failed = true;
    return error_set(error, ERROR_INPUT, "%s: offset %" PRIu64 ": %s", self->path,
                     (uint64_t)(self->at - self->bytes), reason);
}

/* Each reading function takes the bytes after the type and returns where the record ends, NULL
 * with an error, or NULL without one when the file ends inside the record. */

#define GET(value)                                                                                 \
    do {                                                                                           \
        at = varint_get(at, self->end, &(value));                                                  \
        if (!at)                                                                                   \
            return NULL;                                                                           \
    } while (0)
#define GET_BYTE(value)                                                                            \
    do {                                                                                           \
        if (at == self->end)                                                                       \
            return NULL;                                                                           \
        (value) = *at++;                                                                           \
    } while (0)

static const uint8_t *read_node(struct binary_stream *self, struct binary_places *places,
                                const uint8_t *at, struct error *error)
{
    uint64_t parent, delta;
    GET(parent);
    GET(delta);
    if (parent > self->stacks.count)
        return bad(self, error, "a call stack refers to one not defined yet"), NULL;
    self->pc += unzigzag(delta);
    uint32_t outer = parent ? self->stacks.items[parent - 1] : 0;
    array_push(&self->stacks, binary_places_stack(places, outer, self->pc));
    return at;
}

static const uint8_t *read_site(struct binary_stream *self, struct binary_places *places,
                                const uint8_t *at, struct error *error)
{
    uint64_t slot, delta, node;
    uint8_t op, size;
    GET(slot);
    GET_BYTE(op);
    GET_BYTE(size);
    GET(delta);
    GET(node);
    if (slot >= ENCODING_SITES)
        return bad(self, error, "a site outside the table"), NULL;
    if (op >= RECORD_OP_LIMIT || (op >= WIRE_EVENT_OPS && op < RECORD_OP_INIT))
        return bad(self, error, "an unknown operation"), NULL;
    if (node > self->stacks.count)
        return bad(self, error, "a site with an undefined call stack"), NULL;
    self->pc += unzigzag(delta);
    struct reader_site *site = &self->sites[slot];
    uint64_t address = site->predictor.address;
    *site = (struct reader_site){.bound = true,
                                 .op = op,
                                 .size = size,
                                 .location = binary_places_location(places, self->pc),
                                 .stack = node ? self->stacks.items[node - 1] : 0};
    if (op < EVENT_COUNT &&
        op_in(op, (OPS_SYNC & ~(OPS_ATOMIC | OP_BIT(EVENT_FENCE))) | OPS_MISUSE))
        binary_places_home(places, &site->location, &site->stack);
    site->predictor.address = address;
    return at;
}

static const uint8_t *read_slot(struct binary_stream *self, const uint8_t *at,
                                struct reader_site **site, struct error *error)
{
    uint64_t slot;
    GET(slot);
    if (slot >= ENCODING_SITES || !self->sites[slot].bound)
        return bad(self, error, "an undefined site"), NULL;
    *site = &self->sites[slot];
    return at;
}

static struct binary_access *access_at(struct binary_stream *self, uint64_t tick,
                                       const struct reader_site *site, struct error *error)
{
    if (tick >= ENCODING_CHUNK_TICKS)
        return bad(self, error, "too many accesses between two stamps"), NULL;
    if (!(op_in(site->op & 63, OPS_ACCESS | (OPS_LOCAL & ~OPS_MISUSE))) || site->op >= EVENT_COUNT)
        return bad(self, error, "an access record of a site that is none"), NULL;
    if (tick >= self->access_capacity) {
        size_t capacity = self->access_capacity ? self->access_capacity : 64;
        while (capacity <= tick)
            capacity *= 2;
        self->accesses = memory_resize(self->accesses, capacity, sizeof *self->accesses);
        self->access_capacity = capacity;
    }
    while (self->access_count <= tick)
        self->accesses[self->access_count++].present = false;
    struct binary_access *access = &self->accesses[tick];
    if (access->present)
        return bad(self, error, "two accesses in one place"), NULL;
    *access = (struct binary_access){.op = site->op,
                                     .size = site->size,
                                     .location = site->location,
                                     .stack = site->stack,
                                     .length = site->size,
                                     .address = site->predictor.address,
                                     .present = true};
    return access;
}

static const uint8_t *read_single(struct binary_stream *self, const uint8_t *at, unsigned first,
                                  struct error *error)
{
    struct reader_site *site;
    uint64_t gap, delta, length = 0, value = 0;
    bool range = (first & RECORD_TYPE_MASK) == RECORD_RANGE;
    bool has_value = !range && first & RECORD_VALUE;
    if (!(at = read_slot(self, at, &site, error)))
        return NULL;
    GET(gap);
    GET(delta);
    if (range)
        GET(length);
    if (has_value)
        GET(value);
    if (gap >= ENCODING_CHUNK_TICKS)
        return bad(self, error, "too many accesses between two stamps"), NULL;
    uint32_t tick = self->last_tick + (uint32_t)gap;
    uint64_t address = site->predictor.address + unzigzag(delta);
    predictor_single(&site->predictor, self->chunk, address, tick);
    struct binary_access *access = access_at(self, tick, site, error);
    if (!access)
        return NULL;
    if (range)
        access->length = length;
    access->value = value;
    access->has_value = has_value;
    self->last_tick = tick;
    return at;
}

static const uint8_t *read_run(struct binary_stream *self, const uint8_t *at, struct error *error)
{
    struct reader_site *site;
    if (!(at = read_slot(self, at, &site, error)) || self->end - at < 4)
        return NULL;
    uint32_t count;
    memcpy(&count, at, 4);
    struct predictor *predictor = &site->predictor;
    if (predictor->chunk != self->chunk || predictor->steps != 2 || !predictor->tick_stride)
        return bad(self, error, "a run without a stride"), NULL;
    for (uint32_t i = 0; i < count; i++) {
        predictor_advance(predictor);
        if (!access_at(self, predictor->tick, site, error))
            return NULL;
        if (i == 0)
            self->last_tick = predictor->tick;
    }
    return at + 4;
}

static const uint8_t *read_stamp(struct binary_stream *self, const uint8_t *at, uint64_t *stamp,
                                 struct error *error)
{
    uint64_t delta;
    GET(delta);
    if (__builtin_add_overflow(self->stamp, delta, stamp))
        return bad(self, error, "a stamp overflows"), NULL;
    return at;
}

static const uint8_t *read_sync(struct binary_stream *self, const uint8_t *at, unsigned first,
                                struct error *error)
{
    struct reader_site *site;
    struct binary_unit unit = {.is_record = true, .flags = (uint8_t)(first >> RECORD_FLAG_SHIFT)};
    uint64_t delta;
    if (!(at = read_slot(self, at, &site, error)) ||
        !(at = read_stamp(self, at, &unit.stamp, error)))
        return NULL;
    GET(delta);
    unit.op = site->op;
    if (unit.op < EVENT_COUNT && !op_in(unit.op, OPS_STAMPED))
        return bad(self, error, "an access recorded as synchronisation"), NULL;
    if (record_has_other(unit.op))
        GET(unit.other);
    if (unit.flags & EVENT_HAS_VALUE)
        GET(unit.value);
    site->predictor.address += unzigzag(delta);
    unit.object = site->predictor.address;
    unit.size = site->size;
    if (record_has_order(unit.op)) {
        unit.order = site->size >> RECORD_ORDER_SHIFT;
        unit.size = site->size & RECORD_SIZE_MASK;
        unit.repeat = unit.flags & RECORD_REPEAT;
        unit.flags &= (uint8_t)~RECORD_REPEAT;
    }
    if (unit.order > ORDER_SEQ_CST)
        return bad(self, error, "an unknown memory order"), NULL;
    unit.location = site->location;
    unit.stack = site->stack;
    self->next = unit;
    return at;
}

static const uint8_t *read_name(struct binary_stream *self, struct binary_places *places,
                                const uint8_t *at, struct error *error)
{
    uint64_t address;
    uint8_t length;
    GET(address);
    GET_BYTE(length);
    if (length > ENCODING_LABEL_MAX)
        return bad(self, error, "a label that is too long"), NULL;
    if (self->end - at < length)
        return NULL;
    if (memchr(at, 0, length))
        return bad(self, error, "a label with a zero byte"), NULL;
    binary_places_name(places, address, (const char *)at, length);
    return at + length;
}

/* What is left of a window of the stream when the next one begins. */
static const uint8_t *skip_padding(const struct binary_stream *self, const uint8_t *at)
{
    uint32_t skip;
    if (self->end - at < 4)
        return NULL;
    memcpy(&skip, at, 4);
    return (uint64_t)(self->end - at) - 4 < skip ? self->end : at + 4 + skip;
}

int binary_records_chunk(struct binary_stream *self, struct binary_places *places,
                         struct error *error)
{
    self->access_count = 0;
    while (self->at < self->end && (*self->at & RECORD_TYPE_MASK) != RECORD_END) {
        unsigned first = *self->at;
        const uint8_t *at = self->at + 1;
        bool stamped = false;
        switch (first & RECORD_TYPE_MASK) {
        case RECORD_NODE:
            at = read_node(self, places, at, error);
            break;
        case RECORD_SITE:
            at = read_site(self, places, at, error);
            break;
        case RECORD_SINGLE:
        case RECORD_RANGE:
            at = read_single(self, at, first, error);
            break;
        case RECORD_RUN:
            at = read_run(self, at, error);
            break;
        case RECORD_NAME:
            at = read_name(self, places, at, error);
            break;
        case RECORD_CHUNK:
            self->next = (struct binary_unit){0};
            at = read_stamp(self, at, &self->next.stamp, error);
            stamped = true;
            break;
        case RECORD_SYNC:
            at = read_sync(self, at, first, error);
            stamped = true;
            break;
        case RECORD_PAD:
            at = skip_padding(self, at);
            break;
        default:
            bad(self, error, "an unknown record");
            at = NULL;
        }
        if (!at && self->failed)
            return -1;
        if (!at) /* cut off inside a record: all before it is whole */
            break;
        self->at = at;
        if (stamped) {
            self->stamp = self->next.stamp;
            self->last_tick = 0;
            self->chunk++;
            return 1;
        }
    }
    self->at = self->end;
    return 0;
}
