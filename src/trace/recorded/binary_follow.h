/* SPDX-License-Identifier: MIT */
/* Follows a process that is being recorded, so that what it has done so far can be
 * read as a trace while it runs.
 *
 * Streams are written without any regard to each other, so that their ends at one
 * moment are no moment of the run: one may hold the effect of an event that is not
 * in its own stream yet. A *cut* is made of two looks. Whatever was written by the
 * first look rests on events that were written by the second. So the cut is what the
 * first look found, with stamps below the first stamp of all that only the second
 * one found: an event that is missing then has a higher stamp than everything in the
 * cut, and what an event rests on has lower stamps than the event.
 *
 * An atomic operation is written a moment after it took effect. A thread that wrote
 * nothing between the looks must therefore be seen to sleep or to run, else only
 * what is older than its last stamp is taken. So nobody's sleep holds the cut back,
 * and nobody's preemption makes it wrong. */
#ifndef PREPLAY_TRACE_RECORDED_BINARY_FOLLOW_H
#define PREPLAY_TRACE_RECORDED_BINARY_FOLLOW_H

#include "base/error.h"
#include "base/map.h"
#include "trace/trace.h"

/* How much of a trace directory is to be read. */
struct binary_cut {
    struct map ends; /* stream number -> bytes; a stream that is not listed is left out */
    uint64_t limit;  /* only stamps below this */
    uint64_t bytes;  /* of all streams */
};

void binary_cut_free(struct binary_cut *cut);

struct binary_follow;

struct binary_follow *binary_follow_create(const char *directory);
void binary_follow_destroy(struct binary_follow *follow);

/* How many bytes of records there are by now. */
uint64_t binary_follow_look(struct binary_follow *follow);
/* Cuts the trace about now; false if there is nothing to cut, or the process turns into
 * another one at this moment. binary_cut_free() in either case. */
bool binary_follow_cut(struct binary_follow *follow, struct binary_cut *cut);

/* As trace_open() of the directory, up to the cut, which need not outlive the call. */
struct trace *binary_open_cut(const char *directory, const struct binary_cut *cut,
                              struct error *error);

#endif
