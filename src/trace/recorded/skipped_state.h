/* SPDX-License-Identifier: MIT */
/* What the parts of skipped_waits.h share: skipped_sections.c collects, skipped_waits.c decides. */
#ifndef PREPLAY_TRACE_RECORDED_SKIPPED_STATE_H
#define PREPLAY_TRACE_RECORDED_SKIPPED_STATE_H

#include "base/array.h"
#include "base/map.h"
#include "trace/recorded/skipped_waits.h"

enum {
    SECTION_WRITES = 256,    /* the last so many writes of a section can be what a wait is for */
    SECTION_READS = 256,     /* places that a section reads at */
    PREDICATE_LENGTH = 64,   /* bytes; what is longer is data, not a predicate */
    FORGOTTEN_LENGTH = 4096, /* a longer write forgets all */
    CANDIDATES_LOOKED = 16,  /* of one section, for doubles */
};

#define NO_SECTION UINT32_MAX

struct bytes {
    uint64_t address, length;
};

struct section {
    uint64_t lock, woken_by; /* woken_by: the condition whose wait it returned from; 0: none */
    uint32_t thread, unit;   /* the unit that ends it */
    uint32_t signals;        /* index into `signals` plus one: what its thread signalled */
};

struct signal {
    uint64_t condition;
    uint32_t next; /* index plus one */
};

/* Of eight bytes of memory: the sections that wrote each last, plus one. */
struct owner {
    uint32_t section[8];
};

/* A section that its thread is in. */
struct open_section {
    uint32_t section;
    size_t written; /* writes so far; the last SECTION_WRITES are kept */
    struct bytes writes[SECTION_WRITES];
    uint32_t reads[SECTION_READS]; /* locations */
    size_t read;
};

struct thread {
    uint32_t units;
    struct open_sections ARRAY_OF(struct open_section *) open;
    uint32_t left;               /* the section it left last, while it does nothing but signal */
    size_t next_mark, marks_end; /* last pass */
};

/* `reader` read what `writer` wrote: perhaps a skipped wait. */
struct candidate {
    uint32_t writer, reader;
    uint32_t unit, access, location, stack;
};

/* What the machine code says of a read. */
struct code_answer {
    enum wait_answer answer;
    uint64_t site;
};

struct skipped_waits {
    struct skipped_program program;
    struct map lines;  /* location -> line */
    struct map checks; /* (location, stack) -> index into `code`, of places that were looked at */
    struct answers ARRAY_OF(struct code_answer) code;
    struct map sites;     /* program counters of calls that waited; (counter, condition) as well */
    struct map mutexes;   /* condition -> mutex it was waited with */
    struct map signalled; /* conditions */
    struct map waited;    /* mutexes that were waited with */
    bool any_mutex;       /* some condition is signalled that nobody waits for */
    struct threads ARRAY_OF(struct thread) threads;
    struct sections ARRAY_OF(struct section) sections;
    struct signals ARRAY_OF(struct signal) signals;
    struct candidates ARRAY_OF(struct candidate) candidates;
    struct spare ARRAY_OF(struct open_section *) spare;
    struct map written; /* address / 8 -> index into `owners` */
    struct owners ARRAY_OF(struct owner) owners;
    struct map predicates; /* hash of (condition, line): read there before a wait for it */
    struct marks ARRAY_OF(struct skipped_mark) marks;
};

/* Address 0 stands for the one that a map cannot hold. */
static inline uint64_t key(uint64_t address)
{
    return address == UINT64_MAX ? 0 : address;
}

/* The source line of a location, as a number: where code is inlined or unrolled, one line
 * has many locations. */
uint64_t skipped_line(struct skipped_waits *waits, uint32_t location);

static inline uint64_t predicate(struct skipped_waits *waits, uint64_t condition, uint32_t location)
{
    return key(map_mix(condition) ^ skipped_line(waits, location));
}

/* A wait for this condition at this place of the code. */
static inline uint64_t site_key(uint64_t site, uint64_t condition)
{
    return key(map_mix(site) ^ condition);
}

struct thread *skipped_thread(struct skipped_waits *waits, uint32_t thread);

#endif
