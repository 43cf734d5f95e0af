/* SPDX-License-Identifier: MIT */
#include "symbols/debug_rank.h"

#include "base/array.h"
#include "symbols/debug_code.h"

#include <string.h>

enum {
    MOST_CALLS = 1 << 14,
    MOST_BYTES = 1 << 16, /* of a function whose lines are looked at one by one */
    MOST_FRAMES = 32,
};

struct line {
    const char *file;
    int line, column;
};

/* The innermost line that is the program's own: what symbols_line() shows. */
static struct line line_at(struct debug_places *places, uint64_t pc)
{
    struct debug_frame frames[MOST_FRAMES];
    size_t count = debug_places_find(places, pc, frames, MOST_FRAMES), own = 0;
    while (own < count && debug_place_is_library(frames[own].file))
        own++;
    if (!count)
        return (struct line){0};
    const struct debug_frame *frame = &frames[own < count ? own : 0];
    return (struct line){frame->file, frame->line, frame->column};
}

static bool same_line(const struct line *a, const struct line *b)
{
    return a->line == b->line && a->column == b->column &&
           (a->file == b->file || (a->file && b->file && strcmp(a->file, b->file) == 0));
}

struct lines ARRAY_OF(struct line);

/* The number of a line among those seen so far. */
static unsigned number_of(struct lines *lines, struct line line)
{
    for (size_t i = 0; i < lines->count; i++)
        if (same_line(&lines->items[i], &line))
            return (unsigned)i;
    array_push(lines, line);
    return (unsigned)lines->count - 1;
}

/* Of all of them, for each is numbered by those before it. */
static unsigned rank_of_call(struct debug_places *places, const uint64_t *returns, size_t count,
                             uint64_t after, struct map *known)
{
    struct lines lines = {0};
    unsigned wanted = 0;
    for (size_t i = 0; i < count; i++) {
        unsigned rank = places ? number_of(&lines, line_at(places, returns[i] - 1)) : (unsigned)i;
        bool added;
        *map_at(known, returns[i], &added) = rank;
        if (returns[i] <= after)
            wanted = rank;
    }
    array_free(&lines);
    return wanted;
}

static bool rank_of_line(struct debug_places *places, uint64_t start, uint64_t end, uint64_t after,
                         unsigned *rank)
{
    if (!places || end - start > MOST_BYTES)
        return false;
    struct lines lines = {0};
    struct line wanted = line_at(places, after - 1);
    for (uint64_t at = start; at < after; at++)
        number_of(&lines, line_at(places, at));
    *rank = number_of(&lines, wanted);
    array_free(&lines);
    return true;
}

bool debug_rank(Dwfl_Module *module, const struct debug_names *names, struct debug_places *places,
                uint64_t after, struct map *known, unsigned *rank)
{
    uint64_t start, end;
    const uint64_t *before = map_find(known, after);
    if (before) {
        *rank = (unsigned)*before;
        return true;
    }
    if (!after || !names || !debug_names_extent(names, after - 1, &start, &end))
        return false;
    uint64_t *returns = memory_alloc(MOST_CALLS, sizeof *returns);
    size_t count = debug_code_alike(module, start, end, after, returns, MOST_CALLS);
    if (count)
        *rank = rank_of_call(places, returns, count, after, known);
    free(returns);
    return count || rank_of_line(places, start, end, after, rank);
}
