/* SPDX-License-Identifier: MIT */
#include "explore/knowledge.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

const struct known_edge *known_edge(const struct known_node *node, uint64_t seen)
{
    for (size_t i = 0; i < node->edges.count; i++)
        if (node->edges.items[i].seen == seen)
            return &node->edges.items[i];
    return NULL;
}

uint32_t knowledge_thread(const struct knowledge *knowledge, uint64_t name)
{
    const uint64_t *number = map_find(&knowledge->thread_numbers, name);
    return number ? (uint32_t)*number : UINT32_MAX;
}

/* --- what several threads use -------------------------------------------------------------------
 */

/* The value of knowledge.uses: who used it first, and what is known of it. */
enum { USE_SEVERAL = 1, USE_WRITTEN = 2, USE_OBJECT = 4, USE_SHARED = 8, USE_SHIFT = 8 };
enum { BLOCK_WALKED = 1 << 16 }; /* bytes of a freed block that are looked up one by one */

static void note_use(struct knowledge *knowledge, uint64_t address, uint32_t thread, unsigned flags)
{
    bool added;
    uint64_t *use = map_at(&knowledge->uses, address, &added);
    if (added)
        *use = (uint64_t)thread << USE_SHIFT;
    else if (*use >> USE_SHIFT != thread)
        *use |= USE_SEVERAL;
    *use |= flags;
    bool shared = *use & USE_SEVERAL && *use & (USE_WRITTEN | USE_OBJECT);
    if (!shared || *use & USE_SHARED)
        return;
    *use |= USE_SHARED;
    knowledge->shared++;
}

static bool is_shared(const struct knowledge *knowledge, uint64_t address)
{
    const uint64_t *use = map_find(&knowledge->uses, address);
    return use && *use & USE_SHARED;
}

/* Whoever frees a block writes to all of it. */
static void note_free(struct knowledge *knowledge, const struct step_event *event, uint32_t thread)
{
    uint64_t end = event->object + (event->made < BLOCK_WALKED ? event->made : BLOCK_WALKED);
    note_use(knowledge, event->object, thread, USE_WRITTEN);
    for (uint64_t at = event->object; at < end; at += 8) {
        if (map_find(&knowledge->uses, at))
            note_use(knowledge, at, thread, USE_WRITTEN);
        if (map_find(&knowledge->uses, at | 1))
            note_use(knowledge, at | 1, thread, USE_OBJECT);
    }
}

static void note_event(struct knowledge *knowledge, const struct step_event *event, uint32_t thread)
{
    if (event->flags & STEP_CHANNEL)
        return;
    if (event->op == STEP_READ)
        note_use(knowledge, event->object, thread, 0);
    else if (known_is_access(event->op))
        note_use(knowledge, event->object, thread, USE_WRITTEN);
    else if (event->op == STEP_FREE)
        note_free(knowledge, event, thread);
    else if (event->op >= STEP_QUEUE && event->op < STEP_FORK) /* one thread alone may wait there */
        note_use(knowledge, event->object | 1, thread, USE_OBJECT | USE_SEVERAL);
    else if (event->op >= STEP_LOCK && event->op < STEP_QUEUE)
        note_use(knowledge, event->object | 1, thread, USE_OBJECT);
}

/* A lock that a thread stands before at the end matters, if only to that thread. */
static void note_standing(struct knowledge *knowledge, const struct step_event *event,
                          uint32_t thread)
{
    note_event(knowledge, event, thread);
    if (event->op >= STEP_LOCK && event->op < STEP_FORK && !(event->flags & STEP_CHANNEL))
        note_use(knowledge, event->object | 1, thread, USE_OBJECT | USE_SEVERAL);
}

/* Before the first thread comes nothing is a choice. */
static uint32_t first_fork(const struct kept_run *run)
{
    uint32_t at = 0;
    while (at < run->event_count && run->events[at].op != STEP_FORK)
        at++;
    return at;
}

static uint32_t thread_of(const struct knowledge *knowledge, const struct kept_run *run,
                          uint32_t number)
{
    return knowledge_thread(knowledge, run->threads[number].name);
}

static void note_run(struct knowledge *knowledge, const struct kept_run *run)
{
    for (uint32_t i = first_fork(run); i < run->event_count; i++)
        note_event(knowledge, &run->events[i], thread_of(knowledge, run, run->events[i].thread));
    for (uint32_t i = 0; i < run->thread_count; i++)
        if (run->threads[i].next.op != STEP_NONE)
            note_standing(knowledge, &run->threads[i].next, thread_of(knowledge, run, i));
}

/* --- numbers for addresses ----------------------------------------------------------------------
 */

static int compare(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

static uint32_t lower_bound(const uint64_t *items, size_t count, uint64_t wanted)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (items[middle] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return (uint32_t)low;
}

static uint32_t word_number(const struct knowledge *knowledge, uint64_t address)
{
    return lower_bound(knowledge->words.items, knowledge->words.count, address);
}

static uint32_t object_number(const struct knowledge *knowledge, uint64_t address)
{
    return lower_bound(knowledge->objects.items, knowledge->objects.count, address | 1);
}

static void number_addresses(struct knowledge *knowledge)
{
    knowledge->words.count = knowledge->objects.count = knowledge->initial.count = 0;
    for (size_t i = map_first(&knowledge->uses); i < knowledge->uses.capacity;
         i = map_following(&knowledge->uses, i)) {
        const struct map_entry *entry = &knowledge->uses.entries[i];
        if (!(entry->value & USE_SHARED))
            continue;
        if (entry->value & USE_OBJECT)
            array_push(&knowledge->objects, entry->key);
        else
            array_push(&knowledge->words, entry->key);
    }
    if (knowledge->words.count)
        qsort(knowledge->words.items, knowledge->words.count, sizeof(uint64_t), compare);
    if (knowledge->objects.count)
        qsort(knowledge->objects.items, knowledge->objects.count, sizeof(uint64_t), compare);
    array_grow(&knowledge->initial, knowledge->words.count);
}

/* --- trees --------------------------------------------------------------------------------------
 */

static uint32_t new_node(struct knowledge *knowledge, uint32_t thread, uint32_t parent,
                         uint64_t via, uint32_t count)
{
    array_push(
        &knowledge->nodes,
        ((struct known_node){
            .op = STEP_NONE, .thread = thread, .parent = parent, .via = via, .count = count}));
    return (uint32_t)knowledge->nodes.count - 1;
}

/* The operation of an event as a node has it; false if it matters to no other thread. */
static bool describe(const struct knowledge *knowledge, const struct step_event *event,
                     struct known_node *node)
{
    if (event->flags & STEP_CHANNEL)
        return false;
    *node = (struct known_node){.op = event->op,
                                .flags = event->flags,
                                .offset = event->offset,
                                .size = event->size,
                                .loop = event->loop,
                                .pc = event->pc};
    if (event->op == STEP_END) {
        node->made = event->made;
        return true;
    }
    if (event->op == STEP_FORK || event->op == STEP_JOIN) {
        node->object = knowledge_thread(knowledge, event->object);
        return node->object != UINT32_MAX;
    }
    if (event->op == STEP_FREE) {
        node->object = word_number(knowledge, event->object);
        node->words = word_number(knowledge, event->object + event->made) - node->object;
        if (!node->words && is_shared(knowledge, event->object)) /* a block of no bytes */
            node->words = 1;
        node->first_object = object_number(knowledge, event->object);
        node->objects = object_number(knowledge, event->object + event->made) - node->first_object;
        return node->words > 0 || node->objects > 0;
    }
    bool access = known_is_access(event->op);
    if (!is_shared(knowledge, access ? event->object : event->object | 1))
        return false;
    if (access) {
        node->object = word_number(knowledge, event->object);
    } else {
        node->object =
            lower_bound(knowledge->objects.items, knowledge->objects.count, event->object | 1);
        if (event->op == STEP_ENTER || event->op == STEP_SET || event->op == STEP_ONCE_DONE)
            node->made = event->made;
    }
    return true;
}

static bool same_operation(const struct known_node *a, const struct known_node *b)
{
    return a->op == b->op && a->object == b->object && a->offset == b->offset &&
           a->size == b->size && a->made == b->made && a->pc == b->pc;
}

struct feeding {
    struct knowledge *knowledge;
    const struct kept_run *run;
    uint32_t *at;    /* the node of each of the run's threads; NODE_NONE: lost */
    uint32_t *count; /* and its events so far */
    uint64_t *words; /* what memory holds */
    bool *met;       /* words of which that is known */
    uint64_t *past;  /* of each thread: a hash of its outcomes */
    uint32_t woken;  /* by the event under way */
    bool new;
};

/* The thread stands before this. False: it is not what it did before. */
static bool stand(struct feeding *feeding, uint32_t thread, const struct known_node *operation)
{
    struct known_node *node = &feeding->knowledge->nodes.items[feeding->at[thread]];
    if (node->op == STEP_NONE) {
        struct known_node old = *node;
        *node = *operation;
        node->thread = old.thread;
        node->parent = old.parent;
        node->via = old.via;
        node->count = feeding->count[thread];
        feeding->new = true;
        return true;
    }
    struct known_node wanted = *operation;
    if (operation->op == STEP_WRITE)
        wanted.made = node->made; /* of one that was only stood before it is not known */
    if (same_operation(node, &wanted))
        return true;
    feeding->knowledge->unstable = true;
    feeding->at[thread] = NODE_NONE;
    return false;
}

/* Follows or makes the edge. */
static void go(struct feeding *feeding, uint32_t thread, uint64_t seen, uint64_t made)
{
    struct knowledge *knowledge = feeding->knowledge;
    uint32_t from = feeding->at[thread];
    array_push(&knowledge->last, ((struct known_step){.node = from,
                                                      .thread = knowledge->nodes.items[from].thread,
                                                      .woken = feeding->woken}));
    feeding->past[thread] = map_mix(feeding->past[thread] ^ seen) + 1;
    const struct known_edge *edge = known_edge(&knowledge->nodes.items[from], seen);
    if (edge) {
        feeding->at[thread] = edge->to;
        return;
    }
    uint32_t owner = knowledge->nodes.items[from].thread;
    uint32_t to = new_node(knowledge, owner, from, seen, feeding->count[thread] + 1);
    array_push(&knowledge->nodes.items[from].edges, ((struct known_edge){seen, made, to}));
    feeding->at[thread] = to;
    feeding->new = true;
}

static void go_access(struct feeding *feeding, const struct step_event *event,
                      struct known_node *operation)
{
    uint64_t mask = known_mask(event->offset, event->size);
    uint32_t word = operation->object;
    if (!feeding->met[word]) {
        feeding->met[word] = true;
        feeding->words[word] = event->seen;
    }
    bool reads = event->op != STEP_WRITE;
    if (reads && (feeding->words[word] ^ event->seen) & mask)
        feeding->knowledge->unexplained = true;
    feeding->words[word] = event->made;
    if (stand(feeding, event->thread, operation)) {
        struct known_node *node = &feeding->knowledge->nodes.items[feeding->at[event->thread]];
        if (!reads)
            node->made = event->made & mask;
        go(feeding, event->thread, reads ? event->seen & mask : 0, event->made & mask);
    }
}

static bool has_outcome(uint8_t op)
{
    switch (op) {
    case STEP_TRY_LOCK:
    case STEP_TRY_READ_LOCK:
    case STEP_TRY_WRITE_LOCK:
    case STEP_TRY_WAIT:
    case STEP_AWAKE:
    case STEP_ONCE:
        return true;
    default:
        return false;
    }
}

static void feed_event(struct feeding *feeding, const struct step_event *event, bool alone)
{
    struct known_node operation;
    if (feeding->at[event->thread] == NODE_NONE)
        return;
    bool access = known_is_access(event->op) || event->op == STEP_FREE;
    if ((alone && access) || !describe(feeding->knowledge, event, &operation)) {
        feeding->count[event->thread]++;
        return;
    }
    feeding->woken =
        event->op == STEP_SIGNAL ? knowledge_thread(feeding->knowledge, event->made) : UINT32_MAX;
    if (known_is_access(event->op))
        go_access(feeding, event, &operation);
    else if (stand(feeding, event->thread, &operation))
        go(feeding, event->thread, has_outcome(event->op) ? event->seen : 0, 0);
    feeding->count[event->thread]++;
}

/* Where the run left its threads. */
static void feed_ends(struct feeding *feeding)
{
    const struct kept_run *run = feeding->run;
    for (uint32_t i = 0; i < run->thread_count; i++) {
        const struct step_thread *thread = &run->threads[i];
        struct known_node operation;
        if (feeding->at[i] == NODE_NONE)
            continue;
        if (thread->next.op != STEP_NONE && thread->state != STEP_ENDED) {
            if (describe(feeding->knowledge, &thread->next, &operation))
                stand(feeding, i, &operation);
        } else if (thread->state == STEP_RUNS) {
            struct known_node *node = &feeding->knowledge->nodes.items[feeding->at[i]];
            node->fatal = thread->count > node->count ? FATAL_LATER : FATAL_AT_ONCE;
        }
    }
}

static void learn_initial(struct feeding *feeding)
{
    struct knowledge *knowledge = feeding->knowledge;
    const struct kept_run *run = feeding->run;
    for (uint32_t i = first_fork(run); i < run->event_count; i++) {
        const struct step_event *event = &run->events[i];
        if (!known_is_access(event->op) || !is_shared(knowledge, event->object))
            continue;
        uint32_t word = word_number(knowledge, event->object);
        if (feeding->met[word])
            continue;
        feeding->met[word] = true;
        feeding->words[word] = event->seen;
        knowledge->initial.items[word] = event->seen;
    }
}

static bool feed(struct knowledge *knowledge, struct kept_run *run)
{
    size_t words = knowledge->words.count + 1;
    struct feeding feeding = {.knowledge = knowledge,
                              .run = run,
                              .at = NEW_ARRAY(uint32_t, run->thread_count + 1),
                              .count = NEW_ARRAY(uint32_t, run->thread_count + 1),
                              .words = NEW_ARRAY(uint64_t, words),
                              .met = NEW_ARRAY(bool, words),
                              .past = NEW_ARRAY(uint64_t, run->thread_count + 1)};
    for (uint32_t i = 0; i < run->thread_count; i++)
        feeding.at[i] = knowledge->threads.items[thread_of(knowledge, run, i)].root;
    learn_initial(&feeding);
    knowledge->last.count = 0;
    uint32_t forked = first_fork(run);
    for (uint32_t i = 0; i < run->event_count; i++)
        feed_event(&feeding, &run->events[i], i < forked);
    feed_ends(&feeding);
    run->behaviour = 0;
    for (uint32_t i = 0; i < run->thread_count; i++)
        run->behaviour += map_mix(run->threads[i].name ^ feeding.past[i]);
    free(feeding.past);
    free(feeding.at);
    free(feeding.count);
    free(feeding.words);
    free(feeding.met);
    return feeding.new;
}

static void forget_nodes(struct knowledge *knowledge)
{
    for (size_t i = 0; i < knowledge->nodes.count; i++)
        array_free(&knowledge->nodes.items[i].edges);
    knowledge->nodes.count = 0;
}

static void plant_root(struct knowledge *knowledge, uint32_t thread)
{
    knowledge->threads.items[thread].root = new_node(knowledge, thread, NODE_NONE, 0, 0);
}

/* Something that only one thread used is now used by others: what was left out matters. */
static void rebuild(struct knowledge *knowledge)
{
    knowledge->generation++;
    forget_nodes(knowledge);
    number_addresses(knowledge);
    for (uint32_t i = 0; i < knowledge->threads.count; i++)
        plant_root(knowledge, i);
    for (size_t i = 0; i < knowledge->runs.count; i++)
        feed(knowledge, &knowledge->runs.items[i]);
}

static void meet_threads(struct knowledge *knowledge, const struct kept_run *run)
{
    for (uint32_t i = 0; i < run->thread_count; i++) {
        bool added;
        const struct step_thread *thread = &run->threads[i];
        uint64_t *number = map_at(&knowledge->thread_numbers, thread->name, &added);
        if (!added)
            continue;
        *number = knowledge->threads.count;
        uint32_t parent = i ? thread_of(knowledge, run, thread->parent) : 0;
        array_push(&knowledge->threads,
                   ((struct known_thread){
                       .name = thread->name, .parent = parent, .number = thread->number}));
        plant_root(knowledge, (uint32_t)knowledge->threads.count - 1);
    }
}

bool knowledge_add(struct knowledge *knowledge, const struct stepper_page *page)
{
    struct kept_run run = kept_run_of(page);
    uint32_t shared = knowledge->shared;
    knowledge->full |= page->full;
    meet_threads(knowledge, &run);
    note_run(knowledge, &run);
    array_push(&knowledge->runs, run);
    if (knowledge->shared == shared)
        return feed(knowledge, &array_last(&knowledge->runs));
    rebuild(knowledge);
    return true;
}

uint32_t knowledge_behaviours(const struct knowledge *knowledge)
{
    struct map seen = {0};
    bool added;
    for (size_t i = 0; i < knowledge->runs.count; i++)
        map_at(&seen, knowledge->runs.items[i].behaviour >> 1, &added);
    uint32_t count = (uint32_t)seen.count;
    map_free(&seen);
    return count;
}

void knowledge_free(struct knowledge *knowledge)
{
    for (size_t i = 0; i < knowledge->runs.count; i++)
        kept_run_free(&knowledge->runs.items[i]);
    forget_nodes(knowledge);
    array_free(&knowledge->nodes);
    array_free(&knowledge->threads);
    array_free(&knowledge->words);
    array_free(&knowledge->initial);
    array_free(&knowledge->objects);
    array_free(&knowledge->runs);
    array_free(&knowledge->last);
    map_free(&knowledge->thread_numbers);
    map_free(&knowledge->uses);
}
