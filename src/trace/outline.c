/* SPDX-License-Identifier: MIT */
#include "trace/outline.h"

int outline_read(struct outline *outline, struct trace *trace, struct error *error)
{
    struct event_list ARRAY_OF(struct event) list = {0};
    const struct event *batch;
    long count;
    *outline = (struct outline){0};
    while ((count = trace_next(trace, &batch, error)) > 0)
        for (long i = 0; i < count; i++) {
            array_grow(&outline->lengths, batch[i].thread + 1);
            outline->lengths.items[batch[i].thread]++;
            if (!op_in(batch[i].op, OPS_ACCESS | OPS_LOCAL))
                array_push(&list, batch[i]);
        }
    if (count < 0) {
        array_free(&list);
        return -1;
    }
    array_grow(&outline->lengths, trace_count(trace, CLASS_THREAD));
    outline->history = history_create(trace, list.items, (uint32_t)list.count);
    return 0;
}

void outline_free(struct outline *outline)
{
    history_destroy(outline->history);
    array_free(&outline->lengths);
}
