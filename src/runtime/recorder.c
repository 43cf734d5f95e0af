#include "runtime/recorder.h"

#include "runtime/sync.h"
#include "runtime/thread.h"

#include <pthread.h>

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
    while (atomic_exchange_explicit(&spare.locked, true, memory_order_acquire))
        system_yield();
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
    uint64_t segment = self->segment;
    uint16_t generation = self->generation;
    uint32_t chunk = self->chunk;
    uint8_t *bytes = (uint8_t *)self;
    for (size_t i = 0; i < offsetof(struct recorder, frames); i++)
        bytes[i] = 0;
    self->segment = segment;
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

static void find_stack(struct stream_header *header)
{
    pthread_attr_t attributes;
    void *low;
    size_t size;
    if (header->flags & STREAM_MAIN || pthread_getattr_np(pthread_self(), &attributes))
        return;
    if (!pthread_attr_getstack(&attributes, &low, &size)) {
        header->stack_low = (uintptr_t)low;
        header->stack_high = (uintptr_t)low + size;
    }
    pthread_attr_destroy(&attributes);
}

struct recorder *recorder_begin(uint32_t number, uint32_t parent, uint32_t child, uint32_t flags,
                                uint64_t stamp)
{
    if (untouchable || !process_recording())
        return NULL;
    untouchable = true;
    struct recorder *self = obtain();
    if (!self) {
        process_stop("no memory left", stamp);
        return NULL;
    }
    reset(self);
    self->number = number;
    self->parent = parent;
    self->child = child;
    self->stamper.clock = stamp;
    struct stream_header header = {.magic = ENCODING_MAGIC,
                                   .version = ENCODING_VERSION,
                                   .flags = flags,
                                   .number = number,
                                   .parent = parent,
                                   .child = child,
                                   .kernel_thread = system_thread()};
    find_stack(&header);
    if (!stream_open(self, &header)) {
        give_back(self);
        return NULL;
    }
    recorder_current = self;
    untouchable = false;
    thread_watch_end();
    struct sync sync = SYNC_AT(EVENT_START, 0, 0);
    sync_before(&sync);
    sync_after(&sync);
    return self;
}

struct recorder *recorder_attach(void)
{
    if (untouchable || system_process() != process.id)
        return NULL;
    uint32_t number = atomic_fetch_add(&process.streams, 1);
    return recorder_begin(number, number, number, STREAM_EXTERNAL, 0);
}

void recorder_end(struct recorder *self)
{
    struct sync sync = SYNC_AT(EVENT_END, 0, 0);
    sync_before(&sync);
    untouchable = true;
    recorder_current = NULL;
    stream_close(self);
    give_back(self);
}

void recorder_abandon(void)
{
    struct recorder *self = recorder_current;
    atomic_store(&spare.locked, false);
    recorder_current = NULL;
    untouchable = false;
    if (!self)
        return;
    if (self->window)
        system_unmap(self->window, self->window_size);
    self->window = NULL;
    /* Its call stack goes on in the child, with nodes yet to be written. */
    give_back(self);
}
