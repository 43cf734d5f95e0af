/* SPDX-License-Identifier: MIT */
/* All streams of a trace directory as one sequence of units, by (stamp, thread):
 * an order that could have been observed (encoding.h). Streams are opened when
 * their thread starts and closed when it ends, so that a trace of thousands of
 * threads needs memory for those that live at one time. */
#ifndef PREPLAY_TRACE_RECORDED_BINARY_MERGE_H
#define PREPLAY_TRACE_RECORDED_BINARY_MERGE_H

#include "base/map.h"
#include "trace/recorded/binary_stream.h"

/* The threads of a trace, in the order of their ids: main first, then by the
 * length of the creation path, then by the path. */
struct binary_thread {
    char *file;
    char *name; /* "T0", "T0.2.1": the creation path */
    struct stream_header header;
    uint64_t first_stamp;
    uint64_t bytes; /* how much of the file is to be read; UINT64_MAX for all */
};

struct binary_threads {
    struct binary_thread *items;
    uint32_t count;
    struct map by_number; /* stream number -> id */
    uint64_t last_stamp;  /* recording stopped here; UINT64_MAX if it did not */
};

#define BINARY_NO_THREAD UINT32_MAX

/* Reads the headers; 0 or -1. `cut` (binary_follow.h) is NULL for the whole trace. */
struct binary_cut;
int binary_threads_read(struct binary_threads *threads, const char *directory,
                        const struct binary_cut *cut, struct error *error);
void binary_threads_free(struct binary_threads *threads);
/* The id of the thread with this stream number, or BINARY_NO_THREAD. */
uint32_t binary_threads_find(const struct binary_threads *threads, uint64_t number);

struct binary_merge;

struct binary_merge *binary_merge_create(const struct binary_threads *threads,
                                         struct binary_places *places);
void binary_merge_destroy(struct binary_merge *merge);
/* 1 with a unit of `thread`, 0 at the end, -1 on an error. */
int binary_merge_next(struct binary_merge *merge, uint32_t *thread, struct binary_unit *unit,
                      struct error *error);
/* Once a thread's stream has come to its end: the call stack of its wish. */
uint32_t binary_merge_wish_stack(const struct binary_merge *merge, uint32_t thread);

#endif
