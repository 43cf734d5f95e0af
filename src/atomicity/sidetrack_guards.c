/* SPDX-License-Identifier: MIT */
#include "atomicity/sidetrack_guards.h"

static bool is_like(const struct guard_window *window, const struct access *begin,
                    const struct access *end, const uint32_t *blame, uint32_t blamed)
{
    return blamed && window->blame.count == blamed &&
           array_last(&window->blame) == blame[blamed - 1] &&
           window->begin.location == begin->location && window->end.location == end->location;
}

/* The thread's window, its end behind those of all others. */
static struct guard_window *latest_window(struct guard *guard, const struct access *end)
{
    struct guard_window_end latest = {{end->thread, end->tick}, (uint32_t)guard->windows.count};
    size_t place = 0;
    while (place < guard->ends.count && guard->ends.items[place].epoch.thread != end->thread)
        place++;
    array_grow(&guard->ends, place + 1);
    if (guard->windows.count == guard->ends.count)
        latest.window = guard->ends.items[place].window;
    array_grow(&guard->windows, guard->ends.count);
    memmove(&guard->ends.items[place], &guard->ends.items[place + 1],
            (guard->ends.count - place - 1) * sizeof latest);
    array_last(&guard->ends) = latest;
    return &guard->windows.items[latest.window];
}

void guard_remember_window(struct guard *guard, const struct access *begin,
                           const struct access *end, const uint32_t *blame, uint32_t blamed)
{
    struct guard_window *window = latest_window(guard, end);
    if (!is_like(window, begin, end, blame, blamed))
        memset(window->reported, 0, sizeof window->reported);
    window->begin = *begin;
    window->end = *end;
    window->blame.count = 0;
    for (uint32_t i = 0; i < blamed; i++)
        array_push(&window->blame, blame[i]);
}

void guards_free(struct guards *guards)
{
    for (size_t i = 0; i < guards->count; i++) {
        for (size_t k = 0; k < guards->items[i].windows.count; k++)
            array_free(&guards->items[i].windows.items[k].blame);
        array_free(&guards->items[i].windows);
        array_free(&guards->items[i].ends);
    }
    array_free(guards);
}
