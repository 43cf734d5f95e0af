/* SPDX-License-Identifier: MIT */
#include "engine/whole.h"

static bool must_keep(const struct whole *whole)
{
    return whole->certainly || !whole->trace->again;
}

void whole_feed(struct whole *whole, const struct event *events, size_t count)
{
    if (!whole->wanted || whole->dropped)
        return;
    if (whole->events.count + count > WHOLE_SMALL && !must_keep(whole)) {
        array_free(&whole->events);
        whole->dropped = true;
        return;
    }
    /* More than a batch may be up to as many, and room for them is only paid for as it is
     * used, while growing would copy. */
    if (whole->events.count && whole->events.count + count <= WHOLE_SMALL)
        array_reserve(&whole->events, WHOLE_SMALL);
    array_reserve(&whole->events, whole->events.count + count);
    memcpy(whole->events.items + whole->events.count, events, count * sizeof *events);
    whole->events.count += count;
}

void whole_end(struct whole *whole)
{
    if (!whole->wanted || whole->dropped)
        return;
    whole->history =
        history_create(whole->trace, whole->events.items, (uint32_t)whole->events.count);
    whole->events = (struct whole_events){0}; /* they are the history's now */
}

int whole_has_changed(const struct trace *trace, struct error *error)
{
    return error_set(error, ERROR_INPUT, "%s: it has changed while it was read", trace->path);
}

const struct history *whole_history(struct whole *whole, struct error *error)
{
    if (whole->history)
        return whole->history;
    whole->again = whole->trace->again(whole->trace, error);
    whole->history = whole->again ? history_read(whole->again, error) : NULL;
    if (whole->history && whole->history->count != whole->trace->delivered) {
        whole_has_changed(whole->trace, error);
        return NULL;
    }
    return whole->history;
}

void whole_free(struct whole *whole)
{
    array_free(&whole->events);
    history_destroy(whole->history);
    trace_close(whole->again);
    *whole = (struct whole){0};
}
