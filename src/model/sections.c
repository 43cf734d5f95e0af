/* SPDX-License-Identifier: MIT */
#include "model/sections.h"

#include "base/sorted.h"
#include "base/arena.h"
#include "base/array.h"

#include <assert.h>

/* What a thread holds from a count of its events on. */
struct change {
    uint32_t count;
    const struct holding *held;
};

struct changes ARRAY_OF(struct change);

/* The sections of one lock by one thread and of one kind. */
struct user {
    uint32_t thread;
    bool exclusive;
    struct section **items;
    size_t count, capacity;
};

struct lock_users {
    struct user *items;
    size_t count, capacity;
    struct section *open;
};

struct sections {
    uint32_t threads, locks;
    struct changes *changes;  /* by thread */
    struct lock_users *users; /* by lock */
    struct arena arena;
};

struct sections *sections_create(uint32_t threads, uint32_t locks)
{
    struct sections *sections = NEW(struct sections);
    sections->threads = threads;
    sections->locks = locks;
    sections->changes = NEW_ARRAY(struct changes, threads);
    sections->users = NEW_ARRAY(struct lock_users, locks);
    return sections;
}

void sections_destroy(struct sections *sections)
{
    if (!sections)
        return;
    for (uint32_t thread = 0; thread < sections->threads; thread++)
        array_free(&sections->changes[thread]);
    for (uint32_t lock = 0; lock < sections->locks; lock++) {
        for (size_t i = 0; i < sections->users[lock].count; i++)
            free(sections->users[lock].items[i].items);
        free(sections->users[lock].items);
    }
    free(sections->changes);
    free(sections->users);
    arena_free(&sections->arena);
    free(sections);
}

static struct user *user_of(struct sections *sections, const struct section *section)
{
    struct lock_users *users = &sections->users[section->lock];
    for (size_t i = 0; i < users->count; i++)
        if (users->items[i].thread == section->thread &&
            users->items[i].exclusive == section->exclusive)
            return &users->items[i];
    struct user user = {.thread = section->thread, .exclusive = section->exclusive};
    array_push(users, user);
    return &array_last(users);
}

static const struct holding *hold(struct sections *sections, struct section *section,
                                  const struct holding *outer)
{
    struct holding *holding = arena_alloc(&sections->arena, sizeof *holding);
    *holding = (struct holding){section, outer};
    return holding;
}

static void note_change(struct sections *sections, uint32_t thread, uint32_t count,
                        const struct holding *held)
{
    struct change change = {count, held};
    array_push(&sections->changes[thread], change);
}

struct section *sections_acquire(struct sections *sections, uint32_t thread, uint32_t lock,
                                 bool exclusive, uint32_t pos, uint32_t index)
{
    struct section *section = arena_alloc(&sections->arena, sizeof *section);
    *section = (struct section){
        .lock = lock,
        .thread = thread,
        .acquired_pos = pos,
        .acquired_index = index,
        .exclusive = exclusive,
        .next_open = sections->users[lock].open,
    };
    sections->users[lock].open = section;
    array_push(user_of(sections, section), section);
    note_change(sections, thread, index + 1,
                hold(sections, section, sections_held(sections, thread)));
    return section;
}

/* Sections need not nest: what was acquired later stays held. */
static const struct holding *without(struct sections *sections, const struct holding *held,
                                     uint32_t lock, struct section **found)
{
    assert(held && "a lock is released by who holds it");
    if (held->section->lock == lock) {
        *found = held->section;
        return held->outer;
    }
    const struct holding *outer = without(sections, held->outer, lock, found);
    return hold(sections, held->section, outer);
}

struct section *sections_release(struct sections *sections, uint32_t thread, uint32_t lock,
                                 uint32_t index)
{
    struct section *section;
    const struct holding *held = without(sections, sections_held(sections, thread), lock, &section);
    note_change(sections, thread, index + 1, held);
    section->released_count = index + 1;
    struct section **link = &sections->users[lock].open;
    while (*link != section)
        link = &(*link)->next_open;
    *link = section->next_open;
    return section;
}

const struct holding *sections_held(const struct sections *sections, uint32_t thread)
{
    const struct changes *changes = &sections->changes[thread];
    return changes->count ? array_last(changes).held : NULL;
}

const struct holding *sections_held_after(const struct sections *sections, uint32_t thread,
                                          uint32_t count)
{
    const struct changes *changes = &sections->changes[thread];
    if (changes->count && array_last(changes).count <= count)
        return array_last(changes).held;
    size_t apply = SORTED_POINT(middle, 0, changes->count, changes->items[middle].count <= count);
    return apply ? changes->items[apply - 1].held : NULL;
}

const struct section *sections_open(const struct sections *sections, uint32_t lock)
{
    return sections->users[lock].open;
}

/* The pos of the last acquire among the thread's first `count` events, plus 1. */
static uint32_t last_acquire_plus_one(const struct user *user, uint32_t count)
{
    if (array_last(user)->acquired_index < count)
        return array_last(user)->acquired_pos + 1;
    size_t low = SORTED_POINT(middle, 0, user->count, user->items[middle]->acquired_index < count);
    return low ? user->items[low - 1]->acquired_pos + 1 : 0;
}

bool sections_followed(const struct sections *sections, const struct section *section,
                       const uint32_t *counts)
{
    const struct lock_users *users = &sections->users[section->lock];
    for (size_t i = 0; i < users->count; i++) {
        const struct user *user = &users->items[i];
        if (user->thread == section->thread || !(user->exclusive || section->exclusive) ||
            array_last(user)->acquired_pos < section->acquired_pos)
            continue;
        if (last_acquire_plus_one(user, counts[user->thread]) > section->acquired_pos + 1)
            return true;
    }
    return false;
}
