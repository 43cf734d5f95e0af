/* SPDX-License-Identifier: MIT */
#include "runtime/wish.h"

#include "runtime/host.h"

/* The call stack as a node of the stream; 0 if the stream is being written at this moment. */
static uint32_t current_node(struct recorder *self, uintptr_t pc)
{
    uint32_t node = 0;
    if (!recorder_enter(self))
        return 0;
    if (process_recording()) {
        host_frames(self, pc);
        modules_note(pc);
        node = stack_current(self);
    }
    recorder_leave(self);
    return node;
}

/* In the order in which whoever reads the file after a kill can rely on. */
static void put(struct stream_header *header, const struct wish *wish)
{
    __atomic_store_n(&header->wish, 0, __ATOMIC_RELEASE);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    header->wish_object = wish->object;
    header->wish_other = wish->other;
    header->wish_pc = wish->pc;
    header->wish_node = wish->node;
    __atomic_store_n(&header->wish, wish->wish, __ATOMIC_RELEASE);
}

struct wish wish_begin(const struct sync *sync, unsigned op)
{
    struct recorder *self = sync->recorder;
    struct stream_header *header = self ? self->header : NULL;
    if (!header)
        return (struct wish){0};
    struct wish made = {.object = sync->record.object,
                        .other = sync->record.other,
                        .pc = sync->record.pc,
                        .node = current_node(self, sync->record.pc),
                        .wish = op + 1 + ((uint32_t)sync->record.flags << 8)};
    struct wish before = {.header = header, .wish = header->wish};
    if (before.wish) {
        before.object = header->wish_object;
        before.other = header->wish_other;
        before.pc = header->wish_pc;
        before.node = header->wish_node;
    }
    put(header, &made);
    self->wish_pointer = (uintptr_t)__builtin_frame_address(0);
    return before;
}

void wish_end(struct wish *wish)
{
    if (wish->header)
        put(wish->header, wish);
    wish->header = NULL;
}

void wish_leave(struct recorder *self, uintptr_t pointer)
{
    if (self->header && self->header->wish && self->wish_pointer < pointer)
        put(self->header, &(struct wish){0});
}
