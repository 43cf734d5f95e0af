/* SPDX-License-Identifier: MIT */
#include "relations/cp_skeleton.h"

#include "base/array.h"
#include "relations/hard_edges.h"
#include "relations/hb_walk.h"
#include "relations/section_accesses.h"

struct open_section {
    uint32_t lock, section;
    struct section_access **items; /* accessed in it */
    size_t count, capacity;
};

struct open_sections {
    struct open_section *items; /* those beyond count keep their memory */
    size_t count, capacity;
};

struct builder {
    struct cp_skeleton *skeleton;
    struct hb_walk *walk;
    struct race_edges_walk *edges;
    struct section_accesses accesses;
    struct open_sections *open; /* by thread */
    uint32_t *last_section;     /* by lock */
};

/* A copy that never changes, in the skeleton's arena. */
static struct vclock keep_clock(struct cp_skeleton *skeleton, const struct vclock *clock)
{
    struct vclock copy = {.size = clock->size, .room = clock->size};
    copy.ticks = arena_alloc(&skeleton->ticks, clock->size * sizeof *copy.ticks);
    memcpy(copy.ticks, clock->ticks, clock->size * sizeof *copy.ticks);
    return copy;
}

#define GROW(list, count, room)                                                                    \
    do {                                                                                           \
        if ((count) == (room)) {                                                                   \
            (room) = (room) ? (room)*2 : 64;                                                       \
            (list) = memory_resize((list), (room), sizeof *(list));                                \
        }                                                                                          \
    } while (0)

static void add_step(struct cp_skeleton *skeleton, enum cp_step_kind kind, uint32_t pos,
                     uint32_t thread, uint32_t what)
{
    GROW(skeleton->steps, skeleton->step_count, skeleton->step_room);
    skeleton->steps[skeleton->step_count++] =
        (struct cp_step){.pos = pos, .thread = thread & 0x3fffffff, .kind = kind, .what = what};
}

static void add_arrival(struct cp_skeleton *skeleton, uint32_t pos, uint32_t thread,
                        const struct vclock *clock)
{
    GROW(skeleton->arrivals, skeleton->arrival_count, skeleton->arrival_room);
    skeleton->arrivals[skeleton->arrival_count] = keep_clock(skeleton, clock);
    add_step(skeleton, CP_ARRIVE, pos, thread, (uint32_t)skeleton->arrival_count++);
}

static void open_section(struct builder *builder, const struct event *event, uint32_t pos)
{
    struct cp_skeleton *skeleton = builder->skeleton;
    uint32_t lock = event_lock(event);
    uint32_t number = (uint32_t)skeleton->section_count;
    GROW(skeleton->sections, skeleton->section_count, skeleton->section_room);
    skeleton->sections[skeleton->section_count++] = (struct cp_section){
        .lock = lock,
        .thread = event->thread,
        .acquire_tick = vclock_get(hb_walk_clock(builder->walk, event->thread), event->thread),
        .next = CP_NONE,
        .ordered = CP_NONE,
    };
    if (builder->last_section[lock] == CP_NONE)
        skeleton->first_section[lock] = number;
    else
        skeleton->sections[builder->last_section[lock]].next = number;
    builder->last_section[lock] = number;
    struct open_sections *open = &builder->open[event->thread];
    size_t room = open->capacity;
    array_reserve(open, open->count + 1);
    if (room < open->capacity)
        memset(open->items + room, 0, (open->capacity - room) * sizeof *open->items);
    struct open_section *top = &open->items[open->count++];
    top->lock = lock;
    top->section = number;
    top->count = 0;
    add_step(skeleton, CP_ACQUIRE, pos, event->thread, number);
}

static void *as_ref(uint32_t section)
{
    return (void *)((uintptr_t)section + 1);
}

/* Rule (a): the latest section of the mutex that clashes is ordered before. */
static void order_after(struct cp_section *section, const struct section_ref refs[2])
{
    uintptr_t earlier = (uintptr_t)section_ref_of_other(refs, section->thread);
    if (earlier && (section->ordered == CP_NONE || section->ordered < earlier - 1))
        section->ordered = (uint32_t)(earlier - 1);
}

static void access_in_section(struct builder *builder, const struct event *event,
                              struct open_section *open)
{
    struct section_access *access =
        section_access_at(&builder->accesses, open->lock, event->object);
    struct cp_section *section = &builder->skeleton->sections[open->section];
    uint8_t kinds = (uint8_t)((event_reads(event) ? SECTION_READS : 0) |
                              (event_writes(event) ? SECTION_WRITES : 0));
    if ((access->pending & kinds) == kinds)
        return;
    if (!access->pending)
        array_push(open, access);
    access->pending |= kinds;
    order_after(section, access->writes);
    if (kinds & SECTION_WRITES)
        order_after(section, access->reads);
}

static void end_accesses(struct open_section *open, uint32_t thread)
{
    for (size_t i = 0; i < open->count; i++) {
        struct section_access *access = open->items[i];
        if (access->pending & SECTION_READS)
            section_ref_push(access->reads, thread, as_ref(open->section));
        if (access->pending & SECTION_WRITES)
            section_ref_push(access->writes, thread, as_ref(open->section));
        access->pending = 0;
    }
}

static void close_section(struct builder *builder, const struct event *event, uint32_t pos)
{
    struct cp_skeleton *skeleton = builder->skeleton;
    struct open_sections *open = &builder->open[event->thread];
    size_t at = open->count;
    for (size_t i = 0; i < open->count; i++) {
        if (open->items[i].lock == event_lock(event))
            at = i;
        else
            skeleton->sections[open->items[i].section].leaks = true;
    }
    if (at == open->count)
        return;
    struct open_section ended = open->items[at];
    struct cp_section *section = &skeleton->sections[ended.section];
    section->at_release = keep_clock(skeleton, hb_walk_clock(builder->walk, event->thread));
    section->release_tick = vclock_get(&section->at_release, event->thread);
    end_accesses(&ended, event->thread);
    memmove(open->items + at, open->items + at + 1, (open->count - at - 1) * sizeof *open->items);
    open->items[--open->count] = ended;
    add_step(skeleton, CP_RELEASE, pos, event->thread, ended.section);
}

static void add_event(struct builder *builder, const struct event *event, uint32_t pos)
{
    const struct vclock *arrived = hb_walk_enter(builder->walk, event);
    if (arrived)
        add_arrival(builder->skeleton, pos, event->thread, arrived);
    const struct vclock *raced = race_edges_enter(builder->edges, builder->walk, event, pos);
    if (raced)
        add_arrival(builder->skeleton, pos, event->thread, raced);
    struct open_sections *open = &builder->open[event->thread];
    if (op_in(event->op, OPS_ACCESS))
        for (size_t i = 0; i < open->count; i++)
            access_in_section(builder, event, &open->items[i]);
    else if (event_acquires(event) && op_is_mutex(event->op))
        open_section(builder, event, pos);
    else if (event_releases(event) && op_is_mutex(event->op))
        close_section(builder, event, pos);
    else if (event->op == EVENT_FORK)
        add_arrival(builder->skeleton, pos, event->object,
                    hb_walk_clock(builder->walk, event->thread));
    hb_walk_leave(builder->walk, event);
    race_edges_leave(builder->edges, builder->walk, event, pos);
}

void cp_skeleton_build(struct cp_skeleton *skeleton, const struct history *history,
                       const struct race_edges *edges)
{
    uint32_t locks = trace_count(history->trace, CLASS_LOCK);
    struct builder builder = {
        .skeleton = skeleton,
        .walk = hb_walk_create(),
        .edges = race_edges_walk_create(edges),
        .open = NEW_ARRAY(struct open_sections, history->threads),
        .last_section = memory_alloc(locks, sizeof(uint32_t)),
    };
    *skeleton = (struct cp_skeleton){.first_section = memory_alloc(locks, sizeof(uint32_t))};
    memset(builder.last_section, 0xff, locks * sizeof(uint32_t));
    memset(skeleton->first_section, 0xff, locks * sizeof(uint32_t));
    for (uint32_t pos = 0; pos < history->count; pos++)
        add_event(&builder, &history->events[pos], pos);
    for (uint32_t thread = 0; thread < history->threads; thread++) {
        for (size_t i = 0; i < builder.open[thread].capacity; i++)
            free(builder.open[thread].items[i].items);
        free(builder.open[thread].items);
    }
    free(builder.open);
    free(builder.last_section);
    section_accesses_free(&builder.accesses);
    race_edges_walk_destroy(builder.edges);
    hb_walk_destroy(builder.walk);
}

void cp_skeleton_free(struct cp_skeleton *skeleton)
{
    free(skeleton->sections);
    free(skeleton->steps);
    free(skeleton->arrivals);
    free(skeleton->first_section);
    arena_free(&skeleton->ticks);
}
