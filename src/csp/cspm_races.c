/* SPDX-License-Identifier: MIT */
/* The pattern of a race: two conflicting accesses one after the other. For an object and any two
 * threads (Carril & Tichy, interleavings, Figure 3), or for two threads of their own (Carril &
 * Tichy, CSP, section 2.3). */
#include "csp/cspm_model.h"

#include "base/array.h"
#include "base/map.h"

#include <stdlib.h>

/* How a thread uses a variable, or-ed. */
enum kind {
    KIND_READ = 1,
    KIND_WRITE = 2,
    KIND_ATOMIC_READ = 4,
    KIND_ATOMIC_WRITE = 8,
};

struct use {
    uint32_t variable, thread;
    unsigned kinds;
};

struct uses ARRAY_OF(struct use);

/* Each pair of kinds that conflicts, in the order of the papers. */
static const struct {
    const char *first, *second;
    bool atomic;
} conflicts[] = {
    {"read", "write", false},        {"write", "read", false},
    {"write", "write", false},       {"read", "atomic_write", true},
    {"atomic_write", "read", true},  {"write", "atomic_read", true},
    {"atomic_read", "write", true},  {"write", "atomic_write", true},
    {"atomic_write", "write", true},
};

/* Any two threads, the first and the second of a pair, or the reverse. */
static const char *const of_any[] = {"?t!v", "?u:diff(Threads, {t})!v"};
static const char *const of_pair[] = {".t.v", ".u.v"};
static const char *const of_reverse[] = {".u.v", ".t.v"};

static void write_cases(const struct cspm_model *model, const char *const fields[2], bool more)
{
    for (size_t i = 0; i < sizeof conflicts / sizeof *conflicts; i++) {
        if (conflicts[i].atomic && !model->used[CHANNEL_ATOMIC_READ])
            continue;
        fprintf(model->out, "    %s%s%s -> %s%s -> race -> STOP\n", more ? "[] " : "",
                conflicts[i].first, fields[0], conflicts[i].second, fields[1]);
        more = true;
    }
}

static void write_patterns(const struct cspm_model *model)
{
    FILE *out = model->out;
    if (model->per_pair) {
        fputs("PATTERN(t, u, v) = PATT_ERR(t, u, v)\n"
              "    /\\ ([] e : union(rw_set, sync_set) @ e -> PATTERN(t, u, v))\n"
              "PATT_ERR(t, u, v) =\n",
              out);
        write_cases(model, of_pair, false);
        write_cases(model, of_reverse, true);
        return;
    }
    fputs("RACE(v) = RACE_ERR(v) /\\ ([] e : union(rw_set, sync_set) @ e -> RACE(v))\n"
          "RACE_ERR(v) =\n",
          out);
    write_cases(model, of_any, false);
}

static unsigned kind_of(const struct event *event)
{
    bool atomic = op_in(event->op, OPS_ATOMIC), writes = event_writes(event);
    if (atomic)
        return writes ? KIND_ATOMIC_WRITE : KIND_ATOMIC_READ;
    return writes ? KIND_WRITE : KIND_READ;
}

static int compare_uses(const void *a, const void *b)
{
    const struct use *x = a, *y = b;
    if (x->variable != y->variable)
        return x->variable < y->variable ? -1 : 1;
    return (x->thread > y->thread) - (x->thread < y->thread);
}

/* Of shared variables, by variable and thread. */
static void find_uses(struct uses *uses, const struct cspm_model *model)
{
    struct map places = {0}; /* (variable, thread) -> place in uses */
    for (uint32_t pos = 0; pos < model->history->count; pos++) {
        const struct event *event = &model->history->events[pos];
        bool added;
        if (!op_in(event->op, OPS_ACCESS) || !model->shared[event->object])
            continue;
        uint64_t *place = map_at(&places, map_pair(event->object, event->thread), &added);
        struct use use = {event->object, event->thread, 0};
        if (added) {
            *place = uses->count;
            array_push(uses, use);
        }
        uses->items[*place].kinds |= kind_of(event);
    }
    map_free(&places);
    if (uses->count)
        qsort(uses->items, uses->count, sizeof *uses->items, compare_uses);
}

static bool may_conflict(const struct use *a, const struct use *b)
{
    const unsigned any_write = KIND_WRITE | KIND_ATOMIC_WRITE;
    return a->variable == b->variable && (a->kinds & KIND_WRITE || b->kinds & KIND_WRITE ||
                                          (a->kinds & KIND_READ && b->kinds & any_write) ||
                                          (b->kinds & KIND_READ && a->kinds & any_write));
}

static void begin_assertion(const struct cspm_model *model)
{
    fputs("assert STOP [T= (PROGRAM [| union(rw_set, sync_set) |] ", model->out);
}

static void assert_pair(const struct cspm_model *model, const struct use *a, const struct use *b)
{
    const struct cspm_names *names = &model->names;
    begin_assertion(model);
    fprintf(model->out, "PATTERN(%s, %s, %s)) \\ diff(Events, {race})\n",
            cspm_name(names, CLASS_THREAD, a->thread), cspm_name(names, CLASS_THREAD, b->thread),
            cspm_name(names, CLASS_VARIABLE, a->variable));
}

static void assert_pairs(const struct cspm_model *model)
{
    struct uses uses = {0};
    find_uses(&uses, model);
    for (size_t i = 0; i < uses.count; i++)
        for (size_t k = i + 1; k < uses.count && uses.items[k].variable == uses.items[i].variable;
             k++)
            if (may_conflict(&uses.items[i], &uses.items[k]))
                assert_pair(model, &uses.items[i], &uses.items[k]);
    array_free(&uses);
}

static void assert_objects(const struct cspm_model *model)
{
    for (uint32_t id = 0; id < trace_count(model->history->trace, CLASS_VARIABLE); id++) {
        if (!model->shared[id])
            continue;
        begin_assertion(model);
        fprintf(model->out, "RACE(%s)) \\ diff(Events, {race})\n",
                cspm_name(&model->names, CLASS_VARIABLE, id));
    }
}

void cspm_write_races(struct cspm_model *model)
{
    if (!model->used[CHANNEL_READ])
        return;
    bool atomics = model->used[CHANNEL_ATOMIC_READ];
    fprintf(model->out, "\nrw_set = {| read, write%s |}\n",
            atomics ? ", atomic_read, atomic_write" : "");
    write_patterns(model);
    putc('\n', model->out);
    if (model->per_pair)
        assert_pairs(model);
    else
        assert_objects(model);
}
