/* SPDX-License-Identifier: MIT */
/* The two passes share one map of pages: binary_objects_learn.c fills it in the first, and
 * binary_objects.c in the second. */
#ifndef PREPLAY_TRACE_RECORDED_BINARY_OBJECTS_STATE_H
#define PREPLAY_TRACE_RECORDED_BINARY_OBJECTS_STATE_H

#include "base/array.h"
#include "base/map.h"
#include "trace/recorded/binary_object_pages.h"
#include "trace/recorded/binary_objects.h"

#define ADDRESSES (UINT64_C(1) << 56) /* beyond this nothing is mapped */

/* Objects of the same length side by side, as the elements of an array are; within a page. */
struct extent {
    uint64_t address;
    uint32_t life;
    uint16_t length, count; /* of an object; objects */
    uint32_t first;         /* number of the first one, once settled */
};

struct objects {
    bool settled;
    uint32_t lives;   /* objects_begin() calls so far in this pass */
    struct map pages; /* page number -> what is known of it: see below */
    struct extents ARRAY_OF(struct extent) extents;   /* sorted once settled */
    uint32_t count;                                   /* of their objects, once settled */
    struct page_numbers ARRAY_OF(uint64_t) populated; /* pass two: pages that ever have objects */
    size_t installed;                                 /* pass two: extents whose life has begun */
    struct extent_numbers ARRAY_OF(uint32_t) by_address; /* objects_coming(): extents */
    struct ended_objects ARRAY_OF(uint32_t) ended;       /* pass two: not taken yet */
    /* The page of the last access: most are near. */
    uint64_t last_page;
    void *last;
};

/* A page in the map: a pointer, in the first pass to a struct learned and in the second to a
 * struct object_page. In the first it may also be a small value for a page that was
 * only ever accessed as a whole, which has the lowest bit set. */
static inline bool is_uniform(uint64_t value)
{
    return value & 1;
}

/* The page's content, expanded if need be; NULL if nothing is known about it. */
void *objects_page(struct objects *self, uint64_t page);

/* Of the first pass: */

struct learned;

/* What a small value stands for. */
struct learned *objects_expand(uint64_t value);
/* These bytes of the page are new: what was learnt of them so far becomes objects. */
void objects_renew(struct objects *self, uint64_t page, struct learned *learned, uint32_t first,
                   uint32_t last);
/* What was learnt of all pages, and did not end before, becomes objects. */
void objects_collect(struct objects *self);

#endif
