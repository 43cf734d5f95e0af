#include "oracle/code_truth.h"

#include <stdio.h>
#include <string.h>

enum { END_TEXT = 400 };

void code_seen_begin(struct code_seen *seen)
{
    *seen = (struct code_seen){.ends = interner_create()};
}

void code_seen_free(struct code_seen *seen)
{
    map_free(&seen->histories);
    map_free(&seen->failures);
    map_free(&seen->classes);
    interner_destroy(seen->ends);
}

static void add(struct map *map, uint64_t hash)
{
    bool added;
    map_at(map, hash >> 1, &added);
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    return map_mix(hash * 31 + value + 1);
}

/* --- how it ends --------------------------------------------------------------------------------
 */

static void say_values(const struct machine_code *code, const struct machine *machine,
                       char text[END_TEXT])
{
    size_t used = (size_t)snprintf(text, END_TEXT, "end");
    const struct interner *names = code->code->names[CODE_VARIABLES];
    for (uint32_t i = 0; i < intern_count(names); i++) {
        const char *name = intern_text(names, i);
        uint32_t local = intern_find(code->code->names[CODE_LOCALS], name, strlen(name));
        used += (size_t)snprintf(text + used, END_TEXT - used, " %s=%lld", name,
                                 (long long)machine->local[code->code->root][local]);
    }
}

static int by_number(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

/* Of two deadlocks in which twins have changed places one is enough: and then main stands before
 * the join of the one or the other. */
static void say_stuck(const struct machine_code *code, const struct machine *machine,
                      char text[END_TEXT])
{
    uint32_t lines[MACHINE_THREADS], count = 0;
    for (uint32_t i = 0; i < code->threads; i++) {
        const struct code_line *line = machine_line(code, machine, i);
        if (machine->state[i] == MACHINE_ALIVE)
            lines[count++] = line->op == CODE_JOIN ? UINT32_MAX : line->number;
    }
    qsort(lines, count, sizeof *lines, by_number);
    size_t used = (size_t)snprintf(text, END_TEXT, "stuck");
    for (uint32_t i = 0; i < count; i++)
        used += lines[i] == UINT32_MAX
                    ? (size_t)snprintf(text + used, END_TEXT - used, " join")
                    : (size_t)snprintf(text + used, END_TEXT - used, " %u", lines[i]);
}

static void note_end(const struct machine_code *code, const struct machine *machine,
                     struct code_seen *seen)
{
    char text[END_TEXT];
    uint64_t all = 1;
    for (uint32_t i = 0; i < code->threads; i++)
        all = mix(all, machine->sources[i]);
    add(&seen->classes, all);
    if (machine->failed) {
        add(&seen->failures, mix(machine->past[machine->failed - 1], machine->failed));
        snprintf(text, sizeof text, "fails %u", machine->failed_line);
    } else if (machine->exited) {
        say_values(code, machine, text);
    } else {
        say_stuck(code, machine, text);
    }
    intern(seen->ends, text, strlen(text));
}

bool code_note(const struct machine_code *code, const struct machine *machine,
               struct code_seen *seen)
{
    bool over = true;
    for (uint32_t i = 0; i < code->threads; i++) {
        add(&seen->histories, mix(machine->past[i], i));
        over &= !machine_can_go(code, machine, i);
    }
    if (over)
        note_end(code, machine, seen);
    return over;
}

/* --- all schedules ------------------------------------------------------------------------------
 */

struct truth {
    const struct machine_code *code;
    struct code_seen *seen;
    struct map visited;
    size_t most;
};

static uint64_t hash_machine(const struct machine *machine)
{
    uint64_t hash = 0, part;
    const unsigned char *bytes = (const unsigned char *)machine;
    _Static_assert(sizeof *machine % sizeof part == 0, "whole words");
    for (size_t i = 0; i < sizeof *machine; i += sizeof part) {
        memcpy(&part, bytes + i, sizeof part);
        hash = map_mix(hash ^ part) + i;
    }
    return hash >> 1;
}

static bool visit(struct truth *truth, const struct machine *machine);

static bool go(struct truth *truth, const struct machine *machine, uint32_t thread, uint32_t woken)
{
    struct machine next;
    memcpy(&next, machine, sizeof next);
    machine_step(truth->code, &next, thread, woken);
    return visit(truth, &next);
}

/* False if there are too many. */
static bool visit(struct truth *truth, const struct machine *machine)
{
    const struct machine_code *code = truth->code;
    bool added;
    map_at(&truth->visited, hash_machine(machine), &added);
    if (!added)
        return true;
    if (truth->visited.count > truth->most)
        return false;
    if (code_note(code, machine, truth->seen))
        return true;
    for (uint32_t i = 0; i < code->threads; i++) {
        bool wakes = false;
        if (!machine_can_go(code, machine, i))
            continue;
        for (uint32_t k = 0; k < code->threads; k++) {
            if (!machine_waits(code, machine, i, k))
                continue;
            wakes = true;
            if (!go(truth, machine, i, k))
                return false;
        }
        if (!wakes && !go(truth, machine, i, MACHINE_NOBODY))
            return false;
    }
    return true;
}

bool code_truth(const struct machine_code *code, size_t most, struct code_seen *seen)
{
    struct truth truth = {.code = code, .seen = seen, .most = most};
    struct machine first;
    machine_begin(code, &first);
    bool all = visit(&truth, &first);
    map_free(&truth.visited);
    return all;
}

/* --- comparison ---------------------------------------------------------------------------------
 */

static bool same(const struct map *a, const struct map *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = map_first(a); i < a->capacity; i = map_following(a, i))
        if (!map_find(b, a->entries[i].key))
            return false;
    return true;
}

bool code_ends_within(const struct interner *a, const struct interner *b)
{
    for (uint32_t i = 0; i < intern_count(a); i++)
        if (intern_find(b, intern_text(a, i), intern_length(a, i)) == INTERN_NONE)
            return false;
    return true;
}

bool code_seen_same(const struct code_seen *a, const struct code_seen *b)
{
    return same(&a->histories, &b->histories) && same(&a->failures, &b->failures) &&
           code_ends_within(a->ends, b->ends) && code_ends_within(b->ends, a->ends);
}
