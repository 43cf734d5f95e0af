/* SPDX-License-Identifier: MIT */
#include "runtime/recorder.h"

/* Two ways: a block sits at its index or at the neighbour of it. The fast path
 * looks at the first only, so a block found in the second costs a little more,
 * and two hot blocks of one index do not throw each other out for ever. */
static granule_mask *block_masks(struct recorder *self, uintptr_t address, bool make)
{
    uintptr_t block = address >> FILTER_BLOCK_SHIFT;
    uint64_t tag = block | self->segment;
    uint64_t index = filter_index(block);
    if (self->tags[index] == tag)
        return self->masks[index];
    if (self->tags[index ^ 1] == tag)
        return self->masks[index ^ 1];
    if (!make)
        return NULL;
    uint64_t segment_of_first = self->tags[index] & ~((UINT64_C(1) << FILTER_TAG_BITS) - 1);
    if (segment_of_first == self->segment)
        index ^= 1;
    self->tags[index] = tag;
    typedef uint64_t lane __attribute__((vector_size(16)));
    lane *lanes = (lane *)(void *)self->masks[index];
    for (unsigned i = 0; i < sizeof self->masks[index] / (sizeof *lanes); i++)
        lanes[i] = (lane){0, 0};
    return self->masks[index];
}

static inline unsigned byte_bits(unsigned first, unsigned last)
{
    return (0xffu << first) & (0xffu >> (7 - last)) & 0xffu;
}

static bool bytes_are_new(struct recorder *self, uintptr_t address, uint64_t length, bool write)
{
    bool fresh = false;
    if (likely((address & 7) + length <= 8)) {
        unsigned first = address & 7, last = first + (unsigned)length - 1;
        granule_mask bits = (granule_mask)(byte_bits(first, last) << (write ? 8 : 0));
        granule_mask *mask =
            &block_masks(self, address, true)[address >> 3 & (FILTER_GRANULES - 1)];
        fresh = (*mask & bits) != bits;
        *mask |= bits;
        return fresh;
    }
    uintptr_t end = address + length; /* exclusive */
    while (address < end) {
        granule_mask *masks = block_masks(self, address, true);
        uintptr_t block_end = (address | ((1u << FILTER_BLOCK_SHIFT) - 1)) + 1;
        uintptr_t stop = block_end < end ? block_end : end;
        while (address < stop) {
            uintptr_t granule_end = (address | 7) + 1;
            uintptr_t last = (granule_end < stop ? granule_end : stop) - 1;
            granule_mask bits = (granule_mask)(byte_bits(address & 7, last & 7) << (write ? 8 : 0));
            granule_mask *mask = &masks[address >> 3 & (FILTER_GRANULES - 1)];
            fresh |= (*mask & bits) != bits;
            *mask |= bits;
            address = last + 1;
        }
        if (!address)
            break;
    }
    return fresh;
}

/* --- places ------------------------------------------------------------------- */

/* Marks bytes of one line; true if some of them were not. Two ways, as for blocks. */
static inline bool line_add(struct recorder *self, uint64_t line, uint64_t bits, uint64_t place)
{
    uint64_t index = place_index(line, place);
    struct place_entry *entry = &self->places[index];
    if (!place_is(self, entry, line, place)) {
        bool taken = entry->time >= self->section;
        struct place_entry *second = &self->places[index ^ 1];
        if (taken || place_is(self, second, line, place))
            entry = second;
        if (!place_is(self, entry, line, place)) {
            *entry = (struct place_entry){line, place, place_time(self, line), bits};
            return true;
        }
    }
    bool fresh = (bits & ~entry->bytes) != 0;
    entry->bytes |= bits;
    return fresh;
}

static inline bool place_is_new(struct recorder *self, uintptr_t address, uint64_t length,
                                uint64_t place)
{
    bool fresh = false;
    while (length) {
        unsigned first = address % PLACE_LINE;
        uint64_t part = length < PLACE_LINE - first ? length : PLACE_LINE - first;
        uint64_t bits = UINT64_MAX >> (PLACE_LINE - part) << first;
        fresh |= line_add(self, address / PLACE_LINE, bits, place);
        address += part;
        length -= part;
    }
    return fresh;
}

static void forget_places(struct recorder *self, uintptr_t address, uint64_t length)
{
    uint64_t last = (address + length - 1) / PLACE_LINE;
    for (uint64_t line = address / PLACE_LINE; line <= last; line++)
        if (!++self->ages[line & (PLACE_AGES - 1)])
            self->section += UINT64_C(1) << 16; /* so that times still rise */
}

/* --- both --------------------------------------------------------------------- */

bool filter_add(struct recorder *self, uintptr_t address, uint64_t length, bool write, uintptr_t pc)
{
    bool fresh = bytes_are_new(self, address, length, write);
    if (!self->repeats || !place_is_new(self, address, length, place_of(pc, write)))
        return fresh;
    self->repeats -= !fresh;
    return true;
}

void filter_forget(struct recorder *self, uintptr_t address, uint64_t length)
{
    if (length > UINT64_C(1) << 20) {
        filter_new_segment(self);
        return;
    }
    if (length)
        forget_places(self, address, length);
    uintptr_t end = address + length;
    while (address < end) {
        granule_mask *masks = block_masks(self, address, false);
        uintptr_t block_end = (address | ((1u << FILTER_BLOCK_SHIFT) - 1)) + 1;
        uintptr_t stop = block_end < end ? block_end : end;
        if (masks)
            for (uintptr_t at = address & ~(uintptr_t)7; at < stop; at += 8)
                masks[at >> 3 & (FILTER_GRANULES - 1)] = 0;
        address = stop;
    }
}

void filter_wipe(struct recorder *self)
{
    for (unsigned i = 0; i < FILTER_BLOCKS; i++)
        self->tags[i] = 0;
    self->segment = UINT64_C(1) << FILTER_TAG_BITS;
}
