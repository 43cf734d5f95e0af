/* SPDX-License-Identifier: MIT */
#include "runtime/sync.h"

#include "runtime/enforce.h"
#include "runtime/host.h"
#include "runtime/thread.h"

#define OPS_THREADS                                                                                \
    (OP_BIT(EVENT_START) | OP_BIT(EVENT_END) | OP_BIT(EVENT_FORK) | OP_BIT(EVENT_JOIN))

static void put_aside(struct recorder *self, const struct sync_record *record)
{
    uint32_t tail = self->pending_tail;
    if (tail - self->pending_head >= RECORDER_PENDING)
        return;
    self->pending[tail % RECORDER_PENDING] = *record;
    __asm__ volatile("" ::: "memory");
    self->pending_tail = tail + 1;
}

void sync_write(struct recorder *self, bool entered, struct sync_record *record)
{
    if (unlikely(!entered)) {
        put_aside(self, record);
        return;
    }
    /* Also when the recording has stopped, as long as there is room: other threads' records up to
     * the end may be later than this one, and so are the accesses that follow. */
    host_frames(self, record->pc);
    write_sync(self, record);
    recorder_leave(self);
}

void sync_take_note(struct recorder *self, struct sync_record *record)
{
    bool waits = record->op == EVENT_WAIT_BEGIN || record->op == EVENT_WAIT_END;
    bool entered = recorder_enter(self);
    if (waits)
        stamp_take(&self->stamper, record->other);
    bool lifecycle = record->op < EVENT_COUNT && op_in(record->op, OPS_THREADS);
    record->stamp = stamp_take(&self->stamper, lifecycle ? THREADS_OBJECT : record->object);
    /* The stamp is above both objects' clocks; both must know it. */
    if (waits)
        stamp_raise(stamp_slot(record->other), &self->stamper, record->stamp);
    sync_write(self, entered, record);
}

void sync_note(struct recorder *self, struct sync_record *record)
{
    sync_take_note(self, record);
    /* Only now: whoever comes next must get a higher stamp. */
    if (record->op < EVENT_COUNT)
        enforce_passed(self, record->op);
}

/* The recorder, if the operation is to be recorded; from now on it is in `sync` only then. */
static struct recorder *wanted(struct sync *sync)
{
    if (sync->recorder && sync->recorder->ignore_sync)
        sync->recorder = NULL;
    return sync->recorder;
}

void sync_approach(struct sync *sync)
{
    struct recorder *self = wanted(sync);
    if (!self)
        return;
    host_switch();
    recorder_code_runs(self, sync->record.pc);
    self->sync_index++;
    if (unlikely(enforce_active))
        sync->outcome = (uint8_t)enforce_approach(self, sync->record.op);
}

void sync_before(struct sync *sync)
{
    sync_approach(sync);
    if (sync->recorder && op_in(sync->record.op, SYNC_RECORDED_BEFORE))
        sync_note(sync->recorder, &sync->record);
}

void sync_begin(struct sync *sync)
{
    sync_approach(sync);
    if (sync->recorder)
        sync_take_note(sync->recorder, &sync->record);
}

void sync_after(struct sync *sync)
{
    if (sync->recorder && !op_in(sync->record.op, SYNC_RECORDED_BEFORE))
        sync_note(sync->recorder, &sync->record);
}

void sync_failed(struct sync *sync)
{
    sync->record.flags |= EVENT_TRY | EVENT_FAILED;
    sync_after(sync);
}

void sync_before_locked(struct sync *sync)
{
    struct recorder *self = wanted(sync);
    if (!self)
        return;
    recorder_code_runs(self, sync->record.pc);
    self->sync_index++;
    if (unlikely(enforce_active))
        enforce_approach(self, sync->record.op); /* before the slot is locked: it sleeps */
    struct slot *slot = stamp_slot(sync->record.object);
    bool entered = recorder_enter(self);
    sync->record.stamp = stamp_lock(slot, &self->stamper);
    sync_write(self, entered, &sync->record);
}

void sync_unlock(struct sync *sync)
{
    if (!sync->recorder)
        return;
    stamp_unlock(stamp_slot(sync->record.object), &sync->recorder->stamper);
    enforce_passed(sync->recorder, sync->record.op);
}

static void edge(unsigned op, const volatile void *address, enum memory_order_name order,
                 uintptr_t pc)
{
    struct sync sync = SYNC_AT(op, (uintptr_t)address | RECORD_EDGE, pc);
    sync.record.size = 1;
    sync.record.order = (uint8_t)order;
    sync_before(&sync);
    sync_after(&sync);
}

void sync_edge(unsigned op, const volatile void *address, uintptr_t pc)
{
    edge(op, address, op == EVENT_ATOMIC_LOAD ? ORDER_ACQUIRE : ORDER_ACQ_REL, pc);
}

void sync_release(const volatile void *address, uintptr_t pc)
{
    edge(EVENT_ATOMIC_RMW, address, ORDER_RELEASE, pc);
}

__attribute__((cold)) void sync_remark(unsigned op, uintptr_t object, uintptr_t pc)
{
    struct recorder *self = recorder_self();
    struct sync_record record = {.op = (uint8_t)op, .object = object, .pc = pc};
    if (self && !self->ignore_sync)
        sync_take_note(self, &record);
}

static uint64_t set_bits(void *address, unsigned size, uint64_t bits)
{
    switch (size) {
    case 1:
        return __atomic_or_fetch((uint8_t *)address, (uint8_t)bits, __ATOMIC_SEQ_CST);
    case 4:
        return __atomic_or_fetch((uint32_t *)address, (uint32_t)bits, __ATOMIC_SEQ_CST);
    default:
        return __atomic_or_fetch((uint64_t *)address, bits, __ATOMIC_SEQ_CST);
    }
}

void sync_set_bits(void *address, unsigned size, uint64_t bits, uintptr_t pc)
{
    struct sync sync = SYNC_AT(EVENT_ATOMIC_RMW, address, pc);
    struct recorder *self = wanted(&sync);
    if (!self) {
        set_bits(address, size, bits);
        return;
    }
    if (unlikely(enforce_active))
        enforce_atomic(self, (uintptr_t)address, size, EVENT_ATOMIC_RMW, pc);
    self->sync_index++;
    struct slot *slot = stamp_slot(sync.record.object);
    bool entered = recorder_enter(self);
    sync.record.stamp = stamp_lock(slot, &self->stamper);
    sync.record.value = set_bits(address, size, bits);
    stamp_unlock(slot, &self->stamper);
    sync.record.size = (uint8_t)size;
    sync.record.order = ORDER_ACQ_REL;
    sync.record.flags = process.values ? EVENT_HAS_VALUE : 0;
    sync_write(self, entered, &sync.record);
    if (unlikely(enforce_active))
        enforce_atomic_made(self);
}

static void note_atomic(unsigned op, const void *address, unsigned size,
                        enum memory_order_name order, uintptr_t pc)
{
    struct sync sync = SYNC_AT(op, address, pc);
    sync.record.size = (uint8_t)size;
    sync.record.order = (uint8_t)order;
    sync_before(&sync);
    sync_after(&sync);
}

void sync_publish(const void *address, unsigned size, uintptr_t pc)
{
    note_atomic(EVENT_ATOMIC_RMW, address, size, ORDER_ACQ_REL, pc);
}

void sync_observe(const void *address, unsigned size, uintptr_t pc)
{
    note_atomic(EVENT_ATOMIC_LOAD, address, size, ORDER_ACQUIRE, pc);
}

void sync_note_init(unsigned op, const void *object, uintptr_t other, uintptr_t pc)
{
    struct recorder *self = recorder_self();
    struct sync_record record = {
        .op = (uint8_t)op, .object = (uintptr_t)object, .other = other, .pc = pc};
    if (self)
        sync_note(self, &record);
}
