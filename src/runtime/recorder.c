/* SPDX-License-Identifier: MIT */
#include "runtime/recorder.h"

#include "runtime/host.h"
#include "runtime/identity.h"
#include "runtime/sync.h"
#include "runtime/thread.h"
#include "runtime/thread_end.h"

void (*recorder_library_returned)(struct recorder *self, uintptr_t pc);
void (*recorder_library_thread)(struct recorder *self, uintptr_t run);

__thread struct recorder *recorder_current __attribute__((tls_model("initial-exec")));
/* This thread has ended, or is on its way into recorder_begin(). */
static __thread bool untouchable __attribute__((tls_model("initial-exec")));

/* Recorders of ended threads, with their tables touched already: a program of
 * thousands of short threads reuses a few. */
static struct {
    _Atomic bool locked;
    struct recorder *first;
} spare;

static void spare_lock(void)
{
    /* Asleep, so that whoever has it can run even if this thread's priority is higher. */
    while (atomic_exchange_explicit(&spare.locked, true, memory_order_acquire))
        system_sleep(50000);
}

static void spare_unlock(void)
{
    atomic_store_explicit(&spare.locked, false, memory_order_release);
}

static struct recorder *obtain(void)
{
    spare_lock();
    struct recorder *self = spare.first;
    if (self)
        spare.first = self->next_free;
    spare_unlock();
    if (!self)
        self = system_map(-1, 0, sizeof *self);
    return self;
}

static void give_back(struct recorder *self)
{
    spare_lock();
    self->next_free = spare.first;
    spare.first = self;
    spare_unlock();
}

/* Everything but the tables, whose entries carry their age. */
static void reset(struct recorder *self)
{
    uint64_t segment = self->segment, section = self->section;
    uint16_t generation = self->generation;
    uint32_t chunk = self->chunk;
    uint8_t *bytes = (uint8_t *)self;
    for (size_t i = 0; i < offsetof(struct recorder, frames); i++)
        bytes[i] = 0;
    self->segment = segment;
    self->section = section;
    self->generation = (uint16_t)(generation + 1);
    self->chunk = chunk + 1;
    if (!self->generation) { /* all numbers used: start over with clean tables */
        self->generation = 1;
        for (unsigned i = 0; i < ENCODING_SITES; i++)
            self->sites[i] = (struct site){0};
        for (unsigned i = 0; i < RECORDER_NODES; i++)
            self->node_cache[i] = (struct stack_node){0};
    }
    filter_new_segment(self);
}

static struct recorder *create(const struct stream_header *wanted, uint64_t stamp, uint64_t path)
{
    struct stream_header header = *wanted;
    struct recorder *self = obtain();
    if (!self) {
        process_stop("no memory left", stamp);
        return NULL;
    }
    reset(self);
    self->number = header.number;
    self->parent = header.parent;
    self->child = header.child;
    self->stamper.clock = stamp;
    enforce_thread(self, path);
    header.magic = ENCODING_MAGIC;
    header.version = ENCODING_VERSION;
    header.kernel_thread = thread_kernel_id();
    if (!stream_open(self, &header)) {
        give_back(self);
        return NULL;
    }
    struct sync start = {.recorder = self, .record.op = EVENT_START};
    sync_before(&start);
    sync_after(&start);
    return self;
}

struct recorder *recorder_begin(uint32_t number, uint32_t parent, uint32_t child, uint32_t flags,
                                uint64_t stamp, uint64_t path)
{
    if (untouchable || !process_recording())
        return NULL;
    untouchable = true; /* whatever is called from here on is not the target's doing */
    struct stream_header header = {
        .flags = flags, .number = number, .parent = parent, .child = child};
    if (!(flags & STREAM_MAIN))
        thread_find_stack(&header.stack_low, &header.stack_high);
    thread_end_watch();
    identity_say(number);
    struct recorder *self = create(&header, stamp, path);
    recorder_current = self;
    host_ask(HOST_RECORDER, (uintptr_t)self, 0);
    untouchable = !self;
    return self;
}

struct recorder *recorder_create(uint32_t number, uint32_t parent, uint32_t child, uint64_t stamp)
{
    struct stream_header header = {.number = number, .parent = parent, .child = child};
    return process_recording() ? create(&header, stamp, 0) : NULL;
}

/* Whether, and what, threads that the C library makes for itself were given to do. */
static _Atomic bool has_unseen_work;

void recorder_before_attached(uintptr_t pc)
{
    atomic_store(&has_unseen_work, true);
    sync_release(&has_unseen_work, pc);
}

struct recorder *recorder_attach(void)
{
    if (untouchable || (!system_sealed && system_process() != process.id))
        return NULL;
    uint32_t number = atomic_fetch_add(&process.streams, 1);
    struct recorder *self = recorder_begin(number, number, number, STREAM_EXTERNAL, 0, 0);
    if (self && atomic_load(&has_unseen_work))
        sync_edge(EVENT_ATOMIC_LOAD, &has_unseen_work, 0);
    return self;
}

void recorder_finish(struct recorder *self)
{
    if (recorder_enter(self)) {
        write_late_value(self);
        write_blocks_end(self, 0);
        recorder_leave(self);
    }
    struct sync end = {.recorder = self, .record.op = EVENT_END};
    sync_before(&end);
    stream_close(self);
    give_back(self);
}

void recorder_end(struct recorder *self)
{
    untouchable = true;
    recorder_current = NULL;
    host_ask(HOST_RECORDER, 0, 0);
    recorder_finish(self);
}

void recorder_abandon(void)
{
    struct recorder *self = recorder_current;
    atomic_store(&spare.locked, false);
    recorder_current = NULL;
    host_ask(HOST_RECORDER, 0, 0);
    untouchable = false;
    if (!self)
        return;
    stream_forget(self);
    /* Its call stack goes on in the child, with nodes yet to be written. */
    give_back(self);
}
