/* SPDX-License-Identifier: MIT */
#include "model/machine_state.h"

#include "base/array.h"

#include <stdalign.h>
#include <stddef.h>

static uint32_t count_of(const struct machine *machine, enum object_class class)
{
    return trace_count(machine->rules->history->trace, class);
}

/* What lies behind a machine, in the same block, so that a copy is one. */
#define PARTS(PART)                                                                                \
    PART(conditions, trace_count(trace, CLASS_CONDITION))                                          \
    PART(next, rules->history->threads)                                                            \
    PART(locks, trace_count(trace, CLASS_LOCK))                                                    \
    PART(entered, trace_barrier_instances(trace))                                                  \
    PART(counts, trace_count(trace, CLASS_SEMAPHORE))                                              \
    PART(memory, rules->history->variables)                                                        \
    PART(tainted, rules->history->threads)                                                         \
    PART(onces, trace_count(trace, CLASS_ONCE))

static size_t aligned(size_t bytes)
{
    return (bytes + alignof(max_align_t) - 1) / alignof(max_align_t) * alignof(max_align_t);
}

struct machine *machine_create(const struct rules *rules)
{
    const struct trace *trace = rules->history->trace;
    struct machine *machine = NULL;
    size_t size = aligned(sizeof *machine);
#define ADD_SIZE(part, count) size += aligned((size_t)(count) * sizeof *machine->part);
    PARTS(ADD_SIZE)
    machine = memory_zero(1, size);
    machine->rules = rules;
    machine->size = size;
    char *room = (char *)machine + aligned(sizeof *machine);
#define GIVE_ROOM(part, count)                                                                     \
    machine->part = (void *)room;                                                                  \
    room += aligned((size_t)(count) * sizeof *machine->part);
    PARTS(GIVE_ROOM)
    for (uint32_t i = 0; i < count_of(machine, CLASS_SEMAPHORE); i++)
        machine->counts[i] = trace_semaphore_initial(trace, i);
    return machine;
}

struct machine *machine_copy(const struct machine *from)
{
    struct machine *copy = memory_copy(from, from->size);
#define MOVE(part, count) copy->part = (void *)((char *)copy + ((char *)from->part - (char *)from));
    PARTS(MOVE)
    if (from->shares.capacity)
        copy->shares.entries =
            memory_copy(from->shares.entries, from->shares.capacity * sizeof *from->shares.entries);
    for (uint32_t i = 0; i < count_of(from, CLASS_CONDITION); i++)
        condition_copy(&copy->conditions[i], &from->conditions[i]);
    return copy;
}

void machine_destroy(struct machine *machine)
{
    if (!machine)
        return;
    for (uint32_t i = 0; i < count_of(machine, CLASS_CONDITION); i++)
        condition_free(&machine->conditions[i]);
    map_free(&machine->shares);
    free(machine);
}

/* --- comparing --- */

struct key_bytes ARRAY_OF(unsigned char);

static void append(struct key_bytes *bytes, const void *data, size_t length)
{
    array_reserve(bytes, bytes->count + length);
    memcpy(bytes->items + bytes->count, data, length);
    bytes->count += length;
}

/* Clocks are compared only with each other, so their ranks say all. */
static void append_condition(struct key_bytes *bytes, const struct condition *condition)
{
    append(bytes, &condition->waiting, sizeof condition->waiting);
    append(bytes, &condition->token_count, sizeof condition->token_count);
    for (uint32_t thread_rank = 0; thread_rank < condition->waiting; thread_rank++) {
        const struct condition_waiter *waiter = &condition->waiters[thread_rank];
        uint32_t before = 0; /* tokens it cannot take */
        while (before < condition->token_count && condition->tokens[before] < waiter->since)
            before++;
        uint32_t words[3] = {waiter->thread, waiter->woken, before};
        append(bytes, words, sizeof words);
    }
}

size_t machine_key(const struct machine *machine, unsigned char **key, size_t *room)
{
    struct key_bytes bytes = {*key, 0, *room};
    uint32_t threads = machine->rules->history->threads;
    append(&bytes, machine->next, threads * sizeof *machine->next);
    append(&bytes, machine->tainted, threads * sizeof *machine->tainted);
    for (uint32_t i = 0; i < machine->rules->history->variables; i++) {
        append(&bytes, &machine->memory[i].last_write, sizeof machine->memory[i].last_write);
        append(&bytes, &machine->memory[i].tainted, sizeof machine->memory[i].tainted);
    }
    for (uint32_t i = 0; i < count_of(machine, CLASS_CONDITION); i++)
        append_condition(&bytes, &machine->conditions[i]);
    *key = bytes.items;
    *room = bytes.capacity;
    return bytes.count;
}
