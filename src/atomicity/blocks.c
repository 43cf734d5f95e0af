/* SPDX-License-Identifier: MIT */
#include "atomicity/blocks.h"

#include "base/array.h"

#include <fnmatch.h>

/* Never atomic, whoever wrote them: what runs the program, not a part of it. */
static const char *const never_atomic[] = {
    "main",   "_start",     "__libc_start_*", "start_thread",
    "clone*", "_GLOBAL__*", "__cxx_global_*", NULL,
};

enum policy { POLICY_UNKNOWN, POLICY_ATOMIC, POLICY_NOT };

struct open_block {
    uint32_t label, begin; /* begin: index in its thread */
    bool atomic;
};

struct thread_blocks {
    struct open_blocks ARRAY_OF(struct open_block) open;
    uint32_t atomic_depth;
    uint32_t transaction; /* 0: in none */
    uint32_t after_start; /* index of the event after its start, 0: not started */
};

struct blocks {
    const struct trace *trace;
    const char *const *globs;
    struct policies ARRAY_OF(uint8_t) policies; /* by label */
    struct block_threads ARRAY_OF(struct thread_blocks) threads;
    struct blamed ARRAY_OF(uint32_t) blamed;
    uint32_t transactions;
};

struct blocks *blocks_create(const struct trace *trace, const struct engine_options *options)
{
    struct blocks *blocks = NEW(struct blocks);
    blocks->trace = trace;
    blocks->globs = options->blocks;
    return blocks;
}

void blocks_destroy(struct blocks *blocks)
{
    if (!blocks)
        return;
    for (size_t i = 0; i < blocks->threads.count; i++)
        array_free(&blocks->threads.items[i].open);
    array_free(&blocks->threads);
    array_free(&blocks->policies);
    array_free(&blocks->blamed);
    free(blocks);
}

void blocks_rewind(struct blocks *blocks)
{
    for (size_t i = 0; i < blocks->threads.count; i++) {
        struct thread_blocks *thread = &blocks->threads.items[i];
        thread->open.count = 0;
        thread->atomic_depth = thread->transaction = thread->after_start = 0;
    }
}

static bool matches(const char *const *globs, const char *name)
{
    for (size_t i = 0; globs[i]; i++)
        if (fnmatch(globs[i], name, 0) == 0)
            return true;
    return false;
}

bool blocks_is_runner(const char *function)
{
    return strcmp(function, "main") != 0 && matches(never_atomic, function);
}

bool blocks_are_named(const struct blocks *blocks)
{
    return blocks->globs != NULL;
}

bool blocks_atomic(struct blocks *blocks, uint32_t label)
{
    array_grow(&blocks->policies, label + 1);
    uint8_t *policy = &blocks->policies.items[label];
    if (*policy == POLICY_UNKNOWN) {
        const char *name = trace_name(blocks->trace, CLASS_LABEL, label);
        bool atomic = blocks->globs ? matches(blocks->globs, name) : !matches(never_atomic, name);
        *policy = atomic ? POLICY_ATOMIC : POLICY_NOT;
    }
    return *policy == POLICY_ATOMIC;
}

static struct thread_blocks *thread_at(struct blocks *blocks, uint32_t thread)
{
    array_grow(&blocks->threads, thread + 1);
    return &blocks->threads.items[thread];
}

static bool begin(struct blocks *blocks, const struct event *event, uint32_t index)
{
    struct thread_blocks *thread = thread_at(blocks, event->thread);
    bool atomic = blocks_atomic(blocks, event->object);
    if (thread->after_start && thread->after_start == index && !blocks->globs) {
        blocks->policies.items[event->object] = POLICY_NOT;
        atomic = false;
    }
    struct open_block block = {event->object, index, atomic};
    array_push(&thread->open, block);
    if (!atomic || thread->atomic_depth++)
        return false;
    thread->transaction = ++blocks->transactions;
    return true;
}

static bool end(struct blocks *blocks, const struct event *event)
{
    struct thread_blocks *thread = thread_at(blocks, event->thread);
    if (!thread->open.count)
        return false;
    struct open_block block = array_pop(&thread->open);
    if (!block.atomic || --thread->atomic_depth)
        return false;
    thread->transaction = 0;
    return true;
}

/* Whatever the thread is in contains a wait: not atomic, now and later. */
static bool wait(struct blocks *blocks, const struct event *event)
{
    struct thread_blocks *thread = thread_at(blocks, event->thread);
    for (size_t i = 0; i < thread->open.count; i++) {
        blocks->policies.items[thread->open.items[i].label] = POLICY_NOT;
        thread->open.items[i].atomic = false;
    }
    bool inside = thread->transaction != 0;
    thread->atomic_depth = thread->transaction = 0;
    return inside;
}

static bool waits(const struct blocks *blocks, const struct event *event)
{
    if (blocks->globs)
        return false; /* who names a function means it */
    switch (event->op) {
    case EVENT_WAIT_BEGIN:
    case EVENT_BARRIER_ENTER:
    case EVENT_JOIN:
        return true;
    case EVENT_SEM_WAIT:
        return trace_semaphore_initial(blocks->trace, event->object) == 0;
    default:
        return false;
    }
}

bool blocks_step(struct blocks *blocks, const struct event *event, uint32_t index)
{
    switch (event->op) {
    case EVENT_START:
        thread_at(blocks, event->thread)->after_start = index + 1;
        return false;
    case EVENT_BLOCK_BEGIN:
        return begin(blocks, event, index);
    case EVENT_BLOCK_END:
        return end(blocks, event);
    default:
        return waits(blocks, event) && wait(blocks, event);
    }
}

uint32_t blocks_transaction(const struct blocks *blocks, uint32_t thread)
{
    return thread < blocks->threads.count ? blocks->threads.items[thread].transaction : 0;
}

uint32_t blocks_blamed(struct blocks *blocks, uint32_t thread, uint32_t index,
                       const uint32_t **labels)
{
    const struct thread_blocks *state = thread_at(blocks, thread);
    blocks->blamed.count = 0;
    for (size_t i = 0; i < state->open.count && state->open.items[i].begin <= index; i++)
        if (state->open.items[i].atomic)
            array_push(&blocks->blamed, state->open.items[i].label);
    *labels = blocks->blamed.items;
    return (uint32_t)blocks->blamed.count;
}

uint32_t stack_common(uint32_t a, uint32_t b, stack_parent *parent, const void *context)
{
    while (a != b) {
        if (a > b)
            a = parent(context, a);
        else
            b = parent(context, b);
    }
    return a;
}
