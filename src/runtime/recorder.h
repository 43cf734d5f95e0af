/* SPDX-License-Identifier: MIT */
/* What one thread carries while it is recorded.
 *
 * The filter answers, in a few instructions, "did this thread read (write) these
 * bytes in this segment already?": a table of 512-byte blocks, tagged with the
 * block's address and the segment's number, and two bits a byte for reads and
 * writes. Only what the filter lets through is written to the stream. Of bytes that
 * it knows it asks on whether this place of the code has accessed them, in a smaller
 * table of 64-byte lines, an entry for each place: races are told by places. What had no
 * room there is written again, and that is limited: a segment that went over large
 * arrays again and again takes known bytes for known at every place from there on.
 *
 * `busy` is set while the stream is being written. A signal handler that runs in
 * that time must not write to the stream: its accesses are dropped, its
 * synchronisation is put aside and written when the interrupted write is done. */
#ifndef PREPLAY_RUNTIME_RECORDER_H
#define PREPLAY_RUNTIME_RECORDER_H

#include "runtime/spins.h"
#include "runtime/stamps.h"
#include "trace/encoding.h"

enum {
    FILTER_BLOCKS = 1 << 15,
    FILTER_BLOCK_SHIFT = 9, /* 512 bytes a block */
    FILTER_GRANULES = 64,   /* of 8 bytes, in a block */
    FILTER_TAG_BITS = 39,   /* 48-bit addresses; the rest of a tag counts segments */
    PLACE_ENTRIES = 1 << 12,
    PLACE_LINE = 64, /* bytes, one bit each in an entry */
    PLACE_AGES = 1 << 12,
    PLACE_REPEATS = 1 << 14, /* records of known bytes, in a segment */
    RECORDER_NODES = 1 << 14,
    RECORDER_FRAMES = 1 << 16,
    RECORDER_PENDING = 32,
    RECORDER_LABELS = 64,
};

/* Low byte: bytes read, high byte: bytes written. */
typedef uint16_t granule_mask;

/* What one place has accessed of a line at one time: the number of the segment plus how often
 * memory became new there, both of which only rise. */
struct place_entry {
    uint64_t line, place, time;
    uint64_t bytes;
};

struct site {
    uint64_t pc;
    uint64_t key;    /* node, op, size and generation: site_key() */
    uint8_t *run;    /* count of the open run record, or NULL */
    uint32_t number; /* of the slot in the stream: in order of first use, so mostly one byte */
    struct predictor predictor;
};

struct stack_frame {
    uint64_t pc;       /* where the function was called */
    uintptr_t pointer; /* stack pointer at its entry; longjmp() pops by it */
    uintptr_t own;     /* a place in the function itself: names its atomic block */
    uint32_t node;     /* 0: not looked up yet */
};

struct stack_node {
    uint64_t pc;
    uint32_t parent, id;
    uint32_t generation;
};

/* One synchronisation record, as handed over by the interposers. */
struct sync_record {
    uint64_t stamp, value;
    uintptr_t object, other, pc;
    uint8_t op, flags, order, size;
};

/* Inside Valgrind: the access that this thread is about to make (host.h). */
struct host_gate {
    uintptr_t pc, resume, address;
    uint32_t size;
    uint8_t op, passed; /* passed: HOST_GATE_BIT of the operations that may go on */
};

struct recorder {
    uint64_t segment; /* number << FILTER_TAG_BITS */
    uint64_t section; /* the same number, but that it never starts over */
    uint32_t repeats; /* left of PLACE_REPEATS; at 0 places are not looked at */
    /* The stream. */
    uint8_t *cursor, *limit;
    uint8_t *window;              /* the mapped part of the file */
    struct stream_header *header; /* stays mapped: the wish is in it (wish.h) */
    uintptr_t wish_pointer;       /* where on the stack it was made */
    uint64_t window_size, window_offset;
    uint32_t extent, header_extent; /* of the space (space.h) that it lies in; 0: in its file */
    uint64_t last_stamp, last_pc;
    uint32_t tick, last_tick, chunk;
    uint32_t sites_used;
    /* Who this is. */
    uint32_t number, parent, child;
    _Atomic uint32_t children; /* threads created so far */
    uint32_t sync_index;       /* synchronisation events so far, but for atomic loads */
    /* Replay (enforce.h). */
    uint64_t path;             /* creation path, hashed */
    uint32_t gate_index;       /* scheduled operations so far; a schedule names them by it */
    uint32_t scheduled;        /* the schedule's thread number, plus one */
    uint32_t step_cursor;      /* among the thread's steps */
    uint32_t input_cursors[2]; /* behind what it was given back, clocks apart (inputs.h) */
    uint32_t owed;             /* turns that pass on once the access at hand is made */
    bool holds;                /* several of them, if nobody else's come between (edges.h) */
    bool missed, at_target;
    uint8_t racing;      /* the target, from 1, whose access it is making (standing.h) */
    uint16_t generation; /* of the site and node tables, which recycling leaves dirty */
    volatile bool busy;
    bool finished;
    uint8_t ignore_reads, ignore_writes, ignore_sync;
    struct spins spins;
    struct stamper stamper;
    /* Writes whose value is not known yet (--values): the hook runs before the store. */
    uintptr_t late_address, late_pc;
    uint32_t late_size;
    uintptr_t handler; /* where on the stack a signal's handler runs; 0: none does (signals.h) */
    bool raising;      /* sends itself a signal */
    bool unbranched;   /* a read was recorded since the last branch */
    /* Calls into libraries that are not seen (library_calls.h). */
    uint64_t library;
    uint32_t library_level;
    bool library_pending; /* nothing was recorded since the call */
    /* Call stack. */
    uint32_t depth; /* may exceed RECORDER_FRAMES: deeper frames are not kept */
    uint32_t nodes; /* ids handed out */
    uint32_t begun; /* --blocks: outer functions whose block has begun in the stream */
    uintptr_t labels[RECORDER_LABELS]; /* names written lately */
    /* From signal handlers. */
    volatile uint32_t pending_head, pending_tail; /* count up; handlers raise the tail only */
    struct sync_record pending[RECORDER_PENDING];
    struct recorder *next_free;
    struct host_gate gate;

    struct stack_frame frames[RECORDER_FRAMES];
    struct stack_node node_cache[RECORDER_NODES];
    _Alignas(64) struct site sites[ENCODING_SITES];
    uint64_t tags[FILTER_BLOCKS];
    _Alignas(64) granule_mask masks[FILTER_BLOCKS][FILTER_GRANULES];
    _Alignas(64) struct place_entry places[PLACE_ENTRIES];
    uint16_t ages[PLACE_AGES];      /* of lines, by the lower bits of their numbers */
    char stream_path[PROCESS_PATH]; /* here, since the thread's stack may be small */
};

/* A place of code, and where its function was called: the same in each turn of a loop. */
static inline uintptr_t recorder_place(const struct recorder *self, uintptr_t pc)
{
    bool kept = self->depth - 1 < RECORDER_FRAMES;
    return kept ? pc ^ self->frames[self->depth - 1].pc << 20 : pc;
}

/* This thread's recorder; NULL if it is not recorded (yet). */
extern __thread struct recorder *recorder_current __attribute__((tls_model("initial-exec")));

/* As above, but attaches a thread that was not seen before. */
struct recorder *recorder_attach(void);
/* Before the C library is asked for what it may do in a thread of its own making, of which nothing
 * is known but that it begins later: what comes before this call comes before all such threads. */
void recorder_before_attached(uintptr_t pc);

static inline struct recorder *recorder_self(void)
{
    struct recorder *self = recorder_current;
    if (likely(self != NULL) || !process_recording())
        return self;
    return recorder_attach();
}

/* Set where calls into libraries are watched (library_calls.h). */
extern void (*recorder_library_returned)(struct recorder *self, uintptr_t pc);
extern void (*recorder_library_thread)(struct recorder *self, uintptr_t run);

/* Before what the code at `pc` does, be it the program's or a library's: if it is the program's, a
 * call into a library has returned. */
static inline void recorder_code_runs(struct recorder *self, uintptr_t pc)
{
    if (unlikely(self->library_pending))
        recorder_library_returned(self, pc);
}

/* Begins the calling thread's stream; NULL if recording is off or stops here. */
struct recorder *recorder_begin(uint32_t number, uint32_t parent, uint32_t child, uint32_t flags,
                                uint64_t stamp, uint64_t path);
/* Ends it. What the thread does after this is not recorded. */
void recorder_end(struct recorder *self);
/* The same for a fiber, which is not the calling thread's own stream. */
struct recorder *recorder_create(uint32_t number, uint32_t parent, uint32_t child, uint64_t stamp);
void recorder_finish(struct recorder *self);
/* In a forked child: forgets the parent's stream and everything in it. */
void recorder_abandon(void);

/* stream.c: file space. */
bool stream_open(struct recorder *self, const struct stream_header *header);
bool stream_grow(struct recorder *self);
void stream_close(struct recorder *self);
/* Unmaps it and leaves the file as it is. */
void stream_forget(struct recorder *self);

static inline bool stream_room(struct recorder *self)
{
    return likely(self->cursor + 2 * ENCODING_RECORD_MAX <= self->limit) || stream_grow(self);
}

/* write.c: records. All expect `busy` to be set. */
void write_access(struct recorder *self, uintptr_t address, uint32_t size, unsigned op,
                  uintptr_t pc);
void write_range(struct recorder *self, uintptr_t address, uint64_t length, unsigned op,
                 uintptr_t pc);
void write_sync(struct recorder *self, const struct sync_record *record);
void write_chunk_end(struct recorder *self, uint64_t stamp);
void write_late_value(struct recorder *self);
/* The text of a block's label, once in a while. */
void write_label(struct recorder *self, const char *label);
/* --blocks: ends the blocks of functions deeper than `depth`. */
void write_blocks_end(struct recorder *self, uint32_t depth);
/* Writes what signal handlers put aside, up to (not including) `stamp`. */
void write_pending(struct recorder *self, uint64_t stamp);

/* The current call stack as a node id; writes the nodes that are new. */
uint32_t stack_current(struct recorder *self);

/* filter.c */
/* Marks an access; true if some byte of it is new in this segment, or new at this place of it. */
bool filter_add(struct recorder *self, uintptr_t address, uint64_t length, bool write,
                uintptr_t pc);
/* Memory that is new: whatever happened at these addresses was to something else. */
void filter_forget(struct recorder *self, uintptr_t address, uint64_t length);
/* All segment numbers are used up: starts over. */
void filter_wipe(struct recorder *self);

static inline void filter_new_segment(struct recorder *self)
{
    self->segment += UINT64_C(1) << FILTER_TAG_BITS;
    if (unlikely(!self->segment)) /* segment 0 is the zeroed table's, and never used */
        filter_wipe(self);
    self->section++;
    self->repeats = PLACE_REPEATS;
}

static inline bool recorder_enter(struct recorder *self)
{
    if (unlikely(self->busy))
        return false;
    self->busy = true;
    __asm__ volatile("" ::: "memory");
    return true;
}

static inline bool recorder_pending(const struct recorder *self)
{
    return self->pending_head != self->pending_tail;
}

static inline void recorder_leave(struct recorder *self)
{
    if (unlikely(recorder_pending(self)))
        write_pending(self, UINT64_MAX);
    __asm__ volatile("" ::: "memory");
    self->busy = false;
}

static inline uint64_t filter_index(uintptr_t block)
{
    return (block ^ block >> 16) & (FILTER_BLOCKS - 1);
}

/* The same code may read and write (x++): two places. */
static inline uint64_t place_of(uintptr_t pc, bool write)
{
    return (uint64_t)pc << 1 | write;
}

/* Neighbouring lines lie side by side; each place begins elsewhere. */
static inline uint64_t place_index(uint64_t line, uint64_t place)
{
    return (line + (place * UINT64_C(0x9e3779b97f4a7c15) >> 40)) & (PLACE_ENTRIES - 1);
}

static inline uint64_t place_time(const struct recorder *self, uint64_t line)
{
    return self->section + self->ages[line & (PLACE_AGES - 1)];
}

static inline bool place_is(const struct recorder *self, const struct place_entry *entry,
                            uint64_t line, uint64_t place)
{
    return ((entry->line ^ line) | (entry->place ^ place) |
            (entry->time ^ place_time(self, line))) == 0;
}

static inline bool place_knows(const struct recorder *self, uintptr_t address, uint32_t size,
                               uint64_t place)
{
    uint64_t line = address / PLACE_LINE;
    uint64_t bits = ((UINT64_C(1) << size) - 1) << (address % PLACE_LINE);
    const struct place_entry *entry = &self->places[place_index(line, place)];
    return place_is(self, entry, line, place) && (bits & ~entry->bytes) == 0;
}

static inline bool bytes_are_known(const struct recorder *self, uintptr_t address, uint32_t size,
                                   bool write)
{
    uintptr_t block = address >> FILTER_BLOCK_SHIFT;
    uint64_t index = filter_index(block);
    unsigned bits = (size >= 8 ? 0xffu : ((1u << size) - 1) << (address & 7)) & 0xffu;
    bits <<= write ? 8 : 0;
    const granule_mask *mask = &self->masks[index][address >> 3 & (FILTER_GRANULES - 1)];
    unsigned seen = *mask;
    if (size == 16)
        seen &= mask[address >> 3 & 1 ? 0 : 1];
    return self->tags[index] == (block | self->segment) && (seen & bits) == bits;
}

/* The fast path: true if an access within one granule, or of two, is not to be written. */
static inline __attribute__((always_inline)) bool filter_knows(const struct recorder *self,
                                                               uintptr_t address, uint32_t size,
                                                               bool write, uintptr_t pc)
{
    return likely(self->repeats) ? place_knows(self, address, size, place_of(pc, write))
                                 : bytes_are_known(self, address, size, write);
}

#endif
