/* SPDX-License-Identifier: MIT */
/* A trace, opened for one linear reading. TRACE on the command line is a
 * preplay.data directory, a .std or a .tiddle file; trace_open() looks and picks
 * the format. Every byte is hostile: a malformed trace is an ERROR_INPUT with
 * the place and the reason.
 *
 * Events come in batches, in observed order; the n-th event delivered has
 * pos == n, counting from 0. Ids are dense and names known once the event that
 * mentions them was delivered. Rules of a well-formed trace (wellformed.h) are
 * checked on the way, re-entrant inner acquire/release pairs are dropped. */
#ifndef PREPLAY_TRACE_TRACE_H
#define PREPLAY_TRACE_TRACE_H

#include "base/array.h"
#include "base/error.h"
#include "base/intern.h"
#include "base/md5.h"
#include "trace/event.h"
#include "trace/selection.h"

#include <stddef.h>

#define TRACE_BATCH 4096 /* events a call of trace_next delivers at most */

struct trace;

/* The memory a variable lies in. */
struct trace_origin {
    enum { ORIGIN_HEAP, ORIGIN_STACK } kind;
    uint32_t thread;          /* that allocated the block, or whose stack it is */
    uint32_t location, stack; /* of the allocation */
    uint64_t offset, size;    /* into the block, and the block's size */
};

/* An event's place: location and call stack. */
struct trace_place {
    uint32_t location, stack;
};

/* What a format implements. */
struct trace_format {
    const char *name; /* "std", "tiddle", "binary" */
    /* Fills up to `capacity` events; 0 at the end, -1 with an error. */
    long (*next)(struct trace *trace, struct event *events, size_t capacity, struct error *error);
    void (*close)(struct trace *trace);
    /* Optional: back to the beginning, for trace_rewind(). */
    void (*rewind)(struct trace *trace);
    /* Optional: the name of a location id; NULL means locations are interned. */
    const char *(*location)(const struct trace *trace, uint32_t location);
    /* Optional, for formats with call stacks: see trace_caller(), trace_function(). */
    bool (*caller)(const struct trace *trace, uint32_t stack, uint32_t *location, uint32_t *outer);
    const char *(*function)(const struct trace *trace, uint32_t location);
    bool (*frame)(const struct trace *trace, uint32_t location, uint32_t level,
                  const char **function, const char **place);
    /* Optional: trace_stable_location(). */
    const char *(*stable_location)(const struct trace *trace, uint32_t location);
    /* Optional: trace_identity(). */
    const char *(*identity)(const struct trace *trace, uint32_t location);
    /* Optional: trace_build_directory(). */
    const char *(*build_directory)(const struct trace *trace, uint32_t number);
    /* Optional: trace_vouches_for(). */
    bool (*vouches_for)(const struct trace *trace, const uint8_t sum[MD5_BYTES]);
    /* Optional: trace_code(). */
    bool (*code)(const struct trace *trace, uint32_t location, const char **module,
                 uint64_t *offset);
    /* Optional, all or none: trace_leads(), trace_carries(), trace_decides(), trace_tests(),
     * trace_updates(). */
    bool (*leads)(const struct trace *trace, uint32_t from, uint32_t via, uint32_t to);
    bool (*carries)(const struct trace *trace, struct trace_place from, struct trace_place to,
                    uint32_t common);
    bool (*decides)(const struct trace *trace, struct trace_place from, struct trace_place to,
                    uint32_t common);
    bool (*tests)(const struct trace *trace, struct trace_place from);
    bool (*updates)(const struct trace *trace, uint32_t location);
    /* Optional: trace_origin(). */
    bool (*origin)(const struct trace *trace, uint32_t variable, struct trace_origin *origin);
    /* Optional: trace_initial(). */
    bool (*initial)(const struct trace *trace, uint32_t variable, uint64_t *value);
    /* Optional, both or none: how many variables there are so far, and the name of one, which
     * stays where it is; NULL means variables are interned. */
    uint32_t (*variables)(const struct trace *trace);
    const char *(*variable_name)(const struct trace *trace, uint32_t variable);
};

struct trace {
    const struct trace_format *format;
    char *path;
    struct interner *names[CLASS_COUNT];
    struct interner *locations;
    uint64_t delivered; /* events delivered so far: the pos of the next one */
    uint64_t left_out;  /* recorded events that no rule of synchronisation explains */
    /* Why the recording ended before its program did, in printable characters; NULL if it did not:
     * then what is not found may still be there. */
    char *incomplete;
    /* What threads still waited for when the recorded program ended: operations that were begun
     * and not performed. Known once the trace is read; text traces have none. */
    struct event *wishes;
    uint32_t wish_count;
    struct wellformed *wellformed;
    struct event *batch;
    /* Variables that the batch delivered last is the last one to mention: their memory became
     * another's. Not all that there are, in whatever order. */
    struct gone_variables ARRAY_OF(uint32_t) gone;
    struct selection *selection; /* of plain accesses; NULL: all are delivered */
    /* Variables in events are objects of the recording, as in selections: all there are. For who
     * makes a selection; others get dense numbers of what is delivered. */
    bool by_objects;
    /* Opens the same trace anew; NULL if it can be read only once (a pipe). */
    struct trace *(*again)(const struct trace *trace, struct error *error);
    void *source; /* the format's own state */
};

struct trace *trace_open(const char *path, struct error *error);
void trace_close(struct trace *trace);

/* Delivers the next batch and its size; 0 at the end, -1 on an error. The batch
 * is valid until the next call. */
long trace_next(struct trace *trace, const struct event **batch, struct error *error);

/* Reads it from the beginning again, with what the first reading learnt; false if the format
 * cannot. Ids of threads and locations stay the same. */
bool trace_rewind(struct trace *trace);
/* Before the first event: which accesses are wanted. Takes it over. */
void trace_select(struct trace *trace, struct selection *selection);

/* How many objects of a class were seen so far. */
uint32_t trace_count(const struct trace *trace, enum object_class class);
const char *trace_name(const struct trace *trace, enum object_class class, uint32_t id);
const char *trace_location(const struct trace *trace, uint32_t location);
/* The same without the directory that the program was built in. */
const char *trace_stable_location(const struct trace *trace, uint32_t location);
/* The place in words that stay when lines are added elsewhere: for ids. In a text trace the
 * location itself. */
const char *trace_identity(const struct trace *trace, uint32_t location);
/* Directories where the program was built, or where sources lie that were compiled into it, of the
 * locations that were asked for so far: NULL after the last. */
const char *trace_build_directory(const struct trace *trace, uint32_t number);
/* Does the debug information of the program say that it was made from a file with this checksum? */
bool trace_vouches_for(const struct trace *trace, const uint8_t sum[MD5_BYTES]);
/* The machine code of a location: a file and the offset of its load address; false
 * if the trace is not of a program, or its load map does not tell. */
bool trace_code(const struct trace *trace, uint32_t location, const char **module,
                uint64_t *offset);

/* Does the code know what is asked below? Not of a text trace, nor of a file that is gone. */
bool trace_knows_code(const struct trace *trace);
/* Are the locations in one function, and does it lead from the first by the second to the third in
 * one pass, without going round a loop that all are in? Two of them may be the same. */
bool trace_leads(const struct trace *trace, uint32_t from, uint32_t via, uint32_t to);
/* Does what is read at `from` go into what is written at `to`, in one pass through the function
 * that is called on the stack `common`, which both stacks begin with (symbols/value_flow.h)? */
bool trace_carries(const struct trace *trace, struct trace_place from, struct trace_place to,
                   uint32_t common);
/* Does what is read at `from` decide there whether the write at `to` comes? */
bool trace_decides(const struct trace *trace, struct trace_place from, struct trace_place to,
                   uint32_t common);
/* Does what is read there decide about anything at all, there or in a caller, but for whether the
 * program gives up? */
bool trace_tests(const struct trace *trace, struct trace_place from);
/* Does the write at a location change what is there, and not just replace it? */
bool trace_updates(const struct trace *trace, uint32_t location);

/* A call stack, frame by frame: where the innermost function was called, and the
 * stack it was called on. False at the end (stack 0) or without call stacks.
 *
 *     for (uint32_t at = event->stack; trace_caller(trace, at, &location, &at);) */
bool trace_caller(const struct trace *trace, uint32_t stack, uint32_t *location, uint32_t *outer);
/* The function around a location, or NULL where it is not known. */
const char *trace_function(const struct trace *trace, uint32_t location);
/* The frames that the compiler made one by inlining, `level` 0 the innermost: function (or
 * NULL) and place. False after the last; level 0 is always there.
 *
 *     for (uint32_t i = 0; trace_frame(trace, location, i, &function, &place); i++) */
bool trace_frame(const struct trace *trace, uint32_t location, uint32_t level,
                 const char **function, const char **place);

/* Where a variable's memory came from: false for globals, and where it is not known. */
bool trace_origin(const struct trace *trace, uint32_t variable, struct trace_origin *origin);
/* What the variable held before any event, where the program's file tells; false if it does not. */
bool trace_initial(const struct trace *trace, uint32_t variable, uint64_t *value);

/* The count a semaphore must have had at the start for the observed order to be
 * possible; final once the trace is read. */
uint32_t trace_semaphore_initial(const struct trace *trace, uint32_t semaphore);
/* How many threads enter a barrier instance; final once the trace is read. */
uint32_t trace_barrier_parties(const struct trace *trace, uint32_t instance);
uint32_t trace_barrier_instances(const struct trace *trace);

/* For formats: a trace with empty names and no format yet. */
struct trace *trace_create(const char *path);

#endif
