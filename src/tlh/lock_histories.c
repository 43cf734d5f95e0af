/* SPDX-License-Identifier: MIT */
#include "tlh/lock_histories.h"

#include "base/sorted.h"
#include "base/array.h"
#include "search/index.h"

static bool is_history_event(const struct search_index *index, const struct event *event)
{
    if (!event_acquires(event) && !event_releases(event))
        return false;
    uint32_t lock = event_lock(event);
    return index->users.start[lock + 1] - index->users.start[lock] > 1;
}

struct lock_histories *lock_histories_create(const struct search_index *index)
{
    const struct history *history = index->history;
    struct lock_histories *histories = NEW(struct lock_histories);
    struct events ARRAY_OF(uint32_t) events = {0};
    histories->index = index;
    histories->start = NEW_ARRAY(uint32_t, history->threads + 1);
    for (uint32_t thread = 0; thread < history->threads; thread++) {
        for (uint32_t i = 0; i < history_thread_length(history, thread); i++) {
            uint32_t pos = history_pos(history, thread, i);
            if (is_history_event(index, &history->events[pos]))
                array_push(&events, pos);
        }
        histories->start[thread + 1] = (uint32_t)events.count;
    }
    histories->events = events.items;
    return histories;
}

void lock_histories_destroy(struct lock_histories *histories)
{
    if (!histories)
        return;
    free(histories->start);
    free(histories->events);
    free(histories);
}

uint32_t lock_histories_before(const struct lock_histories *histories, uint32_t thread,
                               uint32_t pos)
{
    uint32_t low = SORTED_POINT(middle, histories->start[thread], histories->start[thread + 1],
                                histories->events[middle] < pos);
    return low - histories->start[thread];
}
