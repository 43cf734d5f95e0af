/* SPDX-License-Identifier: MIT */
/* The memory hooks that compilers emit under -fsanitize=thread. The fast path is
 * the filter's answer "seen": a few loads and a compare (recorder.h). */
#include "runtime/enforce.h"
#include "runtime/host.h"
#include "runtime/library_calls.h"
#include "runtime/recorder.h"

static __attribute__((noinline)) void access_new(uintptr_t address, uint32_t size, unsigned op,
                                                 uintptr_t pc)
{
    struct recorder *self = HOST_SEES_CODE ? NULL : recorder_self();
    if (self)
        library_calls_returned(self, pc);
    if (!self || !recorder_enter(self))
        return;
    bool write = op == EVENT_WRITE;
    if (likely(!(write ? self->ignore_writes : self->ignore_reads))) {
        if (unlikely(self->late_address))
            write_late_value(self);
        if (filter_add(self, address, size, write, pc)) {
            if (unlikely(enforce_active))
                enforce_access(self, address, size, op, pc);
            if (unlikely(process.values) && write && size <= 8) {
                self->late_address = address;
                self->late_size = size;
                self->late_pc = pc;
            } else {
                write_access(self, address, size, op, pc);
            }
            self->unbranched |= !write;
        }
    }
    recorder_leave(self);
}

static inline __attribute__((always_inline)) void access_hook(uintptr_t address, uint32_t size,
                                                              bool write, uintptr_t pc)
{
    struct recorder *self = HOST_SEES_CODE ? NULL : recorder_current;
    if (likely(self != NULL)) {
        if (likely(filter_knows(self, address, size, write, pc)))
            return;
    } else if (!process_recording()) {
        return;
    }
    access_new(address, size, write ? EVENT_WRITE : EVENT_READ, pc);
}

#define HOOK(name, size, write)                                                                    \
    EXPORT void name(void *address);                                                               \
    EXPORT void name(void *address)                                                                \
    {                                                                                              \
        access_hook((uintptr_t)address, size, write, CALLER);                                      \
    }
#define HOOK_BOTH(name, size)                                                                      \
    EXPORT void name(void *address);                                                               \
    EXPORT void name(void *address)                                                                \
    {                                                                                              \
        access_hook((uintptr_t)address, size, false, CALLER);                                      \
        access_hook((uintptr_t)address, size, true, CALLER);                                       \
    }
/* An unaligned access may lie in two granules, which the fast path cannot see. */
#define HOOK_SLOW(name, size, op)                                                                  \
    EXPORT void name(void *address);                                                               \
    EXPORT void name(void *address)                                                                \
    {                                                                                              \
        access_new((uintptr_t)address, size, op, CALLER);                                          \
    }
#define HOOK_PC(name, size, write)                                                                 \
    EXPORT void name(void *address, void *pc);                                                     \
    EXPORT void name(void *address, void *pc)                                                      \
    {                                                                                              \
        access_hook((uintptr_t)address, size, write, (uintptr_t)pc);                               \
    }
#define HOOKS(size)                                                                                \
    HOOK(__tsan_read##size, size, false)                                                           \
    HOOK(__tsan_write##size, size, true)                                                           \
    HOOK_BOTH(__tsan_read_write##size, size)                                                       \
    HOOK(__tsan_volatile_read##size, size, false)                                                  \
    HOOK(__tsan_volatile_write##size, size, true)                                                  \
    HOOK_PC(__tsan_read##size##_pc, size, false)                                                   \
    HOOK_PC(__tsan_write##size##_pc, size, true)

HOOKS(1)
HOOKS(2)
HOOKS(4)
HOOKS(8)
HOOKS(16)

#define HOOKS_UNALIGNED(size)                                                                      \
    HOOK_SLOW(__tsan_unaligned_read##size, size, EVENT_READ)                                       \
    HOOK_SLOW(__tsan_unaligned_write##size, size, EVENT_WRITE)                                     \
    HOOK_SLOW(__tsan_unaligned_volatile_read##size, size, EVENT_READ)                              \
    HOOK_SLOW(__tsan_unaligned_volatile_write##size, size, EVENT_WRITE)                            \
    EXPORT void __tsan_unaligned_read_write##size(void *address);                                  \
    EXPORT void __tsan_unaligned_read_write##size(void *address)                                   \
    {                                                                                              \
        access_new((uintptr_t)address, size, EVENT_READ, CALLER);                                  \
        access_new((uintptr_t)address, size, EVENT_WRITE, CALLER);                                 \
    }

HOOKS_UNALIGNED(2)
HOOKS_UNALIGNED(4)
HOOKS_UNALIGNED(8)
HOOKS_UNALIGNED(16)

HOOK(__tsan_vptr_read, 8, false)

/* A store of the same pointer (a constructor's chain) is no write to others. */
EXPORT void __tsan_vptr_update(void **address, void *value);
EXPORT void __tsan_vptr_update(void **address, void *value)
{
    if (*address != value)
        access_hook((uintptr_t)address, 8, true, CALLER);
}
