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

bool vclock_join(struct vclock *clock, const struct vclock *other)
{
    resize(clock, other->size);
    uint32_t grew = 0;
    uint32_t *restrict mine = clock->ticks;
    const uint32_t *restrict theirs = other->ticks;
    for (uint32_t i = 0; i < other->size; i++) {
        grew |= mine[i] < theirs[i];
        mine[i] = mine[i] < theirs[i] ? theirs[i] : mine[i];
    }
    return grew;
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
    for (uint32_t i = 0; i < other->size; i++)
        if (other->ticks[i] > vclock_get(clock, i))
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
