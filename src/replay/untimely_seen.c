/* SPDX-License-Identifier: MIT */
#include "replay/untimely_seen.h"

#include <string.h>

/* An access by what it is in any run: its thread, its place, and the how manieth it is. */
struct known_access {
    const struct finding_event *event;
    uint32_t number, seen;
};

static bool is_access(const struct trace *trace, const struct event *event,
                      const struct history *history, const struct finding_event *wanted)
{
    return op_performed(event->op) == op_performed(wanted->op) &&
           strcmp(trace_name(trace, CLASS_THREAD, event->thread),
                  trace_name(history->trace, CLASS_THREAD, wanted->thread)) == 0 &&
           strcmp(trace_location(trace, event->location),
                  trace_location(history->trace, wanted->location)) == 0;
}

static struct known_access access_known(const struct history *history,
                                        const struct finding_event *event)
{
    struct known_access known = {.event = event};
    uint32_t end = history->index[event->pos];
    for (uint32_t i = 0; i <= end; i++) {
        const struct event *each = &history->events[history_pos(history, event->thread, i)];
        known.number += op_performed(each->op) == op_performed(event->op) &&
                        strcmp(trace_location(history->trace, each->location),
                               trace_location(history->trace, event->location)) == 0;
    }
    return known;
}

bool untimely_seen(const char *path, const struct history *history, const struct finding *finding)
{
    struct error ignored = {0};
    struct known_access read = access_known(history, &finding->events[0]);
    struct known_access write = access_known(history, &finding->events[1]);
    struct trace *trace = trace_open(path, &ignored);
    const struct event *batch;
    long count;
    while (trace && read.seen < read.number && (count = trace_next(trace, &batch, &ignored)) > 0)
        for (long i = 0; i < count && read.seen < read.number; i++) {
            read.seen += is_access(trace, &batch[i], history, read.event);
            write.seen += is_access(trace, &batch[i], history, write.event);
        }
    trace_close(trace);
    bool written = write.seen >= write.number;
    return read.seen == read.number && written == (finding->error == ATOMICITY_AFTER);
}

const char *untimely_seen_text(const struct finding *finding)
{
    return finding->error == ATOMICITY_BEFORE ? "the read came before what it relies on"
                                              : "the read came after what it relies on had ended";
}
