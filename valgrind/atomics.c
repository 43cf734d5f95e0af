/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Atomic operations of a binary. Locked instructions are, whatever they were in the
 * source. Atomic loads, and stores weaker than sequentially consistent, are plain
 * moves on this machine: a move is taken for one if its address has met a locked
 * instruction before, or the program's debug information says so (target.c), of the
 * variable or of the code: std::atomic's functions, inlined as they are.
 *
 * One thread runs at a time and no record is written in the middle of another, so
 * the order of stamps is the order of operations without any lock; a slot whose lock
 * bit is set belongs to a thread of the target that was interrupted, and stays so. */
#include "tool.h"

#include "pub_tool_mallocfree.h"

enum { STACK_FENCE = 16 }; /* the runtime's object for all fences (src/runtime/atomic.c) */

uint8_t atomic_hints[ATOMIC_HINTS];

/* A set of addresses: open addressing, at most half full. Address 0 is no member. */
static struct {
    Addr *slots;
    uint64_t size, used; /* size is a power of two */
} known;

static uint64_t slot_of(Addr address)
{
    uint64_t at = (address >> 2) * UINT64_C(0x9e3779b97f4a7c15) >> 20;
    while (known.slots[at & (known.size - 1)] && known.slots[at & (known.size - 1)] != address)
        at++;
    return at & (known.size - 1);
}

bool atomic_known(Addr address)
{
    return known.used && known.slots[slot_of(address)] == address;
}

static void grow(void)
{
    Addr *old = known.slots;
    uint64_t count = known.size;
    known.size = count ? 2 * count : 256;
    known.slots = VG_(calloc)("preplay.atomics", known.size, sizeof *known.slots);
    for (uint64_t i = 0; i < count; i++)
        if (old[i])
            known.slots[slot_of(old[i])] = old[i];
    VG_(free)(old);
}

void atomic_declare(Addr address)
{
    if (2 * (known.used + 1) > known.size)
        grow();
    uint64_t at = slot_of(address);
    if (known.slots[at])
        return;
    known.slots[at] = address;
    known.used++;
    atomic_hints[address >> 3 & (ATOMIC_HINTS - 1)] = 1;
}

/* The addresses behind it in its cluster must still be found. */
static void become_unknown(Addr address)
{
    uint64_t at = slot_of(address);
    if (!known.slots[at])
        return;
    known.slots[at] = 0;
    known.used--;
    for (uint64_t next = at + 1; known.slots[next & (known.size - 1)]; next++) {
        Addr moved = known.slots[next & (known.size - 1)];
        known.slots[next & (known.size - 1)] = 0;
        known.slots[slot_of(moved)] = moved;
    }
}

/* Memory that is new has no past. */
void atomic_forget(Addr address, UWord length)
{
    if (!known.used)
        return;
    for (Addr at = address & ~(Addr)7; at < address + length; at += 8)
        if (atomic_hinted(at))
            for (Addr byte = at; byte < at + 8; byte++)
                become_unknown(byte);
}

/* --- code ------------------------------------------------------------------------------------ */

static struct {
    struct code_range {
        Addr low, high;
    } * items;
    UWord count, room;
} code;

void atomic_code_declare(Addr low, Addr high)
{
    if (code.count == code.room) {
        code.room = code.room ? 2 * code.room : 64;
        code.items = VG_(realloc)("preplay.code", code.items, code.room * sizeof *code.items);
    }
    code.items[code.count++] = (struct code_range){low, high};
}

bool atomic_code_holds(Addr pc)
{
    UWord low = 0, high = code.count;
    while (low < high) {
        UWord middle = low + (high - low) / 2;
        if (code.items[middle].high <= pc)
            low = middle + 1;
        else
            high = middle;
    }
    return low < code.count && code.items[low].low <= pc;
}

/* --- what is recorded ------------------------------------------------------------------------ */

static void write_record(struct recorder *self, struct sync_record *record)
{
    if (!recorder_enter(self))
        return;
    access_frames(self, record->pc);
    write_sync(self, record);
    recorder_leave(self);
}

static uint64_t value_at(Addr address, uint32_t size)
{
    switch (size) {
    case 1:
        return *(const uint8_t *)address;
    case 2:
        return *(const uint16_t *)address;
    case 4:
        return *(const uint32_t *)address;
    default:
        return *(const uint64_t *)address;
    }
}

static void write_atomic(struct recorder *self, Addr address, ULong place, unsigned op,
                         unsigned order, uint64_t stamp, uint64_t clock)
{
    uint32_t size = PLACE_SIZE(place);
    self->gate.passed &= (uint8_t)~HOST_GATE_BIT(op);
    bool repeat = false;
    if (op == EVENT_ATOMIC_LOAD)
        repeat =
            spins_note(&self->spins, address, PLACE_PC(place), self->sync_index, clock, (int)order);
    else
        self->sync_index++;
    struct sync_record record = {
        .stamp = stamp,
        .object = address,
        .pc = PLACE_PC(place),
        .op = (uint8_t)op,
        .size = (uint8_t)size,
        .order = (uint8_t)order,
        .flags = (uint8_t)((tool_values && size <= 8 ? EVENT_HAS_VALUE : 0) |
                           (repeat ? RECORD_REPEAT : 0)),
    };
    if (record.flags & EVENT_HAS_VALUE)
        record.value = value_at(address, size);
    write_record(self, &record);
}

static void changed_memory(struct recorder *self, Addr address, ULong place, unsigned op,
                           unsigned order)
{
    struct slot *slot = stamp_slot(address);
    uint64_t clock = atomic_load_explicit(&slot->clock, memory_order_relaxed);
    uint64_t stamp = stamp_next(&self->stamper, slot_floor(slot, clock));
    atomic_store_explicit(&slot->clock, stamp << 1 | (clock & 1), memory_order_relaxed);
    write_atomic(self, address, place, op, order, stamp, stamp);
}

void atomic_load_made(Addr address, ULong place)
{
    struct recorder *self = tool_current;
    struct slot *slot = stamp_slot(address);
    uint64_t clock = atomic_load_explicit(&slot->clock, memory_order_relaxed) >> 1;
    if (self->ignore_sync)
        return;
    const struct spin *spin = spins_find(&self->spins, address, PLACE_PC(place), self->sync_index);
    if (spin && spin->clock == clock) { /* it spins: nothing new to see */
        spins_turn(&self->spins, spin);
        return;
    }
    uint64_t stamp = stamp_load(slot, &self->stamper);
    write_atomic(self, address, place, EVENT_ATOMIC_LOAD, ORDER_ACQUIRE, stamp, clock);
}

void atomic_store_made(Addr address, ULong place)
{
    struct recorder *self = tool_current;
    if (!self->ignore_sync)
        changed_memory(self, address, place, EVENT_ATOMIC_STORE, ORDER_RELEASE);
}

VG_REGPARM(2) void atomic_move_load(Addr address, ULong place)
{
    if (tool_current)
        atomic_load_made(address, place);
}

VG_REGPARM(2) void atomic_move_store(Addr address, ULong place)
{
    if (tool_current)
        atomic_store_made(address, place);
}

VG_REGPARM(3) void atomic_exchange_made(Addr address, ULong place, ULong changed)
{
    struct recorder *self = tool_current;
    if (!self || self->ignore_sync)
        return;
    atomic_declare(address);
    if (changed)
        changed_memory(self, address, place, EVENT_ATOMIC_RMW, ORDER_SEQ_CST);
    else
        atomic_load_made(address, place);
}

VG_REGPARM(1) void atomic_fence_made(ULong place)
{
    struct recorder *self = tool_current;
    if (!self || self->ignore_sync)
        return;
    self->sync_index++;
    struct slot *slot = stamp_slot(STACK_FENCE);
    uint64_t clock = atomic_load_explicit(&slot->clock, memory_order_relaxed);
    struct sync_record record = {.op = EVENT_FENCE,
                                 .order = ORDER_SEQ_CST,
                                 .object = STACK_FENCE,
                                 .pc = PLACE_PC(place),
                                 .stamp = stamp_above(&self->stamper, slot_floor(slot, clock))};
    atomic_store_explicit(&slot->clock, record.stamp << 1 | (clock & 1), memory_order_relaxed);
    write_record(self, &record);
}
