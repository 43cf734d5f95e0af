/* SPDX-License-Identifier: MIT */
#include "relations/lock_profile.h"

#include "base/array.h"
#include "base/intern.h"
#include "base/map.h"

/* A profile as words, which is also its interned key:
 *   held count, then for each held lock (ascending by lock):
 *   lock, shared, number of locks acquired since, those locks (ascending). */
struct words ARRAY_OF(uint32_t);

struct held {
    uint32_t lock;
    bool shared;
    struct words since; /* acquired exclusively since, ascending, no repeats */
};

struct holding {
    struct held_locks ARRAY_OF(struct held) locks;
    uint32_t profile;
    bool stale; /* `profile` must be computed anew */
};

struct lock_profiles {
    struct holdings ARRAY_OF(struct holding) threads;
    struct interner *known;
    struct words scratch;
    struct map meets; /* pair of profiles -> 1 may meet, 2 may not */
};

struct lock_profiles *lock_profiles_create(void)
{
    struct lock_profiles *profiles = NEW(struct lock_profiles);
    profiles->known = interner_create();
    uint32_t empty = 0;
    intern(profiles->known, (const char *)&empty, sizeof empty);
    return profiles;
}

void lock_profiles_destroy(struct lock_profiles *profiles)
{
    if (!profiles)
        return;
    for (size_t t = 0; t < profiles->threads.count; t++) {
        struct holding *holding = &profiles->threads.items[t];
        for (size_t i = 0; i < holding->locks.count; i++)
            array_free(&holding->locks.items[i].since);
        array_free(&holding->locks);
    }
    array_free(&profiles->threads);
    interner_destroy(profiles->known);
    array_free(&profiles->scratch);
    map_free(&profiles->meets);
    free(profiles);
}

static struct holding *holding_of(struct lock_profiles *profiles, uint32_t thread)
{
    array_grow(&profiles->threads, thread + 1);
    return &profiles->threads.items[thread];
}

static void write_words(struct words *words, const struct holding *holding)
{
    words->count = 0;
    array_push(words, (uint32_t)holding->locks.count);
    for (size_t i = 0; i < holding->locks.count; i++) {
        const struct held *held = &holding->locks.items[i];
        array_push(words, held->lock);
        array_push(words, held->shared);
        array_push(words, (uint32_t)held->since.count);
        array_reserve(words, words->count + held->since.count);
        if (held->since.count)
            memcpy(words->items + words->count, held->since.items,
                   held->since.count * sizeof *held->since.items);
        words->count += held->since.count;
    }
}

uint32_t lock_profile_now(struct lock_profiles *profiles, uint32_t thread)
{
    struct holding *holding = holding_of(profiles, thread);
    if (holding->stale) {
        write_words(&profiles->scratch, holding);
        holding->profile = intern(profiles->known, (const char *)profiles->scratch.items,
                                  profiles->scratch.count * sizeof *profiles->scratch.items);
        holding->stale = false;
    }
    return holding->profile;
}

/* Inserts into an ascending array without repeats. */
static void insert_word(struct words *words, uint32_t word)
{
    size_t at = words->count;
    while (at && words->items[at - 1] > word)
        at--;
    if (at && words->items[at - 1] == word)
        return;
    array_push(words, word);
    memmove(words->items + at + 1, words->items + at,
            (words->count - 1 - at) * sizeof *words->items);
    words->items[at] = word;
}

static void acquire(struct holding *holding, uint32_t lock, bool shared)
{
    if (!shared)
        for (size_t i = 0; i < holding->locks.count; i++)
            insert_word(&holding->locks.items[i].since, lock);
    struct held added = {.lock = lock, .shared = shared};
    array_push(&holding->locks, added);
    size_t at = holding->locks.count - 1;
    for (; at && holding->locks.items[at - 1].lock > lock; at--)
        holding->locks.items[at] = holding->locks.items[at - 1];
    holding->locks.items[at] = added;
}

static void release(struct holding *holding, uint32_t lock)
{
    for (size_t i = 0; i < holding->locks.count; i++) {
        if (holding->locks.items[i].lock != lock)
            continue;
        array_free(&holding->locks.items[i].since);
        memmove(&holding->locks.items[i], &holding->locks.items[i + 1],
                (holding->locks.count - i - 1) * sizeof holding->locks.items[i]);
        holding->locks.count--;
        return;
    }
}

void lock_profiles_step(struct lock_profiles *profiles, const struct event *event)
{
    if (!op_in(event->op, OPS_ACQUIRING | OPS_RELEASING))
        return;
    struct holding *holding = holding_of(profiles, event->thread);
    if (event_acquires(event))
        acquire(holding, event_lock(event), event->op == EVENT_ACQUIRE_READ);
    else if (event_releases(event))
        release(holding, event_lock(event));
    holding->stale = true;
}

/* One held lock of an interned profile. */
struct view {
    uint32_t lock, since_count;
    bool shared;
    const uint32_t *since;
};

static const uint32_t *next_view(const uint32_t *word, struct view *view)
{
    *view = (struct view){
        .lock = word[0], .shared = word[1], .since_count = word[2], .since = word + 3};
    return word + 3 + word[2];
}

static bool has_word(const struct view *view, uint32_t word)
{
    size_t low = 0, high = view->since_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (view->since[middle] < word)
            low = middle + 1;
        else
            high = middle;
    }
    return low < view->since_count && view->since[low] == word;
}

static bool keep_apart(const struct view *p, const struct view *q)
{
    if (p->lock == q->lock)
        return !(p->shared && q->shared);
    return has_word(p, q->lock) && has_word(q, p->lock);
}

static const uint32_t *words_of(const struct lock_profiles *profiles, uint32_t profile)
{
    return (const uint32_t *)(const void *)intern_text(profiles->known, profile);
}

static bool compute_meet(const struct lock_profiles *profiles, uint32_t a, uint32_t b)
{
    const uint32_t *first = words_of(profiles, a);
    const uint32_t *second = words_of(profiles, b);
    const uint32_t *at_p = first + 1;
    for (uint32_t i = 0; i < first[0]; i++) {
        struct view p;
        at_p = next_view(at_p, &p);
        const uint32_t *at_q = second + 1;
        for (uint32_t k = 0; k < second[0]; k++) {
            struct view q;
            at_q = next_view(at_q, &q);
            if (keep_apart(&p, &q))
                return false;
        }
    }
    return true;
}

bool lock_profiles_meet(struct lock_profiles *profiles, uint32_t a, uint32_t b)
{
    if (!a || !b)
        return true;
    bool added;
    uint64_t *known = map_at(&profiles->meets, a < b ? map_pair(a, b) : map_pair(b, a), &added);
    if (added)
        *known = compute_meet(profiles, a, b) ? 1 : 2;
    return *known == 1;
}

bool lock_profile_holds(const struct lock_profiles *profiles, uint32_t profile, uint32_t lock)
{
    const uint32_t *words = words_of(profiles, profile);
    const uint32_t *at = words + 1;
    for (uint32_t i = 0; i < words[0]; i++) {
        struct view view;
        at = next_view(at, &view);
        if (view.lock == lock)
            return !view.shared;
    }
    return false;
}

uint32_t lock_profile_exclusive(const struct lock_profiles *profiles, uint32_t profile,
                                uint32_t *locks, uint32_t limit)
{
    const uint32_t *words = words_of(profiles, profile);
    const uint32_t *at = words + 1;
    uint32_t count = 0;
    for (uint32_t i = 0; i < words[0] && count < limit; i++) {
        struct view view;
        at = next_view(at, &view);
        if (!view.shared)
            locks[count++] = view.lock;
    }
    return count;
}
