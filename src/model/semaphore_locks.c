/* SPDX-License-Identifier: MIT */
#include "model/semaphore_locks.h"

#include "base/map.h"
#include "base/memory.h"

#include <stdlib.h>

bool *semaphore_locks(const struct history *history)
{
    uint32_t count = trace_count(history->trace, CLASS_SEMAPHORE);
    if (!count)
        return NULL;
    bool *locks = NEW_ARRAY(bool, count), any = false;
    for (uint32_t i = 0; i < count; i++)
        locks[i] = trace_semaphore_initial(history->trace, i) == 1;
    struct map held = {0}; /* (thread, semaphore) */
    for (uint32_t pos = 0; pos < history->count; pos++) {
        const struct event *event = &history->events[pos];
        uint64_t key = map_pair(event->thread, event->object);
        bool added = true;
        if (event->op == EVENT_POST)
            added = map_remove(&held, key);
        else if (event->op == EVENT_SEM_WAIT && !(event->flags & EVENT_FAILED))
            map_at(&held, key, &added);
        if (!added)
            locks[event->object] = false;
    }
    map_free(&held);
    for (uint32_t i = 0; i < count; i++)
        any |= locks[i];
    if (any)
        return locks;
    free(locks);
    return NULL;
}

bool semaphore_held_before(const struct history *history, uint32_t pos, uint32_t semaphore)
{
    uint32_t thread = history->events[pos].thread;
    for (uint32_t index = history->index[pos]; index-- > 0;) {
        const struct event *event = &history->events[history_pos(history, thread, index)];
        if (event->op == EVENT_POST && event->object == semaphore)
            return false;
        if (event->op == EVENT_SEM_WAIT && event->object == semaphore &&
            !(event->flags & EVENT_FAILED))
            return true;
    }
    return false;
}
