#include "misuse/strict.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#define OPS_READ_WRITE (OP_BIT(EVENT_ACQUIRE_READ) | OP_BIT(EVENT_ACQUIRE_WRITE))

struct history *strict_history_create(const struct misuse_index *index)
{
    const struct history *history = index->history;
    struct event *events = memory_alloc(history_total(history), sizeof *events);
    bool *read_write = NEW_ARRAY(bool, index->locks);
    memcpy(events, history->events, history->count * sizeof *events);
    for (uint32_t pos = 0; pos < history->count; pos++) {
        struct event *event = &events[pos];
        if (op_in(event->op, OPS_READ_WRITE))
            read_write[event->object] = true;
        if (event->op != EVENT_DESTROY || index->destroy[event->object] != pos)
            continue;
        event->op = read_write[event->object] ? EVENT_ACQUIRE_WRITE : EVENT_ACQUIRE;
        event->flags = EVENT_TRY;
    }
    free(read_write);
    struct history *strict =
        history_create_with(history->trace, events, history->count, history->variables);
    if (strict->has_values) {
        memcpy(strict->initial_value, history->initial_value,
               history->variables * sizeof *strict->initial_value);
        memcpy(strict->initial_known, history->initial_known,
               history->variables * sizeof *strict->initial_known);
    }
    return strict;
}
