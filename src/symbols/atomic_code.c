/* SPDX-License-Identifier: MIT */
#include "symbols/atomic_code.h"

#include "base/array.h"

#include <dwarf.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MOST = 64, SPANS_MOST = 1 << 18 };

/* A function's code. Inside an atomic one others may be inlined that are not: the innermost
 * function decides. */
struct span {
    Dwarf_Addr low, high;
    uint32_t depth;
    bool atomic;
};

struct spans ARRAY_OF(struct span);

/* The counts of std::shared_ptr are atomic, the rest of that header is not. */
static bool counts_references(const char *base, const char *function)
{
    static const char *const names[] = {"_M_release", "_M_weak_release", "_M_get_use_count",
                                        "_M_add_ref"};
    if (strcmp(base, "shared_ptr_base.h") != 0 || !function)
        return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(function, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

static bool is_atomic(Dwarf_Die *function)
{
    static const char *const headers[] = {"atomic",        "atomic_base.h",
                                          "atomic_wait.h", "atomic_timed_wait.h",
                                          "atomicity.h",   "semaphore_base.h"};
    const char *path = dwarf_decl_file(function);
    if (!path || !strstr(path, "/c++/"))
        return false;
    const char *base = strrchr(path, '/') + 1;
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        if (strcmp(base, headers[i]) == 0)
            return true;
    return strstr(path, "/__atomic/") || counts_references(base, dwarf_diename(function));
}

static void add_spans(struct spans *spans, Dwarf_Die *function, uint32_t depth, bool atomic)
{
    Dwarf_Addr unit, low, high;
    for (ptrdiff_t at = 0;
         spans->count < SPANS_MOST && (at = dwarf_ranges(function, at, &unit, &low, &high)) > 0;)
        if (low < high) {
            struct span span = {low, high, depth, atomic};
            array_push(spans, span);
        }
}

static void collect(struct spans *spans, Dwarf_Die *parent, uint32_t depth, bool inside)
{
    Dwarf_Die child;
    if (depth == DEPTH_MOST || dwarf_child(parent, &child))
        return;
    do {
        bool atomic = inside;
        switch (dwarf_tag(&child)) {
        case DW_TAG_subprogram:
        case DW_TAG_inlined_subroutine:
            atomic = is_atomic(&child);
            if (atomic || inside)
                add_spans(spans, &child, depth, atomic);
            collect(spans, &child, depth + 1, atomic || inside);
            break;
        case DW_TAG_namespace:
        case DW_TAG_lexical_block:
        case DW_TAG_structure_type:
        case DW_TAG_class_type:
            collect(spans, &child, depth + 1, inside);
            break;
        default:
            break;
        }
    } while (dwarf_siblingof(&child, &child) == 0);
}

/* Outer ones before those inside them. */
static int compare(const void *first, const void *second)
{
    const struct span *a = first, *b = second;
    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    if (a->high != b->high)
        return a->high > b->high ? -1 : 1;
    return a->depth < b->depth ? -1 : a->depth > b->depth;
}

struct painting {
    FILE *file;
    Dwarf_Addr low, high; /* atomic code that may go on */
    unsigned count;
};

static void end_run(struct painting *painting)
{
    if (painting->low < painting->high) {
        fprintf(painting->file, "@ %" PRIx64 " %" PRIx64 "\n", painting->low, painting->high);
        painting->count++;
    }
    painting->low = painting->high = 0;
}

static void paint(struct painting *painting, Dwarf_Addr low, Dwarf_Addr high, bool atomic)
{
    if (!atomic || low >= high)
        return;
    if (low != painting->high)
        end_run(painting);
    if (painting->low == painting->high)
        painting->low = low;
    painting->high = high;
}

/* Code up to `end`, of the functions that are open; those that end before are closed. */
static Dwarf_Addr paint_upto(struct painting *painting, struct spans *open, Dwarf_Addr from,
                             Dwarf_Addr end)
{
    while (open->count && array_last(open).high <= end) {
        struct span *span = &array_last(open);
        paint(painting, from, span->high, span->atomic);
        from = from > span->high ? from : span->high;
        open->count--;
    }
    if (open->count)
        paint(painting, from, end, array_last(open).atomic);
    return from > end ? from : end;
}

unsigned atomic_code_write(Dwarf *dwarf, FILE *file)
{
    struct spans spans = {0}, open = {0};
    struct painting painting = {.file = file};
    size_t header_size;
    for (Dwarf_Off at = 0, next;
         dwarf_nextcu(dwarf, at, &next, &header_size, NULL, NULL, NULL) == 0; at = next) {
        Dwarf_Die unit;
        if (dwarf_offdie(dwarf, at + header_size, &unit))
            collect(&spans, &unit, 0, false);
    }
    if (spans.count)
        qsort(spans.items, spans.count, sizeof *spans.items, compare);
    Dwarf_Addr at = 0;
    for (size_t i = 0; i < spans.count; i++) {
        at = paint_upto(&painting, &open, at, spans.items[i].low);
        array_push(&open, spans.items[i]);
    }
    paint_upto(&painting, &open, at, (Dwarf_Addr)-1);
    end_run(&painting);
    array_free(&open);
    array_free(&spans);
    return painting.count;
}
