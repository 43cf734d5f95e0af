/* SPDX-License-Identifier: MIT */
#include "relations/open_sections.h"

static void hold(struct open_sections *open, const struct event *event)
{
    struct event acquire = *event;
    if (event->op == EVENT_WAIT_END) { /* the wait is over: what is left is a mutex */
        acquire.op = EVENT_ACQUIRE;
        acquire.object = event->other;
        acquire.other = 0;
    }
    acquire.flags = 0;
    array_push(open, acquire);
}

void open_sections_step(struct open_sections *open, const struct event *event)
{
    if (event_acquires(event)) {
        hold(open, event);
        return;
    }
    if (!event_releases(event))
        return;
    for (size_t i = open->count; i-- > 0;)
        if (open->items[i].thread == event->thread && open->items[i].object == event_lock(event)) {
            memmove(&open->items[i], &open->items[i + 1],
                    (open->count - i - 1) * sizeof *open->items);
            open->count--;
            return;
        }
}
