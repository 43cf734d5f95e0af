/* SPDX-License-Identifier: MIT */
/* Numbers of 32 and 64 bits, as this machine has them: processes of one job run one binary. */
#include "search/solve_state.h"

#include "base/array.h"

#include <xxhash.h>

struct writer ARRAY_OF(char);

static void put(struct writer *writer, const void *data, size_t size)
{
    array_reserve(writer, writer->count + size);
    if (size)
        memcpy(writer->items + writer->count, data, size);
    writer->count += size;
}

static void put_number(struct writer *writer, uint64_t number)
{
    put(writer, &number, sizeof number);
}

static void put_outcome(struct writer *writer, const struct solve_outcome *outcome)
{
    put_number(writer, outcome->answer);
    put_number(writer, outcome->model);
    put_number(writer, outcome->instance);
    put_number(writer, outcome->in_turns);
    put_number(writer, outcome->witness ? outcome->length : 0);
    if (outcome->witness)
        put(writer, outcome->witness, outcome->length * sizeof *outcome->witness);
}

struct bytes solve_pack(const struct solve_pack *chunk)
{
    struct writer writer = {0};
    put_number(&writer, chunk->steps);
    for (uint32_t i = 0; i < chunk->rungs; i++) {
        put_number(&writer, chunk->learned[i].count);
        put(&writer, chunk->learned[i].items,
            chunk->learned[i].count * sizeof *chunk->learned[i].items);
    }
    for (size_t i = chunk->begin; i < chunk->end; i++)
        put_outcome(&writer, &chunk->outcomes[chunk->todo[i]]);
    return (struct bytes){writer.items, writer.count};
}

struct reader {
    const char *at;
    size_t left;
    bool good;
};

/* What comes next, NULL if that is not there. */
static const void *get(struct reader *reader, uint64_t count, size_t size)
{
    const char *at = reader->at;
    if (!reader->good || count > reader->left / size) {
        reader->good = false;
        return NULL;
    }
    reader->at += count * size;
    reader->left -= count * size;
    return at;
}

static uint64_t get_number(struct reader *reader, uint64_t below)
{
    uint64_t number = 0;
    const void *at = get(reader, 1, sizeof number);
    if (at)
        memcpy(&number, at, sizeof number);
    reader->good &= number < below;
    return reader->good ? number : 0;
}

static void get_walls(struct reader *reader, struct walls *walls)
{
    uint64_t count = get_number(reader, UINT64_MAX);
    const void *items = get(reader, count, sizeof *walls->items);
    if (!items || !count)
        return;
    array_reserve(walls, count);
    memcpy(walls->items, items, count * sizeof *walls->items);
    walls->count = count;
}

static void get_outcome(struct reader *reader, const struct solve_pack *chunk,
                        const struct solve_task *task, struct solve_outcome *outcome)
{
    outcome->answer = (enum search_answer)get_number(reader, SEARCH_EXHAUSTED + 1);
    outcome->model = (enum model)get_number(reader, MODEL_COUNT);
    outcome->instance = (uint32_t)get_number(reader, task->count ? task->count : 1);
    outcome->in_turns = get_number(reader, 2);
    outcome->length = (uint32_t)get_number(reader, UINT32_MAX);
    const void *witness = get(reader, outcome->length, sizeof *outcome->witness);
    if (!reader->good || !outcome->length)
        return;
    outcome->witness = memory_copy(witness, outcome->length * sizeof *outcome->witness);
    for (uint32_t i = 0; i < outcome->length; i++)
        reader->good &= outcome->witness[i] < chunk->events;
}

static void forget(struct solve_pack *chunk, struct solve_outcome *outcomes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(outcomes[i].witness);
    for (uint32_t i = 0; i < chunk->rungs; i++)
        array_free(&chunk->learned[i]);
}

bool solve_unpack(struct solve_pack *chunk, struct bytes bytes)
{
    struct reader reader = {bytes.data, bytes.size, true};
    size_t count = chunk->end - chunk->begin;
    struct solve_outcome *outcomes = NEW_ARRAY(struct solve_outcome, count);
    uint64_t steps = get_number(&reader, UINT64_MAX);
    for (uint32_t i = 0; i < chunk->rungs; i++)
        get_walls(&reader, &chunk->learned[i]);
    for (size_t i = 0; i < count && reader.good; i++)
        get_outcome(&reader, chunk, &chunk->tasks[chunk->todo[chunk->begin + i]], &outcomes[i]);
    reader.good &= reader.left == 0;
    if (reader.good) {
        chunk->steps = steps;
        for (size_t i = 0; i < count; i++)
            chunk->outcomes[chunk->todo[chunk->begin + i]] = outcomes[i];
    } else {
        forget(chunk, outcomes, count);
    }
    free(outcomes);
    return reader.good;
}

uint64_t solve_print(const struct solve_task *tasks, const size_t *todo, size_t count,
                     uint64_t budget)
{
    uint64_t print = XXH3_64bits_withSeed(&budget, sizeof budget, count);
    for (size_t i = 0; i < count; i++) {
        const struct solve_task *task = &tasks[todo[i]];
        const uint32_t head[] = {task->goal, task->size, task->count, task->sound_only};
        print = XXH3_64bits_withSeed(head, sizeof head, print);
        print = XXH3_64bits_withSeed(
            task->events, (size_t)task->size * task->count * sizeof *task->events, print);
    }
    return print;
}
