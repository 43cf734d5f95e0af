/* SPDX-License-Identifier: MIT */
/* Writes records into the thread's own stream. The type byte goes last, behind a
 * compiler barrier: stores of one thread become visible in order, so a killed
 * process leaves complete records and then zeros. */
#include "runtime/recorder.h"

static inline void finish_record(struct recorder *self, uint8_t *end, unsigned type)
{
    uint8_t *start = self->cursor;
    self->cursor = end;
    __atomic_store_n(start, (uint8_t)type, __ATOMIC_RELEASE);
}

/* --- call stacks ------------------------------------------------------- */

static uint32_t node_id(struct recorder *self, uint32_t parent, uint64_t pc)
{
    uint64_t mixed = (pc ^ (uint64_t)parent << 32) * UINT64_C(0x9e3779b97f4a7c15);
    struct stack_node *node = &self->node_cache[mixed >> 50];
    if (node->pc == pc && node->parent == parent && node->generation == self->generation)
        return node->id;
    if (!stream_room(self))
        return 0;
    modules_note(pc);
    uint8_t *at = varint_put(self->cursor + 1, parent);
    at = varint_put(at, zigzag(pc - self->last_pc));
    self->last_pc = pc;
    node->pc = pc;
    node->parent = parent;
    node->generation = self->generation;
    node->id = ++self->nodes;
    finish_record(self, at, RECORD_NODE);
    return node->id;
}

uint32_t stack_current(struct recorder *self)
{
    uint32_t depth = self->depth < RECORDER_FRAMES ? self->depth : RECORDER_FRAMES;
    uint32_t known = depth;
    while (known && !self->frames[known - 1].node)
        known--;
    uint32_t node = known ? self->frames[known - 1].node : 0;
    for (; known < depth; known++) {
        node = node_id(self, node, self->frames[known].pc);
        self->frames[known].node = node;
    }
    return node;
}

/* --- sites -------------------------------------------------------------- */

static __attribute__((noinline)) struct site *bind_site(struct recorder *self, struct site *site,
                                                        uintptr_t pc, uint64_t key)
{
    bool recycled = key >> 48 != site->key >> 48;
    uint32_t number = recycled ? self->sites_used++ : site->number;
    modules_note(pc);
    uint8_t *at = varint_put(self->cursor + 1, number);
    *at++ = (uint8_t)(key >> 32);
    *at++ = (uint8_t)(key >> 40);
    at = varint_put(at, zigzag(pc - self->last_pc));
    at = varint_put(at, (uint32_t)key);
    self->last_pc = pc;
    /* The address survives: what a slot's next site touches is often near. */
    uint64_t address = recycled ? 0 : site->predictor.address;
    *site = (struct site){.pc = pc, .key = key, .number = number, .predictor.address = address};
    finish_record(self, at, RECORD_SITE);
    return site;
}

/* The caller has made room for two records. */
static inline struct site *find_site(struct recorder *self, unsigned op, unsigned size,
                                     uintptr_t pc)
{
    uint32_t top = self->depth - 1;
    uint32_t node = likely(top < RECORDER_FRAMES) ? self->frames[top].node : 0;
    if (unlikely(!node) && self->depth)
        node = stack_current(self);
    uint64_t key = node | (uint64_t)op << 32 | (uint64_t)(size & 0xff) << 40 |
                   (uint64_t)self->generation << 48;
    uint64_t mixed = pc ^ pc >> 11 ^ op << 3 ^ (uint64_t)node * 37;
    struct site *site = &self->sites[mixed & (ENCODING_SITES - 1)];
    if (likely(site->pc == pc && site->key == key))
        return site;
    return stream_room(self) ? bind_site(self, site, pc, key) : site;
}

/* A chunk that is full ends at the present time. */
static void write_chunk_end_now(struct recorder *self)
{
    uint64_t stamp = stamp_above(&self->stamper, 0);
    if (unlikely(recorder_pending(self)))
        write_pending(self, stamp);
    if (stream_room(self) && self->last_stamp < stamp)
        write_chunk_end(self, stamp);
}

/* --- accesses ----------------------------------------------------------- */

static uint64_t load_value(uintptr_t address, uint32_t size)
{
    switch (size) {
    case 1:
        return *(const volatile uint8_t *)address;
    case 2:
        return *(const volatile uint16_t *)address;
    case 4:
        return *(const volatile uint32_t *)address;
    default:
        return *(const volatile uint64_t *)address;
    }
}

static void write_single(struct recorder *self, struct site *site, uintptr_t address,
                         const uint64_t *value)
{
    uint32_t tick = self->tick++;
    struct predictor *predictor = &site->predictor;
    uint8_t *at = varint_put(self->cursor + 1, site->number);
    at = varint_put(at, tick - self->last_tick);
    at = varint_put(at, zigzag(address - predictor->address));
    if (value)
        at = varint_put(at, *value);
    self->last_tick = tick;
    site->run = NULL;
    predictor_single(predictor, self->chunk, address, tick);
    finish_record(self, at, value ? RECORD_SINGLE | RECORD_VALUE : RECORD_SINGLE);
}

static void extend_run(struct recorder *self, struct site *site)
{
    uint32_t tick = self->tick++;
    if (likely(site->run != NULL)) {
        uint32_t count;
        __builtin_memcpy(&count, site->run, 4);
        count++;
        __builtin_memcpy(site->run, &count, 4);
    } else {
        uint8_t *at = varint_put(self->cursor + 1, site->number);
        uint32_t one = 1;
        __builtin_memcpy(at, &one, 4);
        site->run = at;
        self->last_tick = tick;
        finish_record(self, at + 4, RECORD_RUN);
    }
    predictor_advance(&site->predictor);
}

/* --blocks: functions are written as blocks when the first thing happens inside
 * them, so that the many in which nothing does cost nothing. */
static void write_blocks_begin(struct recorder *self)
{
    uint32_t depth = self->depth < RECORDER_FRAMES ? self->depth : RECORDER_FRAMES;
    while (self->begun < depth && stream_room(self)) {
        uintptr_t own = self->frames[self->begun++].own;
        if (!own) /* not the program's (host.h) */
            continue;
        struct site *site = find_site(self, EVENT_BLOCK_BEGIN, 0, own);
        if (stream_room(self))
            write_single(self, site, 0, NULL);
        if (self->tick == ENCODING_CHUNK_TICKS)
            write_chunk_end_now(self);
    }
}

void write_blocks_end(struct recorder *self, uint32_t depth)
{
    while (self->begun > depth && stream_room(self)) {
        uintptr_t own = self->frames[--self->begun].own;
        if (!own)
            continue;
        struct site *site = find_site(self, EVENT_BLOCK_END, 0, own);
        if (stream_room(self))
            write_single(self, site, 0, NULL);
        if (self->tick == ENCODING_CHUNK_TICKS)
            write_chunk_end_now(self);
    }
}

void write_label(struct recorder *self, const char *label)
{
    uintptr_t *known = &self->labels[(uintptr_t)label >> 3 & (RECORDER_LABELS - 1)];
    if (*known == (uintptr_t)label || !stream_room(self))
        return;
    *known = (uintptr_t)label;
    uint8_t length = 0;
    while (label[length] && length < ENCODING_LABEL_MAX)
        length++;
    uint8_t *at = varint_put(self->cursor + 1, (uintptr_t)label);
    *at++ = length;
    for (uint8_t i = 0; i < length; i++)
        *at++ = (uint8_t)label[i];
    finish_record(self, at, RECORD_NAME);
}

void write_access(struct recorder *self, uintptr_t address, uint32_t size, unsigned op,
                  uintptr_t pc)
{
    if (unlikely(process.blocks))
        write_blocks_begin(self);
    if (unlikely(!stream_room(self)))
        return;
    struct site *site = find_site(self, op, size, pc);
    if (unlikely(!stream_room(self)))
        return;
    if (unlikely(process.values) && op == EVENT_READ && size <= 8) {
        uint64_t value = load_value(address, size);
        write_single(self, site, address, &value);
    } else if (predictor_fits(&site->predictor, self->chunk, address, self->tick)) {
        extend_run(self, site);
    } else {
        write_single(self, site, address, NULL);
    }
    if (unlikely(self->tick == ENCODING_CHUNK_TICKS))
        write_chunk_end_now(self);
}

/* The store has happened by now: this is the next thing its thread does. */
void write_late_value(struct recorder *self)
{
    uintptr_t address = self->late_address;
    self->late_address = 0;
    if (!address || !stream_room(self))
        return;
    struct site *site = find_site(self, EVENT_WRITE, self->late_size, self->late_pc);
    if (!stream_room(self))
        return;
    uint64_t value = load_value(address, self->late_size);
    write_single(self, site, address, &value);
    if (self->tick == ENCODING_CHUNK_TICKS)
        write_chunk_end_now(self);
}

void write_range(struct recorder *self, uintptr_t address, uint64_t length, unsigned op,
                 uintptr_t pc)
{
    if (unlikely(process.blocks))
        write_blocks_begin(self);
    if (!stream_room(self))
        return;
    struct site *site = find_site(self, op, 0, pc);
    if (!stream_room(self))
        return;
    uint32_t tick = self->tick++;
    uint8_t *at = varint_put(self->cursor + 1, site->number);
    at = varint_put(at, tick - self->last_tick);
    at = varint_put(at, zigzag(address - site->predictor.address));
    at = varint_put(at, length);
    self->last_tick = tick;
    site->run = NULL;
    predictor_single(&site->predictor, self->chunk, address, tick);
    finish_record(self, at, RECORD_RANGE);
    if (self->tick == ENCODING_CHUNK_TICKS)
        write_chunk_end_now(self);
}

/* --- stamped records ---------------------------------------------------- */

static void next_chunk(struct recorder *self, uint64_t stamp)
{
    self->last_stamp = stamp;
    self->tick = self->last_tick = 0;
    self->chunk++;
}

void write_chunk_end(struct recorder *self, uint64_t stamp)
{
    uint8_t *at = varint_put(self->cursor + 1, stamp - self->last_stamp);
    next_chunk(self, stamp);
    finish_record(self, at, RECORD_CHUNK);
}

static void write_stamped(struct recorder *self, const struct sync_record *record)
{
    if (unlikely(process.blocks) && record->op != EVENT_END)
        write_blocks_begin(self);
    if (!stream_room(self))
        return;
    unsigned size = record->size | (unsigned)record->order << RECORD_ORDER_SHIFT;
    struct site *site = find_site(self, record->op, size, record->pc);
    if (!stream_room(self))
        return;
    uint8_t *at = varint_put(self->cursor + 1, site->number);
    at = varint_put(at, record->stamp - self->last_stamp);
    at = varint_put(at, zigzag(record->object - site->predictor.address));
    if (record_has_other(record->op))
        at = varint_put(at, record->other);
    if (record->flags & EVENT_HAS_VALUE)
        at = varint_put(at, record->value);
    site->predictor.address = record->object;
    next_chunk(self, record->stamp);
    finish_record(self, at, RECORD_SYNC | (unsigned)record->flags << RECORD_FLAG_SHIFT);
    if (!record_is_local(record->op))
        filter_new_segment(self);
}

void write_pending(struct recorder *self, uint64_t stamp)
{
    while (self->pending_head != self->pending_tail) {
        const struct sync_record *record = &self->pending[self->pending_head % RECORDER_PENDING];
        if (record->stamp >= stamp)
            return;
        if (record->stamp > self->last_stamp)
            write_stamped(self, record);
        self->pending_head++;
    }
}

void write_sync(struct recorder *self, const struct sync_record *record)
{
    if (unlikely(self->late_address))
        write_late_value(self);
    if (unlikely(recorder_pending(self)))
        write_pending(self, record->stamp);
    if (unlikely(record->stamp <= self->last_stamp))
        return; /* a handler's later stamp is written already: too late for this one */
    write_stamped(self, record);
}
