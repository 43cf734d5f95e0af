/* SPDX-License-Identifier: MIT */
#include "trace/recorded/binary_merge.h"

#include "base/memory.h"

#include <stdlib.h>

struct entry {
    uint64_t stamp;
    uint32_t thread;
};

struct binary_merge {
    const struct binary_threads *threads;
    struct binary_places *places;
    struct binary_stream **streams; /* by thread; NULL before its start and after its end */
    struct entry *heap;             /* a binary heap, lowest (stamp, thread) first */
    uint32_t count;
    uint32_t *wish_stacks; /* by thread */
    bool top_taken;        /* heap[0] was delivered and awaits its next stamp */
};

static bool before(const struct entry *a, const struct entry *b)
{
    return a->stamp < b->stamp || (a->stamp == b->stamp && a->thread < b->thread);
}

static void sift_down(struct binary_merge *self, uint32_t at)
{
    struct entry entry = self->heap[at];
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child >= self->count)
            break;
        if (child + 1 < self->count && before(&self->heap[child + 1], &self->heap[child]))
            child++;
        if (!before(&self->heap[child], &entry))
            break;
        self->heap[at] = self->heap[child];
        at = child;
    }
    self->heap[at] = entry;
}

struct binary_merge *binary_merge_create(const struct binary_threads *threads,
                                         struct binary_places *places)
{
    struct binary_merge *self = NEW(struct binary_merge);
    self->threads = threads;
    self->places = places;
    self->streams = NEW_ARRAY(struct binary_stream *, threads->count + 1);
    self->heap = NEW_ARRAY(struct entry, threads->count + 1);
    self->wish_stacks = NEW_ARRAY(uint32_t, threads->count + 1);
    self->count = threads->count;
    for (uint32_t i = 0; i < threads->count; i++)
        self->heap[i] = (struct entry){threads->items[i].first_stamp, i};
    for (uint32_t i = self->count; i-- > 0;)
        sift_down(self, i);
    return self;
}

void binary_merge_destroy(struct binary_merge *self)
{
    if (!self)
        return;
    for (uint32_t i = 0; i < self->threads->count; i++)
        binary_stream_close(self->streams[i]);
    free(self->streams);
    free(self->heap);
    free(self->wish_stacks);
    free(self);
}

static int advance_top(struct binary_merge *self, struct error *error)
{
    uint32_t thread = self->heap[0].thread;
    int answer =
        binary_stream_peek(self->streams[thread], self->places, &self->heap[0].stamp, error);
    if (answer < 0)
        return -1;
    if (answer == 0) {
        self->wish_stacks[thread] = binary_stream_stack(
            self->streams[thread], self->threads->items[thread].header.wish_node);
        binary_stream_close(self->streams[thread]);
        self->streams[thread] = NULL;
        self->heap[0] = self->heap[--self->count];
    }
    if (self->count)
        sift_down(self, 0);
    self->top_taken = false;
    return 0;
}

int binary_merge_next(struct binary_merge *self, uint32_t *thread, struct binary_unit *unit,
                      struct error *error)
{
    if (self->top_taken && advance_top(self, error))
        return -1;
    if (!self->count || self->heap[0].stamp > self->threads->last_stamp)
        return 0;
    *thread = self->heap[0].thread;
    if (!self->streams[*thread]) {
        struct stream_header header;
        const struct binary_thread *opened = &self->threads->items[*thread];
        self->streams[*thread] = binary_stream_open(opened->file, opened->bytes, &header, error);
        if (!self->streams[*thread])
            return -1;
    }
    self->top_taken = true;
    return binary_stream_next(self->streams[*thread], self->places, unit, error);
}

uint32_t binary_merge_wish_stack(const struct binary_merge *self, uint32_t thread)
{
    return self->wish_stacks[thread];
}
