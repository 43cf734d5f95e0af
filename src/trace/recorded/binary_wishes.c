/* SPDX-License-Identifier: MIT */
/* What the threads of a recorded program still waited for when it ended: the wishes in the
 * headers of their streams (encoding.h). */
#include "trace/recorded/binary_wishes.h"

#include "base/files.h"
#include "trace/recorded/binary_source.h"

#include <dirent.h>
#include <stdio.h>

/* What a thread may wait for. */
#define OPS_WISHED                                                                                 \
    (OP_BIT(EVENT_ACQUIRE) | OP_BIT(EVENT_ACQUIRE_READ) | OP_BIT(EVENT_ACQUIRE_WRITE) |            \
     OP_BIT(EVENT_WAIT_END) | OP_BIT(EVENT_BARRIER_EXIT) | OP_BIT(EVENT_SEM_WAIT) |                \
     OP_BIT(EVENT_ONCE_PASS) | OP_BIT(EVENT_JOIN))

static bool read_wish(struct trace *trace, uint32_t thread, struct event *event)
{
    struct binary_source *self = trace->source;
    const struct stream_header *header = &self->threads.items[thread].header;
    unsigned op = (header->wish & 0xff) - 1;
    bool ended = thread < self->ended.count && self->ended.items[thread];
    if (!header->wish || ended || op >= EVENT_COUNT || !op_in(op, OPS_WISHED))
        return false;
    struct binary_unit unit = {
        .is_record = true,
        .op = (uint8_t)op,
        .object = header->wish_object,
        .other = header->wish_other,
    };
    *event = (struct event){
        .thread = thread,
        .op = (uint8_t)op,
        .flags = EVENT_WISH | ((uint8_t)(header->wish >> 8) & EVENT_TRY),
        .location = binary_places_location(self->places, header->wish_pc),
        .stack = binary_merge_wish_stack(self->merge, thread),
        .value = thread < self->scheduled.count ? self->scheduled.items[thread] : 0,
    };
    binary_places_home(self->places, &event->location, &event->stack);
    return binary_name_operands(trace, event, &unit);
}

void binary_wishes_deliver(struct trace *trace)
{
    struct binary_source *self = trace->source;
    /* Of a recording that stopped before its end, or that goes on, they are not the last word. */
    if (!self->whole || self->threads.last_stamp != UINT64_MAX || trace->wishes)
        return;
    trace->wishes = NEW_ARRAY(struct event, self->threads.count + 1);
    for (uint32_t i = 0; i < self->threads.count; i++)
        if (read_wish(trace, i, &trace->wishes[trace->wish_count]))
            trace->wish_count++;
}

void binary_waiting_count(struct binary_waiting *waiting, const char *directory)
{
    char path[4700];
    snprintf(path, sizeof path, "%s/streams", directory);
    DIR *streams = files_list(path);
    for (struct dirent *entry; streams && (entry = readdir(streams));) {
        struct stream_header header;
        snprintf(path, sizeof path, "%s/streams/%s", directory, entry->d_name);
        FILE *file = entry->d_name[0] != '.' ? files_read(path) : NULL;
        bool good = file && fread(&header, sizeof header, 1, file) == 1 &&
                    header.magic == ENCODING_MAGIC && !(header.flags & STREAM_ENDED);
        if (file)
            fclose(file);
        waiting->threads += good;
        waiting->waiting += good && header.wish && !(header.wish >> 8 & EVENT_TRY);
    }
    if (streams)
        closedir(streams);
}
