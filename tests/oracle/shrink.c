/* Delta debugging over the lines of a .std trace: halves, quarters, ... single
 * lines are left out, wherever the rest is still a trace and still differs. */
#include "oracle/compare.h"

#include "model/machine.h"

#include <string.h>

static bool values_are_consistent(const struct history *history)
{
    const uint32_t *seen = history->reads_from;
    bool good = true;
    for (uint32_t pos = 0; pos < history->count; pos++) {
        const struct event *read = &history->events[pos];
        if (!event_reads(read) || event_writes(read) || !(read->flags & EVENT_HAS_VALUE))
            continue;
        uint64_t value = 0; /* initially */
        if (seen[pos] != POS_NONE && !(history->events[seen[pos]].flags & EVENT_HAS_VALUE))
            continue;
        if (seen[pos] != POS_NONE)
            value = history->events[seen[pos]].value;
        good = good && value == read->value;
    }
    return good;
}

bool sample_is_consistent(const struct sample *sample)
{
    struct rules *rules = rules_create(sample->history, MODEL_RF);
    struct machine *machine = machine_create(rules);
    uint32_t pos = 0;
    while (pos < sample->history->count && machine_forbids(machine, pos) == RULE_NONE)
        machine_execute(machine, pos++);
    machine_destroy(machine);
    rules_destroy(rules);
    return pos == sample->history->count && values_are_consistent(sample->history);
}

struct lines ARRAY_OF(const char *);

static void split(struct lines *lines, char *text)
{
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        array_push(lines, line);
}

/* All lines but those of [from, to). */
static char *join(const struct lines *lines, size_t from, size_t to)
{
    size_t length = 1;
    for (size_t i = 0; i < lines->count; i++)
        length += strlen(lines->items[i]) + 1;
    char *text = memory_alloc(length, 1), *at = text;
    for (size_t i = 0; i < lines->count; i++)
        if (i < from || i >= to) {
            at = stpcpy(at, lines->items[i]);
            *at++ = '\n';
        }
    *at = '\0';
    return text;
}

static bool still_differs(struct comparer *comparer, char *text, struct difference *difference)
{
    struct sample sample;
    struct difference found;
    if (sample_read(&sample, text, strlen(text), NULL))
        return false;
    bool same = sample_is_consistent(&sample) && !compare(comparer, &sample, &found) &&
                strcmp(found.engine, difference->engine) == 0 &&
                strcmp(found.what, difference->what) == 0;
    if (same)
        *difference = found;
    sample_free(&sample);
    return same;
}

/* Tries to leave out each chunk; true if one went. */
static bool leave_out(struct comparer *comparer, struct lines *lines, size_t chunk,
                      struct difference *difference)
{
    bool any = false;
    for (size_t from = 0; from < lines->count;) {
        size_t to = from + chunk < lines->count ? from + chunk : lines->count;
        if (!still_differs(comparer, join(lines, from, to), difference)) {
            from += chunk;
            continue;
        }
        memmove(&lines->items[from], &lines->items[to], (lines->count - to) * sizeof *lines->items);
        lines->count -= to - from;
        any = true;
    }
    return any;
}

/* Pairs of lines that are only well-formed together: a lock's acquire and its
 * release, a block's begin and end. */
static bool leave_out_pair(struct comparer *comparer, struct lines *lines,
                           struct difference *difference)
{
    for (size_t a = 0; a < lines->count; a++)
        for (size_t b = a + 1; b < lines->count; b++) {
            struct lines without = {0};
            for (size_t i = 0; i < lines->count; i++)
                if (i != a && i != b)
                    array_push(&without, lines->items[i]);
            if (still_differs(comparer, join(&without, 0, 0), difference)) {
                array_free(lines);
                *lines = without;
                return true;
            }
            array_free(&without);
        }
    return false;
}

char *shrink(struct comparer *comparer, const struct sample *sample, struct difference *difference)
{
    enum { PAIRS_UP_TO = 60 };
    char *text = memory_copy(sample->text, strlen(sample->text) + 1);
    struct lines lines = {0};
    split(&lines, text);
    bool moved = true;
    while (moved) {
        moved = false;
        for (size_t chunk = lines.count / 2; chunk > 0; chunk /= 2)
            moved |= leave_out(comparer, &lines, chunk, difference);
        if (!moved && lines.count <= PAIRS_UP_TO)
            moved = leave_out_pair(comparer, &lines, difference);
    }
    char *shrunk = join(&lines, 0, 0);
    array_free(&lines);
    free(text);
    return shrunk;
}
