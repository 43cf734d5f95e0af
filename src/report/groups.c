/* SPDX-License-Identifier: MIT */
#include "report/groups.h"

#include "base/intern.h"
#include "base/map.h"
#include "base/memory.h"
#include "report/frames.h"
#include "report/held.h"
#include "trace/finding_id.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct groups {
    const struct finding *const *items;
    size_t count;
    uint32_t *parent;  /* by number: one of the same group, at last the leader */
    uint32_t *size;    /* of leaders */
    struct map number; /* by the finding's address */
};

/* What a finding is known by while groups are made. */
struct maker {
    struct groups *groups;
    const struct history *history;
    const struct trace *trace;
    struct held *held;
    struct interner *keys;
    struct map first; /* key -> the first finding that has it */
};

static uint32_t leader_of(const struct groups *self, uint32_t number)
{
    while (self->parent[number] != number)
        number = self->parent[number] = self->parent[self->parent[number]];
    return number;
}

/* The earlier one leads: it is the stronger. */
static void join(struct groups *self, uint32_t a, uint32_t b)
{
    uint32_t x = leader_of(self, a), y = leader_of(self, b);
    if (x < y)
        self->parent[y] = x;
    else
        self->parent[x] = y;
}

static void add_key(struct maker *maker, uint32_t number, const char *key)
{
    bool added;
    uint32_t id = intern(maker->keys, key, strlen(key));
    uint64_t *first = map_at(&maker->first, id, &added);
    if (added)
        *first = number;
    else
        join(maker->groups, (uint32_t)*first, number);
}

static void write_own_place(FILE *out, const struct trace *trace, uint32_t location, uint32_t stack)
{
    const char *function, *place;
    frame_own(trace, location, stack, &function, &place);
    fputs(function ? function : place, out);
}

/* A variable without its members and elements; heap blocks are one if one call allocates them. */
static void write_object(FILE *out, const struct trace *trace, const struct finding *finding)
{
    struct trace_origin origin;
    const char *name = finding->object_class == CLASS_NONE
                           ? ""
                           : trace_name(trace, finding->object_class, finding->object);
    if (finding->object_class == CLASS_VARIABLE && trace_origin(trace, finding->object, &origin) &&
        origin.kind == ORIGIN_HEAP) {
        fprintf(out, "heap block of ");
        write_own_place(out, trace, origin.location, origin.stack);
    } else {
        fprintf(out, "%.*s", (int)strcspn(name, "+.[#"), name);
    }
}

static void write_section(FILE *out, const struct maker *maker, const struct finding_event *event)
{
    const struct held_lock *locks;
    if (held_at(maker->held, event->pos, &locks)) {
        const struct event *outermost = &maker->history->events[locks[0].since];
        fputs("section of ", out);
        fputs(trace_identity(maker->trace, outermost->location), out);
    } else {
        write_own_place(out, maker->trace, event->location, event->stack);
    }
}

/* malloc-ed. */
static char *section_of(const struct maker *maker, const struct finding_event *event)
{
    char *text;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    write_section(out, maker, event);
    fclose(out);
    return text;
}

static bool share_a_section(const struct maker *maker, const struct finding *a,
                            const struct finding *b)
{
    bool shared = false;
    for (uint32_t i = 0; i < a->event_count; i++) {
        char *one = section_of(maker, &a->events[i]);
        for (uint32_t k = 0; k < b->event_count; k++) {
            char *other = section_of(maker, &b->events[k]);
            shared = shared || strcmp(one, other) == 0;
            free(other);
        }
        free(one);
    }
    return shared;
}

/* Of two that one schedule shows, in one section, one follows from the other: from the lock that
 * is missing there. Whether each has a schedule of its own as well is luck. */
static void join_what_follows(struct maker *maker)
{
    struct groups *groups = maker->groups;
    struct map by_id = {0};
    for (uint32_t i = 0; i < groups->count; i++) {
        char id[FINDING_ID_SIZE];
        finding_id(groups->items[i], maker->trace, id);
        *map_at(&by_id, intern(maker->keys, id, strlen(id)), NULL) = i;
    }
    for (uint32_t i = 0; i < groups->count; i++) {
        const struct finding *finding = groups->items[i];
        const uint64_t *cause =
            finding->beside[0]
                ? map_find(&by_id, intern(maker->keys, finding->beside, strlen(finding->beside)))
                : NULL;
        if (cause && finding->kind == FINDING_RACE && groups->items[*cause]->kind == FINDING_RACE &&
            share_a_section(maker, finding, groups->items[*cause]))
            join(groups, i, (uint32_t)*cause);
    }
    map_free(&by_id);
}

static void add_race(struct maker *maker, uint32_t number, const struct finding *finding)
{
    for (uint32_t i = 0; i < finding->event_count; i++) {
        char *key;
        size_t length;
        FILE *out = open_memstream(&key, &length);
        fputs("race on ", out);
        write_object(out, maker->trace, finding);
        fputs(" in ", out);
        write_section(out, maker, &finding->events[i]);
        fclose(out);
        add_key(maker, number, key);
        free(key);
    }
}

static int compare_numbers(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Locks that elements of an array hold are one, as far as their names tell. */
static uint64_t object_key(struct maker *maker, const struct event *event)
{
    enum object_class class = event_object_class(event->op);
    if (class == CLASS_NONE)
        return 0;
    const char *name = trace_name(maker->trace, class, event->object);
    uint32_t id = intern(maker->keys, name, strcspn(name, "+[#"));
    return (uint64_t) class << 32 | id;
}

static void add_deadlock(struct maker *maker, uint32_t number, const struct finding *finding)
{
    uint64_t *objects = memory_alloc(finding->event_count, sizeof *objects);
    char *key;
    size_t length;
    FILE *out = open_memstream(&key, &length);
    for (uint32_t i = 0; i < finding->event_count; i++)
        objects[i] = object_key(maker, &maker->history->events[finding->events[i].pos]);
    qsort(objects, finding->event_count, sizeof *objects, compare_numbers);
    fputs("deadlock of", out);
    for (uint32_t i = 0; i < finding->event_count; i++)
        fprintf(out, " %llx", (unsigned long long)objects[i]);
    fclose(out);
    add_key(maker, number, key);
    free(key);
    free(objects);
}

static void add_atomicity(struct maker *maker, uint32_t number, const struct finding *finding)
{
    char *key;
    size_t length;
    FILE *out = open_memstream(&key, &length);
    fprintf(out, "block %u on ", finding->block);
    write_object(out, maker->trace, finding);
    fclose(out);
    add_key(maker, number, key);
    free(key);
}

/* One lock that is misused is one cause, whatever the rule. */
static void add_misuse(struct maker *maker, uint32_t number, const struct finding *finding)
{
    char *key;
    size_t length;
    FILE *out = open_memstream(&key, &length);
    fputs("misuse of ", out);
    write_object(out, maker->trace, finding);
    fclose(out);
    add_key(maker, number, key);
    free(key);
}

/* What one thread relies on of what another function does to one object. */
static void add_order(struct maker *maker, uint32_t number, const struct finding *finding)
{
    char *key;
    size_t length;
    FILE *out = open_memstream(&key, &length);
    fprintf(out, "order %s on ", atomicity_error_text(finding->error));
    write_object(out, maker->trace, finding);
    fputs(" ended by ", out);
    write_own_place(out, maker->trace, finding->events[1].location, finding->events[1].stack);
    fclose(out);
    add_key(maker, number, key);
    free(key);
}

static void add_finding(struct maker *maker, uint32_t number, const struct finding *finding)
{
    switch (finding->kind) {
    case FINDING_RACE:
        add_race(maker, number, finding);
        break;
    case FINDING_DEADLOCK:
        add_deadlock(maker, number, finding);
        break;
    case FINDING_ATOMICITY:
        add_atomicity(maker, number, finding);
        break;
    case FINDING_MISUSE:
        add_misuse(maker, number, finding);
        break;
    case FINDING_ORDER:
        add_order(maker, number, finding);
        break;
    case FINDING_FAILURE: /* stands for itself */
    case FINDING_KINDS:
        break;
    }
}

struct groups *groups_create(const struct history *history, const struct finding *const *items,
                             size_t count)
{
    struct groups *self = NEW(struct groups);
    *self = (struct groups){
        .items = memory_copy(items, count * sizeof *items),
        .count = count,
        .parent = memory_alloc(count, sizeof *self->parent),
        .size = memory_zero(count, sizeof *self->size),
    };
    struct maker maker = {
        .groups = self,
        .history = history,
        .trace = history->trace,
        .held = held_create(history, items, count),
        .keys = interner_create(),
    };
    for (uint32_t i = 0; i < count; i++)
        self->parent[i] = i;
    for (uint32_t i = 0; i < count; i++) {
        *map_at(&self->number, (uint64_t)(uintptr_t)items[i], NULL) = i;
        add_finding(&maker, i, items[i]);
    }
    join_what_follows(&maker);
    for (uint32_t i = 0; i < count; i++)
        self->size[leader_of(self, i)]++;
    held_destroy(maker.held);
    interner_destroy(maker.keys);
    map_free(&maker.first);
    return self;
}

void groups_destroy(struct groups *self)
{
    if (!self)
        return;
    free((void *)self->items);
    free(self->parent);
    free(self->size);
    map_free(&self->number);
    free(self);
}

const struct finding *groups_leader(const struct groups *self, const struct finding *finding)
{
    const uint64_t *number = map_find(&self->number, (uint64_t)(uintptr_t)finding);
    return number ? self->items[leader_of(self, (uint32_t)*number)] : NULL;
}

size_t groups_size(const struct groups *self, const struct finding *leader)
{
    const uint64_t *number = map_find(&self->number, (uint64_t)(uintptr_t)leader);
    return number ? self->size[leader_of(self, (uint32_t)*number)] : 0;
}
