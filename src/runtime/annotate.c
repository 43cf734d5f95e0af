/* SPDX-License-Identifier: MIT */
/* Calls by which programs tell a race detector what it cannot see:
 * ThreadSanitizer's public interface, the older annotations, and our own
 * (include/preplay/preplay.h). */
#include "runtime/lasting.h"
#include "runtime/sync.h"

#define FUNCTION(result, name, parameters)                                                         \
    EXPORT result name parameters;                                                                 \
    EXPORT result name parameters
#define UNUSED __attribute__((unused))
#define PLACE  const char *file UNUSED, int line UNUSED

/* --- edges ------------------------------------------------------------------ */

FUNCTION(void, __tsan_acquire, (void *address))
{
    sync_edge(EVENT_ATOMIC_LOAD, address, CALLER);
}

FUNCTION(void, __tsan_release, (void *address))
{
    sync_edge(EVENT_ATOMIC_RMW, address, CALLER);
}

FUNCTION(void, AnnotateHappensBefore, (PLACE, const volatile void *address))
{
    sync_edge(EVENT_ATOMIC_RMW, address, CALLER);
}

FUNCTION(void, AnnotateHappensAfter, (PLACE, const volatile void *address))
{
    sync_edge(EVENT_ATOMIC_LOAD, address, CALLER);
}

FUNCTION(void, WTFAnnotateHappensBefore, (PLACE, const volatile void *address))
{
    sync_edge(EVENT_ATOMIC_RMW, address, CALLER);
}

FUNCTION(void, WTFAnnotateHappensAfter, (PLACE, const volatile void *address))
{
    sync_edge(EVENT_ATOMIC_LOAD, address, CALLER);
}

/* --- what is to be ignored ---------------------------------------------------- */

static void ignore(uint8_t *counter, int by)
{
    if (by > 0 ? *counter < UINT8_MAX : *counter > 0)
        *counter = (uint8_t)(*counter + by);
}

#define IGNORE(name, parameters, field, by)                                                        \
    FUNCTION(void, name, parameters)                                                               \
    {                                                                                              \
        struct recorder *self = recorder_self();                                                   \
        if (self)                                                                                  \
            ignore(&self->field, by);                                                              \
    }

IGNORE(AnnotateIgnoreReadsBegin, (PLACE), ignore_reads, 1)
IGNORE(AnnotateIgnoreReadsEnd, (PLACE), ignore_reads, -1)
IGNORE(AnnotateIgnoreWritesBegin, (PLACE), ignore_writes, 1)
IGNORE(AnnotateIgnoreWritesEnd, (PLACE), ignore_writes, -1)
IGNORE(AnnotateIgnoreSyncBegin, (PLACE), ignore_sync, 1)
IGNORE(AnnotateIgnoreSyncEnd, (PLACE), ignore_sync, -1)

static void ignore_all(int by)
{
    struct recorder *self = recorder_self();
    if (!self)
        return;
    ignore(&self->ignore_reads, by);
    ignore(&self->ignore_writes, by);
    ignore(&self->ignore_sync, by);
}

static void ignore_accesses(int by)
{
    struct recorder *self = recorder_self();
    if (!self)
        return;
    ignore(&self->ignore_reads, by);
    ignore(&self->ignore_writes, by);
}

FUNCTION(void, __tsan_ignore_thread_begin, (void))
{
    ignore_accesses(1);
}

FUNCTION(void, __tsan_ignore_thread_end, (void))
{
    ignore_accesses(-1);
}

/* --- locks of the program's own making ---------------------------------------- */

enum {
    MUTEX_LINKER_INIT = 1 << 0, /* lives as long as the program, and is used after its destructor */
    MUTEX_READ_LOCK = 1 << 3,
    MUTEX_TRY_LOCK = 1 << 4,
    MUTEX_TRY_LOCK_FAILED = 1 << 5,
    MUTEX_NOT_STATIC = 1 << 8, /* if none was created so, its destructor does nothing */
};

static void create(const volatile void *lock, unsigned flags, uintptr_t pc)
{
    if (flags & MUTEX_LINKER_INIT) {
        lasting_declare(lock);
        return;
    }
    lasting_make(lock, flags & MUTEX_NOT_STATIC);
    sync_note_init(RECORD_OP_INIT, (const void *)lock, 0, pc);
}

FUNCTION(void, __tsan_mutex_create, (void *mutex, unsigned flags))
{
    create(mutex, flags, CALLER);
}

static void destroy(const volatile void *lock, unsigned flags, uintptr_t pc)
{
    if (flags & MUTEX_LINKER_INIT || !lasting_ends(lock, flags & MUTEX_NOT_STATIC))
        return;
    struct sync sync = SYNC_AT(EVENT_DESTROY, lock, pc);
    sync_before(&sync);
    sync_after(&sync);
}

FUNCTION(void, __tsan_mutex_destroy, (void *mutex, unsigned flags))
{
    destroy(mutex, flags, CALLER);
}

/* What the lock does inside (its own atomics) is none of the program's business. */
FUNCTION(void, __tsan_mutex_pre_lock, (void *mutex UNUSED, unsigned flags UNUSED))
{
    ignore_all(1);
}

FUNCTION(void, __tsan_mutex_post_lock, (void *mutex, unsigned flags, int recursion UNUSED))
{
    ignore_all(-1);
    struct sync sync =
        SYNC(flags & MUTEX_READ_LOCK ? EVENT_ACQUIRE_READ : EVENT_ACQUIRE_WRITE, mutex);
    sync.record.flags = flags & MUTEX_TRY_LOCK ? EVENT_TRY : 0;
    sync_before(&sync);
    if (flags & MUTEX_TRY_LOCK_FAILED)
        sync_failed(&sync);
    else
        sync_after(&sync);
}

FUNCTION(int, __tsan_mutex_pre_unlock, (void *mutex, unsigned flags))
{
    struct sync sync =
        SYNC(flags & MUTEX_READ_LOCK ? EVENT_RELEASE_READ : EVENT_RELEASE_WRITE, mutex);
    sync_before(&sync);
    ignore_all(1);
    return 0;
}

FUNCTION(void, __tsan_mutex_post_unlock, (void *mutex UNUSED, unsigned flags UNUSED))
{
    ignore_all(-1);
}

FUNCTION(void, __tsan_mutex_pre_signal, (void *mutex UNUSED, unsigned flags UNUSED))
{
    ignore_all(1);
}

FUNCTION(void, __tsan_mutex_post_signal, (void *mutex UNUSED, unsigned flags UNUSED))
{
    ignore_all(-1);
}

/* Inside a lock's own code, something that is to be seen. */
FUNCTION(void, __tsan_mutex_pre_divert, (void *mutex UNUSED, unsigned flags UNUSED))
{
    ignore_all(-1);
}

FUNCTION(void, __tsan_mutex_post_divert, (void *mutex UNUSED, unsigned flags UNUSED))
{
    ignore_all(1);
}

FUNCTION(void, AnnotateRWLockCreate, (PLACE, const volatile void *lock))
{
    create(lock, 0, CALLER);
}

FUNCTION(void, AnnotateRWLockCreateStatic, (PLACE, const volatile void *lock))
{
    create(lock, MUTEX_LINKER_INIT, CALLER);
}

FUNCTION(void, AnnotateRWLockDestroy, (PLACE, const volatile void *lock))
{
    destroy(lock, 0, CALLER);
}

FUNCTION(void, AnnotateRWLockAcquired, (PLACE, const volatile void *lock, long writer))
{
    struct sync sync = SYNC(writer ? EVENT_ACQUIRE_WRITE : EVENT_ACQUIRE_READ, lock);
    sync_before(&sync);
    sync_after(&sync);
}

FUNCTION(void, AnnotateRWLockReleased, (PLACE, const volatile void *lock, long writer))
{
    struct sync sync = SYNC(writer ? EVENT_RELEASE_WRITE : EVENT_RELEASE_READ, lock);
    sync_before(&sync);
}

/* --- atomic blocks and branches ------------------------------------------------- */

FUNCTION(void, __preplay_block_begin, (const char *label))
{
    struct recorder *self = recorder_self();
    if (!self || !recorder_enter(self))
        return;
    write_label(self, label);
    write_access(self, (uintptr_t)label, 0, EVENT_BLOCK_BEGIN, CALLER);
    recorder_leave(self);
}

FUNCTION(void, __preplay_block_end, (const char *label))
{
    struct recorder *self = recorder_self();
    if (!self || !recorder_enter(self))
        return;
    write_access(self, (uintptr_t)label, 0, EVENT_BLOCK_END, CALLER);
    recorder_leave(self);
}

/* A branch matters only if something was read since the last one. */
FUNCTION(void, __sanitizer_cov_trace_pc, (void))
{
    struct recorder *self = recorder_current;
    if (!self || !self->unbranched || !process.branches || !recorder_enter(self))
        return;
    self->unbranched = false;
    write_access(self, 0, 0, EVENT_BRANCH, CALLER);
    recorder_leave(self);
}
