/* SPDX-License-Identifier: MIT */
#include "runtime/library_calls.h"

#include "runtime/edges.h"

enum { OWN = 64 };

static uint64_t (*library_of)(uintptr_t code);

/* Ranges are only added; who finds too few of them takes a callback for one more. */
static struct {
    _Atomic uint32_t count;
    struct {
        uintptr_t low, high;
    } items[OWN];
} own;

void library_calls_own(uintptr_t low, uintptr_t high)
{
    uint32_t count = atomic_load(&own.count);
    if (count == OWN)
        return;
    own.items[count].low = low;
    own.items[count].high = high;
    atomic_store(&own.count, count + 1);
}

static bool is_own(uintptr_t pc)
{
    uint32_t count = atomic_load_explicit(&own.count, memory_order_acquire);
    for (uint32_t i = 0; i < count; i++)
        if (pc >= own.items[i].low && pc < own.items[i].high)
            return true;
    return false;
}

/* `library_level` is the depth of the call stack behind the outermost call, plus one. A function
 * that begins at this depth was called back, or the call has returned (library_calls_function()).
 */
static void inside(struct recorder *self, uint64_t library)
{
    self->library = library;
    self->library_pending = true;
    if (!self->library_level || self->library_level > self->depth + 1)
        self->library_level = self->depth + 1;
}

void library_calls_enter(struct recorder *self, uint64_t library, uintptr_t pc)
{
    bool again = self->library_pending && self->library == library;
    if (!again) { /* else nothing was recorded since */
        library_calls_returned(self, pc);
        edge_release_loosely(library, pc);
    }
    inside(self, library);
}

/* A thread may begin in a library's code. */
static void begin_thread(struct recorder *self, uintptr_t run)
{
    uint64_t library = library_of(run);
    if (library)
        inside(self, library);
}

void library_calls_settle(struct recorder *self, uintptr_t pc)
{
    self->library_pending = false;
    edge_acquire(self->library, pc);
}

static void settle_own(struct recorder *self, uintptr_t pc)
{
    if (is_own(pc))
        library_calls_settle(self, pc);
}

void library_calls_start(uint64_t (*of)(uintptr_t code))
{
    library_of = of;
    recorder_library_returned = settle_own;
    recorder_library_thread = begin_thread;
}

void library_calls_function(struct recorder *self, uintptr_t caller)
{
    if (is_own(caller))
        self->library_level = 0;
}

void library_calls_back(struct recorder *self, uintptr_t pc)
{
    if (self->library_pending || self->busy)
        return;
    edge_release_loosely(self->library, pc);
    self->library_pending = true;
}
