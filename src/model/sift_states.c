/* SPDX-License-Identifier: MIT */
#include "model/sift_states.h"

#include <stddef.h>

void sift_states_create(struct sift_states *self)
{
    *self = (struct sift_states){0};
    struct sift_state *none = NEW(struct sift_state);
    none->references = 1; /* stays */
    array_push(&self->list, none);
    array_push(&self->serials, ++self->serial);
}

void sift_states_free(struct sift_states *self)
{
    for (size_t i = 0; i < self->list.count; i++)
        free(self->list.items[i]);
    array_free(&self->list);
    array_free(&self->serials);
    array_free(&self->unused);
    map_free(&self->by_hash);
}

static bool alike(const struct sift_state *a, const struct sift_state *b)
{
    if (a->open != b->open || a->count != b->count)
        return false;
    for (uint8_t i = 0; i < a->count; i++) {
        const struct sift_access *x = &a->recent[i], *y = &b->recent[i];
        if (x->segment != y->segment || x->location != y->location || x->write != y->write ||
            x->role != y->role)
            return false;
    }
    return true;
}

static uint64_t hash_of(const struct sift_state *state)
{
    uint64_t hash = map_pair(state->count, state->open);
    for (uint8_t i = 0; i < state->count; i++) {
        const struct sift_access *access = &state->recent[i];
        hash = (map_mix(hash) * 31 + map_pair(access->segment, access->location)) * 8 +
               access->role * 2u + access->write;
    }
    return map_mix(hash) >> 1;
}

static uint32_t add(struct sift_states *self, const struct sift_state *like, uint64_t hash)
{
    size_t size = offsetof(struct sift_state, recent) + like->count * sizeof *like->recent;
    struct sift_state *state = memory_alloc(1, size);
    memcpy(state, like, size);
    state->references = 1;
    state->hash = hash;
    uint32_t number;
    if (self->unused.count) {
        number = array_pop(&self->unused);
    } else {
        number = (uint32_t)self->list.count;
        array_push(&self->list, NULL);
        array_push(&self->serials, 0);
    }
    uint64_t *first = map_at(&self->by_hash, hash, NULL);
    state->next = (uint32_t)*first;
    *first = number;
    self->list.items[number] = state;
    self->serials.items[number] = ++self->serial;
    return number;
}

uint32_t sift_states_use(struct sift_states *self, const struct sift_state *like)
{
    if (!like->count && !like->open)
        return 0;
    uint64_t hash = hash_of(like);
    const uint64_t *first = map_find(&self->by_hash, hash);
    for (uint32_t i = first ? (uint32_t)*first : 0; i; i = self->list.items[i]->next)
        if (alike(self->list.items[i], like)) {
            self->list.items[i]->references++;
            return i;
        }
    return add(self, like, hash);
}

void sift_states_leave(struct sift_states *self, uint32_t number)
{
    struct sift_state *state = self->list.items[number];
    if (!number || --state->references)
        return;
    uint64_t *first = map_find(&self->by_hash, state->hash);
    if (*first != number) {
        uint32_t at = (uint32_t)*first;
        while (self->list.items[at]->next != number)
            at = self->list.items[at]->next;
        self->list.items[at]->next = state->next;
    } else if (state->next) {
        *first = state->next;
    } else {
        map_remove(&self->by_hash, state->hash);
    }
    free(state);
    self->list.items[number] = NULL;
    self->serials.items[number] = 0;
    array_push(&self->unused, number);
}

const struct sift_access *sift_state_written(const struct sift_state *state)
{
    for (uint8_t i = 0; i < state->count; i++)
        if (state->recent[i].role == SIFT_LAST_WRITE)
            return &state->recent[i];
    return NULL;
}

static void forget(struct sift_state *state, uint8_t at)
{
    memmove(&state->recent[at], &state->recent[at + 1],
            (size_t)(state->count - at - 1) * sizeof *state->recent);
    state->count--;
}

static void forget_alike(struct sift_state *state, const struct sift_access *access)
{
    for (uint8_t i = 0; i < state->count; i++) {
        const struct sift_access *old = &state->recent[i];
        if (old->location == access->location && old->write == access->write &&
            old->lane == access->lane && old->locks == access->locks) {
            forget(state, i);
            return;
        }
    }
}

static bool is_needed(const struct sift_state *state, uint8_t at)
{
    const struct sift_access *access = &state->recent[at];
    if (access->role != SIFT_SINCE)
        return access->role == SIFT_LAST_WRITE;
    for (uint8_t i = 0; i < state->count; i++)
        if (i != at && state->recent[i].role == SIFT_SINCE &&
            state->recent[i].lane == access->lane && state->recent[i].segment >= access->segment)
            return false;
    return true;
}

static bool make_room(struct sift_state *state)
{
    for (uint8_t i = 0; i < state->count; i++)
        if (!is_needed(state, i)) {
            forget(state, i);
            return true;
        }
    return false;
}

static bool comes_before(const struct sift_access *a, const struct sift_access *b)
{
    if (a->segment != b->segment)
        return a->segment < b->segment;
    return a->location != b->location ? a->location < b->location : a->write < b->write;
}

bool sift_state_add(struct sift_state *state, struct sift_access access)
{
    forget_alike(state, &access);
    for (uint8_t i = 0; access.write && i < state->count; i++)
        state->recent[i].role = SIFT_OLD;
    if (state->count == SIFT_RECENT && !make_room(state))
        return false;
    access.role = access.write ? SIFT_LAST_WRITE : SIFT_SINCE;
    uint8_t at = state->count++;
    for (; at && comes_before(&access, &state->recent[at - 1]); at--)
        state->recent[at] = state->recent[at - 1];
    state->recent[at] = access;
    return true;
}
