/* SPDX-License-Identifier: MIT */
#include "model/vclock.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static void resize(struct vclock *clock, uint32_t size)
{
    if (size > clock->room) {
        clock->room = size < 8 ? 8 : size + size / 2;
        clock->ticks = memory_resize(clock->ticks, clock->room, sizeof *clock->ticks);
    }
    if (size > clock->size) {
        memset(clock->ticks + clock->size, 0, (size - clock->size) * sizeof *clock->ticks);
        clock->size = size;
    }
}

void vclock_set(struct vclock *clock, uint32_t thread, uint32_t tick)
{
    resize(clock, thread + 1);
    clock->ticks[thread] = tick;
}

/* Clocks are joined and compared eight entries at a time: with a hundred threads, that is
 * where the relations spend their time. The compiler makes of it what the machine has. */
enum { LANES = 8 };
typedef uint32_t lanes __attribute__((vector_size(LANES * sizeof(uint32_t)), aligned(4)));

#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) &&                 \
    !defined(__clang__)
#define WIDEST __attribute__((target_clones("avx2", "default")))
#else
#define WIDEST
#endif

WIDEST static bool join(uint32_t *restrict mine, const uint32_t *restrict theirs, uint32_t size)
{
    lanes grew = {0};
    uint32_t at = 0, rest = 0;
    for (; at + LANES <= size; at += LANES) {
        lanes a = *(const lanes *)(mine + at), b = *(const lanes *)(theirs + at);
        lanes less = (lanes)(a < b);
        *(lanes *)(mine + at) = (less & b) | (~less & a);
        grew |= less;
    }
    for (; at < size; at++) {
        rest |= mine[at] < theirs[at];
        mine[at] = mine[at] < theirs[at] ? theirs[at] : mine[at];
    }
    for (int i = 0; i < LANES; i++)
        rest |= grew[i];
    return rest;
}

bool vclock_join(struct vclock *clock, const struct vclock *other)
{
    resize(clock, other->size);
    return join(clock->ticks, other->ticks, other->size);
}

/* The first entry from `at` on in which `theirs` has seen more; `size` if there is none. */
WIDEST static uint32_t next_above(const uint32_t *mine, const uint32_t *theirs, uint32_t at,
                                  uint32_t size)
{
    for (; at + LANES <= size; at += LANES) {
        lanes a = *(const lanes *)(mine + at), b = *(const lanes *)(theirs + at);
        lanes less = (lanes)(a < b);
        uint32_t any = 0;
        for (int i = 0; i < LANES; i++)
            any |= less[i];
        if (any)
            break;
    }
    while (at < size && theirs[at] <= mine[at])
        at++;
    return at;
}

uint32_t vclock_next_above(struct vclock *clock, const struct vclock *other, uint32_t from)
{
    resize(clock, other->size);
    return next_above(clock->ticks, other->ticks, from, other->size);
}

void vclock_copy(struct vclock *clock, const struct vclock *other)
{
    resize(clock, other->size);
    if (other->size)
        memcpy(clock->ticks, other->ticks, other->size * sizeof *clock->ticks);
    clock->size = other->size;
}

bool vclock_covers(const struct vclock *clock, const struct vclock *other)
{
    uint32_t common = clock->size < other->size ? clock->size : other->size;
    if (common && next_above(clock->ticks, other->ticks, 0, common) < common)
        return false;
    for (uint32_t i = common; i < other->size; i++)
        if (other->ticks[i])
            return false;
    return true;
}

void vclock_clear(struct vclock *clock)
{
    clock->size = 0;
}

void vclock_free(struct vclock *clock)
{
    free(clock->ticks);
    *clock = (struct vclock){0};
}
