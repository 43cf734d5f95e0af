#include "reference/chunks.h"

#include "base/array.h"
#include "base/random.h"

#include <stdbool.h>
#include <stdio.h>

enum { THREADS = 5, LOCKS = 6, DEPTH = 3 };

enum kind { ACQUIRE, RELEASE, READ, WRITE };

struct operation {
    enum kind kind;
    uint32_t object;
};

struct program {
    struct operation *items;
    size_t count, capacity, at;
};

static void emit(struct program *program, enum kind kind, uint32_t object)
{
    struct operation operation = {kind, object};
    array_push(program, operation);
}

/* Variable 0 is the one that may race; variable n + 1 belongs to lock n. */
static void emit_sync(struct program *program, uint32_t lock)
{
    emit(program, ACQUIRE, lock);
    emit(program, READ, lock + 1);
    emit(program, WRITE, lock + 1);
    emit(program, RELEASE, lock);
}

static void emit_chunks(struct program *program, struct random *random, unsigned held,
                        uint32_t depth)
{
    uint32_t count = random_below(random, depth ? 3 : 4) + (depth ? 0 : 1);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t lock = random_below(random, LOCKS), choice = random_below(random, 10);
        if (choice < 2) {
            emit(program, random_chance(random, 30) ? READ : WRITE, 0);
        } else if (held >> lock & 1) {
            continue;
        } else if (choice < 6) {
            emit_sync(program, lock);
        } else {
            emit(program, ACQUIRE, lock);
            if (depth + 1 < DEPTH)
                emit_chunks(program, random, held | 1u << lock, depth + 1);
            emit(program, RELEASE, lock);
        }
    }
}

static bool step(struct program *program, uint32_t thread, uint32_t *owner_plus_one, FILE *out)
{
    static const char *const words[] = {"acq", "rel", "r", "w"};
    const struct operation *operation = &program->items[program->at];
    if (operation->kind == ACQUIRE && owner_plus_one[operation->object])
        return false;
    if (operation->kind == ACQUIRE)
        owner_plus_one[operation->object] = thread + 1;
    if (operation->kind == RELEASE)
        owner_plus_one[operation->object] = 0;
    fprintf(out, "T%u|%s(%c%u)|%u%c%zu\n", thread, words[operation->kind],
            operation->kind <= RELEASE ? 'l' : 'x', operation->object, thread, 'a', program->at);
    program->at++;
    return true;
}

/* Threads mostly run on, and stop where they would block; a deadlock ends it. */
static void interleave(struct program *programs, struct random *random, FILE *out)
{
    uint32_t owner_plus_one[LOCKS] = {0};
    uint32_t thread = 0, stuck = 0;
    while (stuck < 64) {
        if (random_chance(random, 12) || stuck)
            thread = random_below(random, THREADS);
        bool moved = programs[thread].at < programs[thread].count &&
                     step(&programs[thread], thread, owner_plus_one, out);
        stuck = moved ? 0 : stuck + 1;
    }
}

char *chunks_generate(uint64_t seed, size_t *length)
{
    struct random random = {seed * UINT64_C(0x9e3779b97f4a7c15) + 1};
    struct program programs[THREADS] = {{0}};
    uint32_t threads = 2 + random_below(&random, THREADS - 1);
    char *text = NULL;
    FILE *out = open_memstream(&text, length);
    for (uint32_t i = 0; i < threads; i++)
        emit_chunks(&programs[i], &random, 0, 0);
    interleave(programs, &random, out);
    fclose(out);
    for (uint32_t i = 0; i < THREADS; i++)
        array_free(&programs[i]);
    return text;
}
