/* SPDX-License-Identifier: MIT */
#include "runtime/ranges.h"

#include "runtime/enforce.h"
#include "runtime/host.h"
#include "runtime/openmp.h"

static void range(uintptr_t address, uint64_t length, unsigned op, uintptr_t pc)
{
    struct recorder *self = recorder_self();
    if (self)
        recorder_code_runs(self, pc);
    if (!self || !length || openmp_holds(pc) || !recorder_enter(self))
        return;
    bool write = op == EVENT_WRITE;
    if (!(write ? self->ignore_writes : self->ignore_reads)) {
        if (self->late_address)
            write_late_value(self);
        if (filter_add(self, address, length, write, pc)) {
            if (unlikely(enforce_active))
                enforce_access(self, address, length < UINT32_MAX ? (uint32_t)length : UINT32_MAX,
                               op, pc);
            host_frames(self, pc);
            bool entered = host_enter_library(self, pc);
            write_range(self, address, length, op, pc);
            self->depth -= entered;
            self->unbranched |= !write;
        }
    }
    recorder_leave(self);
}

void range_read(const void *start, size_t length, uintptr_t pc)
{
    range((uintptr_t)start, length, EVENT_READ, pc);
}

void range_write(const void *start, size_t length, uintptr_t pc)
{
    range((uintptr_t)start, length, EVENT_WRITE, pc);
}

EXPORT void __tsan_read_range(void *start, unsigned long length);
EXPORT void __tsan_read_range(void *start, unsigned long length)
{
    if (!HOST_SEES_CODE)
        range_read(start, length, CALLER);
}

EXPORT void __tsan_write_range(void *start, unsigned long length);
EXPORT void __tsan_write_range(void *start, unsigned long length)
{
    if (!HOST_SEES_CODE)
        range_write(start, length, CALLER);
}

EXPORT void __tsan_read_range_pc(void *start, unsigned long length, void *pc);
EXPORT void __tsan_read_range_pc(void *start, unsigned long length, void *pc)
{
    if (!HOST_SEES_CODE)
        range_read(start, length, (uintptr_t)pc);
}

EXPORT void __tsan_write_range_pc(void *start, unsigned long length, void *pc);
EXPORT void __tsan_write_range_pc(void *start, unsigned long length, void *pc)
{
    if (!HOST_SEES_CODE)
        range_write(start, length, (uintptr_t)pc);
}
