/* SPDX-License-Identifier: MIT */
#include "explore/likeness.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* A thread that may be exchanged, as a state has it. */
struct member {
    uint64_t label; /* with others of the same one */
    uint32_t thread;
    uint32_t place; /* of its node in its tree; see STATE_ENDED */
    uint32_t queue;
    uint64_t owned; /* a hash of the objects */
};

struct likeness {
    const struct state_layout *layout;
    size_t row;      /* of sets of threads, in uint64_t */
    uint64_t *run;   /* of each node: whom the row of joins that begins here waits for */
    uint64_t *later; /* whom it or anything below it forks or joins, but for that row */
    uint64_t *class; /* of each thread: equal ones have equal trees */
    bool *alike;     /* of each thread: another is of its class */
    uint32_t *place; /* of each node: where it stands in its tree */
    uint32_t **at;   /* of each thread: the node at a place */
    struct member *from, *to;
    uint64_t *told_apart; /* a set, and what else a state needs */
    uint64_t *label, *owned;
    uint32_t *moved;
};

static const struct known_node *node_of(const struct likeness *self, uint32_t node)
{
    return &self->layout->knowledge->nodes.items[node];
}

static void set(uint64_t *row, uint32_t bit)
{
    row[bit / 64] |= UINT64_C(1) << bit % 64;
}

static bool has(const uint64_t *row, uint32_t bit)
{
    return row[bit / 64] >> bit % 64 & 1;
}

static void add(uint64_t *row, const uint64_t *other, size_t length)
{
    for (size_t i = 0; i < length; i++)
        row[i] |= other[i];
}

/* --- who is told apart by whom ------------------------------------------------------------------
 */

/* Children stand behind their parents: theirs is known already. */
static void find_joins(struct likeness *self, uint32_t number)
{
    const struct known_node *node = node_of(self, number);
    uint64_t *run = self->run + number * self->row, *later = self->later + number * self->row;
    for (size_t i = 0; i < node->edges.count; i++) {
        uint32_t to = node->edges.items[i].to;
        bool goes_on = node->op == STEP_JOIN && node_of(self, to)->op == STEP_JOIN;
        add(goes_on ? run : later, self->run + to * self->row, self->row);
        add(later, self->later + to * self->row, self->row);
    }
    if (node->op == STEP_JOIN)
        set(run, node->object);
    else if (node->op == STEP_FORK)
        set(later, node->object);
}

/* --- trees that are equal -----------------------------------------------------------------------
 */

static uint64_t mix(uint64_t hash, uint64_t value)
{
    return map_mix(hash ^ value) + UINT64_C(0x9e3779b97f4a7c15);
}

/* The edges may stand in any order. How many events a thread had made matters to loops only. */
static uint64_t hash_tree(const struct known_node *node, const uint64_t *hashes, bool counts)
{
    uint64_t edges = 0;
    uint64_t hash =
        mix(node->op | node->flags << 8 | node->offset << 16 | (uint64_t)node->size << 24,
            (uint64_t)node->loop << 32 | node->fatal);
    hash = mix(hash, (uint64_t)node->object << 32 | node->words);
    hash = mix(hash, (uint64_t)node->first_object << 32 | node->objects);
    hash = mix(mix(mix(hash, node->made), node->pc), counts ? node->count : 0);
    for (size_t i = 0; i < node->edges.count; i++) {
        const struct known_edge *edge = &node->edges.items[i];
        edges += mix(mix(mix(1, edge->seen), edge->made), hashes[edge->to]);
    }
    return mix(hash, edges);
}

static void find_classes(struct likeness *self)
{
    const struct knowledge *knowledge = self->layout->knowledge;
    uint64_t *hashes = NEW_ARRAY(uint64_t, knowledge->nodes.count + 1);
    bool *counts = NEW_ARRAY(bool, self->layout->threads);
    for (size_t i = 0; i < knowledge->nodes.count; i++)
        counts[knowledge->nodes.items[i].thread] |=
            (knowledge->nodes.items[i].flags & STEP_SPINS) != 0;
    for (size_t i = knowledge->nodes.count; i-- > 0;)
        hashes[i] =
            hash_tree(&knowledge->nodes.items[i], hashes, counts[knowledge->nodes.items[i].thread]);
    for (uint32_t i = 0; i < self->layout->threads; i++)
        self->class[i] = hashes[knowledge->threads.items[i].root];
    free(hashes);
    free(counts);
}

static bool find_alike(struct likeness *self)
{
    bool any = false;
    for (uint32_t i = 1; i < self->layout->threads; i++)
        for (uint32_t k = 1; k < i; k++)
            if (self->class[i] == self->class[k])
                any = self->alike[i] = self->alike[k] = true;
    return any;
}

struct places ARRAY_OF(uint32_t);

static int by_seen(const void *left, const void *right)
{
    const struct known_edge *const *a = left, *const *b = right;
    return ((*a)->seen > (*b)->seen) - ((*a)->seen < (*b)->seen);
}

/* The same order in equal trees. */
static void number_places(struct likeness *self, uint32_t root, struct places *places)
{
    struct places left = {0};
    array_push(&left, root);
    while (left.count) {
        uint32_t number = array_pop(&left);
        const struct known_node *node = node_of(self, number);
        size_t count = node->edges.count;
        const struct known_edge **edges = NEW_ARRAY(const struct known_edge *, count + 1);
        self->place[number] = (uint32_t)places->count;
        array_push(places, number);
        for (size_t i = 0; i < count; i++)
            edges[i] = &node->edges.items[i];
        qsort(edges, count, sizeof *edges, by_seen);
        for (size_t i = 0; i < count; i++)
            array_push(&left, edges[i]->to);
        free(edges);
    }
    array_free(&left);
}

static void find_places(struct likeness *self)
{
    for (uint32_t i = 0; i < self->layout->threads; i++) {
        struct places places = {0};
        if (self->alike[i])
            number_places(self, self->layout->knowledge->threads.items[i].root, &places);
        self->at[i] = places.items;
    }
}

struct likeness *likeness_create(const struct state_layout *layout)
{
    struct likeness *self = NEW(struct likeness);
    size_t nodes = layout->knowledge->nodes.count;
    self->layout = layout;
    self->row = layout->threads / 64 + 1;
    self->class = NEW_ARRAY(uint64_t, layout->threads);
    self->alike = NEW_ARRAY(bool, layout->threads);
    self->at = NEW_ARRAY(uint32_t *, layout->threads);
    find_classes(self);
    if (!find_alike(self)) {
        likeness_destroy(self);
        return NULL;
    }
    self->run = NEW_ARRAY(uint64_t, self->row * nodes);
    self->later = NEW_ARRAY(uint64_t, self->row * nodes);
    self->place = NEW_ARRAY(uint32_t, nodes);
    self->from = NEW_ARRAY(struct member, layout->threads);
    self->to = NEW_ARRAY(struct member, layout->threads);
    self->told_apart = NEW_ARRAY(uint64_t, self->row);
    self->label = NEW_ARRAY(uint64_t, layout->threads);
    self->owned = NEW_ARRAY(uint64_t, layout->threads);
    self->moved = NEW_ARRAY(uint32_t, layout->threads);
    for (size_t i = nodes; i-- > 0;)
        find_joins(self, (uint32_t)i);
    find_places(self);
    return self;
}

void likeness_destroy(struct likeness *self)
{
    if (!self)
        return;
    for (uint32_t i = 0; i < self->layout->threads; i++)
        free(self->at[i]);
    free(self->at);
    free(self->run);
    free(self->later);
    free(self->class);
    free(self->alike);
    free(self->place);
    free(self->from);
    free(self->to);
    free(self->told_apart);
    free(self->label);
    free(self->owned);
    free(self->moved);
    free(self);
}

/* --- states -------------------------------------------------------------------------------------
 */

/* Whom others will tell apart, and which row of joins waits for whom. */
static void look_at_others(struct likeness *self, const struct state *state)
{
    uint32_t threads = self->layout->threads;
    memset(self->told_apart, 0, self->row * sizeof(uint64_t));
    memcpy(self->label, self->class, threads * sizeof(uint64_t));
    for (uint32_t i = 0; i < threads; i++) {
        uint32_t node = state->node[i];
        if (node == STATE_ENDED || node == STATE_EXITED)
            continue;
        if (node == STATE_UNBORN)
            node = self->layout->knowledge->threads.items[i].root;
        const uint64_t *run = self->run + node * self->row;
        add(self->told_apart, self->later + node * self->row, self->row);
        for (uint32_t k = 0; node_of(self, node)->op == STEP_JOIN && k < threads; k++)
            if (has(run, k))
                self->label[k] = mix(self->label[k], i + 1);
    }
}

static void look_at_objects(struct likeness *self, const struct state *state)
{
    memset(self->owned, 0, self->layout->threads * sizeof(uint64_t));
    for (uint32_t i = 0; i < self->layout->objects; i++)
        if (state->owner[i] && state->owner[i] != OWNER_FREED)
            self->owned[state->owner[i] - 1] += map_mix(i + 1);
}

static int by_label(const void *left, const void *right)
{
    const struct member *a = left, *b = right;
    if (a->label != b->label)
        return a->label < b->label ? -1 : 1;
    return a->thread < b->thread ? -1 : a->thread > b->thread;
}

static int by_all(const void *left, const void *right)
{
    const struct member *a = left, *b = right;
    if (a->label != b->label)
        return a->label < b->label ? -1 : 1;
    if (a->place != b->place)
        return a->place < b->place ? -1 : 1;
    if (a->queue != b->queue)
        return a->queue < b->queue ? -1 : 1;
    if (a->owned != b->owned)
        return a->owned < b->owned ? -1 : 1;
    return a->thread < b->thread ? -1 : a->thread > b->thread;
}

static uint32_t find_members(struct likeness *self, const struct state *state)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < self->layout->threads; i++) {
        uint32_t node = state->node[i];
        if (!self->alike[i] || node == STATE_UNBORN || has(self->told_apart, i))
            continue;
        self->from[count++] =
            (struct member){.label = self->label[i],
                            .thread = i,
                            .place = node >= STATE_EXITED ? node : self->place[node],
                            .queue = state->queue[i],
                            .owned = self->owned[i]};
    }
    return count;
}

void likeness_normalise(struct likeness *self, const struct state *state, struct state *normal)
{
    memcpy(normal->word, state->word, self->layout->bytes);
    look_at_others(self, state);
    look_at_objects(self, state);
    uint32_t count = find_members(self, state);
    memcpy(self->to, self->from, count * sizeof *self->from);
    qsort(self->from, count, sizeof *self->from, by_all);
    qsort(self->to, count, sizeof *self->to, by_label);
    for (uint32_t i = 0; i < self->layout->threads; i++)
        self->moved[i] = i;
    for (uint32_t i = 0; i < count; i++) {
        const struct member *from = &self->from[i];
        uint32_t to = self->to[i].thread;
        self->moved[from->thread] = to;
        normal->node[to] = from->place >= STATE_EXITED ? from->place : self->at[to][from->place];
        normal->queue[to] = from->queue;
    }
    for (uint32_t i = 0; i < self->layout->objects; i++)
        if (state->owner[i] && state->owner[i] != OWNER_FREED)
            normal->owner[i] = self->moved[state->owner[i] - 1] + 1;
}

bool likeness_waits(const struct likeness *self, const struct state *state, uint32_t thread)
{
    uint32_t node = state->node[thread];
    if (node >= STATE_EXITED || node_of(self, node)->op != STEP_JOIN)
        return false;
    for (uint32_t i = 0; i < self->layout->threads; i++)
        if (has(self->run + node * self->row, i) && state->node[i] != STATE_ENDED)
            return true;
    return false;
}
