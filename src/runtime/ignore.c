/* SPDX-License-Identifier: MIT */
/* Sections of a program that are not its own business: what a test does to order
 * its threads. Nothing in them is recorded, but what the thread did before stays
 * before what other threads do after: the section ends with a stamp. */
#include "runtime/recorder.h"

EXPORT void __preplay_ignore_begin(void);
EXPORT void __preplay_ignore_end(void);

static void mark_order(struct recorder *self)
{
    if (!recorder_enter(self))
        return;
    if (self->late_address)
        write_late_value(self);
    uint64_t stamp = stamp_above(&self->stamper, 0);
    if (stream_room(self) && self->last_stamp < stamp) {
        write_chunk_end(self, stamp);
        filter_new_segment(self);
    }
    recorder_leave(self);
}

static void change(uint8_t *counter, int by)
{
    if (by > 0 ? *counter < UINT8_MAX : *counter > 0)
        *counter = (uint8_t)(*counter + by);
}

static void ignore(struct recorder *self, int by)
{
    change(&self->ignore_reads, by);
    change(&self->ignore_writes, by);
    change(&self->ignore_sync, by);
}

EXPORT void __preplay_ignore_begin(void)
{
    struct recorder *self = recorder_self();
    if (!self)
        return;
    /* What is known by now is written now: the section may be the thread's last. */
    if (unlikely(self->late_address) && recorder_enter(self)) {
        write_late_value(self);
        recorder_leave(self);
    }
    ignore(self, 1);
}

EXPORT void __preplay_ignore_end(void)
{
    struct recorder *self = recorder_self();
    if (!self)
        return;
    ignore(self, -1);
    mark_order(self);
}
