/* Calls by which programs tell a race detector what it cannot see: ThreadSanitizer's
 * public interface and the older annotations. */
#include "runtime/sync.h"

#define VOID_FUNCTION(name, parameters)                                                            \
    EXPORT void name parameters;                                                                   \
    EXPORT void name parameters

/* A happens-before edge between whoever releases an address and whoever acquires
 * it later is what an atomic store and load make. */
static void edge(unsigned op, void *address, uintptr_t pc)
{
    struct recorder *self = recorder_self();
    if (!self || self->ignore_sync)
        return;
    self->sync_index++;
    struct sync_record record = {.op = (uint8_t)op,
                                 .object = (uintptr_t)address,
                                 .size = 1,
                                 .order = op == EVENT_ATOMIC_LOAD ? ORDER_ACQUIRE : ORDER_ACQ_REL,
                                 .pc = pc};
    sync_note(self, &record);
}

VOID_FUNCTION(__tsan_acquire, (void *address))
{
    edge(EVENT_ATOMIC_LOAD, address, CALLER);
}

VOID_FUNCTION(__tsan_release, (void *address))
{
    edge(EVENT_ATOMIC_RMW, address, CALLER);
}

static void ignore(uint8_t *counter, int by)
{
    if (by > 0 ? *counter < UINT8_MAX : *counter > 0)
        *counter = (uint8_t)(*counter + by);
}

#define IGNORE(name, parameters, field, by)                                                        \
    VOID_FUNCTION(name, parameters)                                                                \
    {                                                                                              \
        struct recorder *self = recorder_self();                                                   \
        if (self)                                                                                  \
            ignore(&self->field, by);                                                              \
    }

#define PLACE        (const char *file, int line)
#define PLACE_UNUSED (const char *file __attribute__((unused)), int line __attribute__((unused)))

IGNORE(AnnotateIgnoreReadsBegin, PLACE_UNUSED, ignore_reads, 1)
IGNORE(AnnotateIgnoreReadsEnd, PLACE_UNUSED, ignore_reads, -1)
IGNORE(AnnotateIgnoreWritesBegin, PLACE_UNUSED, ignore_writes, 1)
IGNORE(AnnotateIgnoreWritesEnd, PLACE_UNUSED, ignore_writes, -1)
IGNORE(AnnotateIgnoreSyncBegin, PLACE_UNUSED, ignore_sync, 1)
IGNORE(AnnotateIgnoreSyncEnd, PLACE_UNUSED, ignore_sync, -1)
