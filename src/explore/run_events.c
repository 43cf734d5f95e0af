/* SPDX-License-Identifier: MIT */
#include "explore/run_events.h"

#include "base/array.h"
#include "base/map.h"
#include "base/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct extent {
    uint64_t begin, end;
    uint32_t variable; /* in the trace; INTERN_NONE: not named yet */
    uint32_t user;     /* who accessed it first */
    bool shared;
};

struct run_events {
    const struct kept_run *run;
    struct symbols *symbols;
    struct run_code *code;
    struct trace *trace;
    struct extents ARRAY_OF(struct extent) extents; /* ascending, apart from each other */
    struct pcs ARRAY_OF(uint64_t) pcs;
    struct map by_pc, by_name, writers;        /* of a lock: who holds it for writing, + 1 */
    struct ready ARRAY_OF(struct event) ready; /* to be given before the next step */
    uint32_t *waits;                           /* by thread: 1 + the condition it waits for */
    uint32_t *mutexes;                         /* and that wait's */
    bool *timed_out, *started;                 /* by thread */
    uint32_t *positions;
    uint32_t at, step; /* the next one; that of the event given last */
};

/* --- objects ------------------------------------------------------------------------------------
 */

static bool is_access(const struct step_event *event)
{
    return event->op == STEP_READ || event->op == STEP_WRITE || event->op == STEP_UPDATE;
}

static uint64_t begin_of(const struct step_event *event)
{
    return event->object + event->offset;
}

static int compare_extents(const void *left, const void *right)
{
    const struct extent *a = left, *b = right;
    return a->begin < b->begin ? -1 : a->begin > b->begin;
}

static void merge_extents(struct run_events *self)
{
    struct extents *all = &self->extents;
    size_t count = 0;
    if (all->count)
        qsort(all->items, all->count, sizeof *all->items, compare_extents);
    for (size_t i = 0; i < all->count; i++) {
        struct extent *last = count ? &all->items[count - 1] : NULL;
        if (!last || all->items[i].begin >= last->end) {
            all->items[count++] = all->items[i];
            continue;
        }
        last->end = last->end > all->items[i].end ? last->end : all->items[i].end;
        last->shared |= last->user != all->items[i].user;
    }
    all->count = count;
}

static void collect_extents(struct run_events *self)
{
    struct map met = {0};
    for (uint32_t i = 0; i < self->run->event_count; i++) {
        const struct step_event *event = &self->run->events[i];
        bool added;
        if (!is_access(event) || !event->size)
            continue;
        map_at(&met, map_mix(begin_of(event)) ^ (uint64_t)event->thread << 8 ^ event->size, &added);
        if (added)
            array_push(&self->extents, ((struct extent){.begin = begin_of(event),
                                                        .end = begin_of(event) + event->size,
                                                        .variable = INTERN_NONE,
                                                        .user = event->thread}));
    }
    map_free(&met);
    merge_extents(self);
}

/* The first that ends behind the address. */
static size_t find_extent(const struct run_events *self, uint64_t address)
{
    size_t low = 0, high = self->extents.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (self->extents.items[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static uint32_t name_address(struct run_events *self, enum object_class class, uint64_t address,
                             uint64_t length)
{
    bool added;
    uint64_t *id = map_at(&self->by_name, map_mix(address) ^ (uint64_t) class, &added);
    if (!added)
        return (uint32_t)*id;
    char text[600], member[256];
    uint64_t offset = 0;
    const char *name = symbols_data(self->symbols, address, &offset);
    if (!name)
        snprintf(text, sizeof text, "0x%" PRIx64, address);
    else if (symbols_member(self->symbols, address, length, member, sizeof member))
        snprintf(text, sizeof text, "%.300s%s", name, member);
    else if (offset)
        snprintf(text, sizeof text, "%.300s+%" PRIu64, name, offset);
    else
        snprintf(text, sizeof text, "%.300s", name);
    uint32_t before = trace_count(self->trace, class);
    *id = intern(self->trace->names[class], text, strlen(text));
    if (*id < before) { /* another one has that name */
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, " at 0x%" PRIx64, address);
        *id = intern(self->trace->names[class], text, strlen(text));
    }
    return (uint32_t)*id;
}

static uint32_t name_extent(struct run_events *self, struct extent *extent)
{
    if (extent->variable == INTERN_NONE)
        extent->variable =
            name_address(self, CLASS_VARIABLE, extent->begin, extent->end - extent->begin);
    return extent->variable;
}

uint32_t run_events_location(struct run_events *self, uint64_t pc)
{
    bool added;
    uint64_t *id = map_at(&self->by_pc, pc == UINT64_MAX ? 0 : pc, &added);
    if (added) {
        *id = self->pcs.count;
        array_push(&self->pcs, pc);
    }
    return (uint32_t)*id;
}

static uint32_t thread_named(const struct run_events *self, uint64_t name)
{
    for (uint32_t i = 0; i < self->run->thread_count; i++)
        if (self->run->threads[i].name == name)
            return i;
    return 0;
}

/* --- one step -----------------------------------------------------------------------------------
 */

static struct event event_at(struct run_events *self, const struct step_event *step,
                             enum event_op op)
{
    return (struct event){
        .thread = step->thread, .op = (uint8_t)op, .location = run_events_location(self, step->pc)};
}

static bool give(struct event *out, struct event event)
{
    *out = event;
    return true;
}

static enum event_op access_op(const struct step_event *step)
{
    bool is_atomic = step->flags & STEP_ATOMIC;
    if (step->op == STEP_READ)
        return is_atomic ? EVENT_ATOMIC_LOAD : EVENT_READ;
    if (step->op == STEP_WRITE)
        return is_atomic ? EVENT_ATOMIC_STORE : EVENT_WRITE;
    return EVENT_ATOMIC_RMW;
}

static bool access_event(struct run_events *self, const struct step_event *step, struct event *out)
{
    struct event event = event_at(self, step, access_op(step));
    size_t at = find_extent(self, begin_of(step));
    if (!step->size || at == self->extents.count)
        return false;
    struct extent *extent = &self->extents.items[at];
    event.object = name_extent(self, extent);
    event.order = ORDER_SEQ_CST;
    event.size = step->size;
    if (extent->end - extent->begin == step->size) {
        uint64_t word = step->op == STEP_WRITE ? step->made : step->seen;
        event.flags = EVENT_HAS_VALUE;
        event.value = word >> step->offset * 8;
        if (step->size < 8)
            event.value &= (UINT64_C(1) << step->size * 8) - 1;
    }
    return give(out, event);
}

/* Frees write to all that others may look at. */
static bool free_event(struct run_events *self, const struct step_event *step, struct event *out)
{
    bool any = false;
    for (size_t at = find_extent(self, step->object);
         at < self->extents.count && self->extents.items[at].begin < step->object + step->made;
         at++) {
        struct extent *extent = &self->extents.items[at];
        if (!extent->shared && extent->user == step->thread)
            continue;
        struct event event = event_at(self, step, EVENT_WRITE);
        event.object = name_extent(self, extent);
        event.flags = EVENT_FREES;
        if (any)
            array_push(&self->ready, event);
        else
            give(out, event);
        any = true;
    }
    return any;
}

static bool lock_event(struct run_events *self, const struct step_event *step, enum event_op op,
                       uint8_t flags, struct event *out)
{
    struct event event = event_at(self, step, op);
    event.object = name_address(self, CLASS_LOCK, step->object, 0);
    event.flags = flags;
    return give(out, event);
}

static uint8_t try_flags(const struct step_event *step)
{
    return step->seen ? EVENT_TRY : EVENT_TRY | EVENT_FAILED;
}

static bool unlock_either(struct run_events *self, const struct step_event *step, struct event *out)
{
    uint64_t *writer = map_at(&self->writers, step->object, NULL);
    bool writes = *writer == step->thread + 1u;
    if (writes)
        *writer = 0;
    return lock_event(self, step, writes ? EVENT_RELEASE_WRITE : EVENT_RELEASE_READ, 0, out);
}

static bool write_lock(struct run_events *self, const struct step_event *step, uint8_t flags,
                       struct event *out)
{
    if (!(flags & EVENT_FAILED))
        *map_at(&self->writers, step->object, NULL) = step->thread + 1u;
    return lock_event(self, step, EVENT_ACQUIRE_WRITE, flags, out);
}

static bool object_event(struct run_events *self, const struct step_event *step, enum event_op op,
                         uint8_t flags, struct event *out)
{
    struct event event = event_at(self, step, op);
    event.object = name_address(self, event_object_class(op), step->object, 0);
    event.flags = flags;
    return give(out, event);
}

static bool thread_event(struct run_events *self, const struct step_event *step, enum event_op op,
                         struct event *out)
{
    struct event event = event_at(self, step, op);
    if (op != EVENT_END)
        event.object = thread_named(self, step->object);
    return give(out, event);
}

/* The mutex of a wait, which is that of the thread's next step: a wait begins with both. */
static bool begin_wait(struct run_events *self, const struct step_event *step, struct event *out)
{
    uint32_t i = self->at;
    while (i < self->run->event_count && self->run->events[i].thread != step->thread)
        i++;
    const struct step_event *unlock =
        i < self->run->event_count ? &self->run->events[i] : &self->run->threads[step->thread].next;
    struct event event = event_at(self, step, EVENT_WAIT_BEGIN);
    event.object = name_address(self, CLASS_CONDITION, step->object, 0);
    event.other = name_address(self, CLASS_LOCK, unlock->object, 0);
    self->waits[step->thread] = event.object + 1;
    self->mutexes[step->thread] = event.other;
    self->timed_out[step->thread] = false;
    return give(out, event);
}

static bool end_wait(struct run_events *self, const struct step_event *step, struct event *out)
{
    struct event event = event_at(self, step, EVENT_WAIT_END);
    event.object = self->waits[step->thread] - 1;
    event.other = name_address(self, CLASS_LOCK, step->object, 0);
    event.flags = self->timed_out[step->thread] ? EVENT_TRY | EVENT_FAILED : 0;
    self->waits[step->thread] = 0;
    return give(out, event);
}

static bool synchronisation(struct run_events *self, const struct step_event *step,
                            struct event *out)
{
    switch (step->op) {
    case STEP_LOCK:
        return self->waits[step->thread] ? end_wait(self, step, out)
                                         : lock_event(self, step, EVENT_ACQUIRE, 0, out);
    case STEP_TRY_LOCK:
        return lock_event(self, step, EVENT_ACQUIRE, try_flags(step), out);
    case STEP_UNLOCK:
        return !self->waits[step->thread] && lock_event(self, step, EVENT_RELEASE, 0, out);
    case STEP_READ_LOCK:
        return lock_event(self, step, EVENT_ACQUIRE_READ, 0, out);
    case STEP_TRY_READ_LOCK:
        return lock_event(self, step, EVENT_ACQUIRE_READ, try_flags(step), out);
    case STEP_WRITE_LOCK:
        return write_lock(self, step, 0, out);
    case STEP_TRY_WRITE_LOCK:
        return write_lock(self, step, try_flags(step), out);
    case STEP_UNLOCK_EITHER:
        return unlock_either(self, step, out);
    case STEP_QUEUE:
        return begin_wait(self, step, out);
    case STEP_AWAKE:
        self->timed_out[step->thread] = !step->seen;
        return false;
    case STEP_SIGNAL:
        return object_event(self, step, EVENT_SIGNAL, 0, out);
    case STEP_BROADCAST:
        return object_event(self, step, EVENT_BROADCAST, 0, out);
    default:
        return false;
    }
}

/* False if it becomes no event. */
static bool translate(struct run_events *self, const struct step_event *step, struct event *out)
{
    switch (step->op) {
    case STEP_READ:
    case STEP_WRITE:
    case STEP_UPDATE:
        return access_event(self, step, out);
    case STEP_FREE:
        return free_event(self, step, out);
    case STEP_ENTER:
        return object_event(self, step, EVENT_BARRIER_ENTER, 0, out);
    case STEP_LEAVE:
        return object_event(self, step, EVENT_BARRIER_EXIT, 0, out);
    case STEP_WAIT:
        return object_event(self, step, EVENT_SEM_WAIT, 0, out);
    case STEP_TRY_WAIT:
        return object_event(self, step, EVENT_SEM_WAIT, try_flags(step), out);
    case STEP_POST:
        return object_event(self, step, EVENT_POST, 0, out);
    case STEP_ONCE:
        return object_event(self, step, step->seen ? EVENT_ONCE_BEGIN : EVENT_ONCE_PASS, 0, out);
    case STEP_ONCE_DONE:
        return object_event(self, step, EVENT_ONCE_END, 0, out);
    case STEP_FORK:
        return thread_event(self, step, EVENT_FORK, out);
    case STEP_JOIN:
        return thread_event(self, step, EVENT_JOIN, out);
    case STEP_END:
        return thread_event(self, step, EVENT_END, out);
    default:
        return synchronisation(self, step, out);
    }
}

bool run_events_next(struct run_events *self, struct event *event)
{
    if (self->ready.count) {
        *event = array_pop(&self->ready);
        return true;
    }
    while (self->at < self->run->event_count) {
        const struct step_event *step = &self->run->events[self->at];
        if (step->thread && !self->started[step->thread]) {
            self->started[step->thread] = true;
            self->step = UINT32_MAX;
            return give(event, event_at(self, step, EVENT_START));
        }
        self->step = self->at++;
        if (translate(self, step, event))
            return true;
    }
    return false;
}

/* --- what threads stood before ------------------------------------------------------------------
 */

/* What it waits for when the run is over; false if it does not wait. */
static bool wish_of(struct run_events *self, uint32_t thread, struct event *event)
{
    const struct step_thread *of = &self->run->threads[thread];
    struct step_event step = of->next;
    step.thread = (uint16_t)thread;
    if (of->state != STEP_STANDS)
        return false;
    if (step.op == STEP_AWAKE || (step.op == STEP_LOCK && self->waits[thread]))
        return self->waits[thread] &&
               (step.op == STEP_LOCK
                    ? end_wait(self, &step, event)
                    : give(event, (struct event){
                                      .thread = thread,
                                      .op = EVENT_WAIT_END,
                                      .object = self->waits[thread] - 1,
                                      .other = self->mutexes[thread],
                                      .location = run_events_location(self, step.pc),
                                  }));
    switch (step.op) {
    case STEP_LOCK:
    case STEP_READ_LOCK:
    case STEP_WRITE_LOCK:
    case STEP_LEAVE:
    case STEP_WAIT:
    case STEP_ONCE:
    case STEP_JOIN:
        step.seen = 0;
        return translate(self, &step, event);
    default:
        return false;
    }
}

/* Before the first step is given: who waits is known once all are, so they are gone through. */
static void learn_wishes(struct run_events *self)
{
    struct event event;
    while (run_events_next(self, &event))
        ;
    self->trace->wishes = memory_alloc(self->run->thread_count + 1, sizeof event);
    for (uint32_t i = 0; i < self->run->thread_count; i++)
        if (wish_of(self, i, &event)) {
            event.flags |= EVENT_WISH;
            self->trace->wishes[self->trace->wish_count++] = event;
        }
    self->at = 0;
    memset(self->waits, 0, self->run->thread_count * sizeof *self->waits);
    memset(self->started, 0, self->run->thread_count * sizeof *self->started);
    map_free(&self->writers);
}

/* --- the whole ----------------------------------------------------------------------------------
 */

struct run_events *run_events_create(const struct kept_run *run, struct symbols *symbols,
                                     struct trace *trace)
{
    struct run_events *self = NEW(struct run_events);
    self->run = run;
    self->symbols = symbols;
    self->trace = trace;
    self->waits = NEW_ARRAY(uint32_t, run->thread_count + 1);
    self->mutexes = NEW_ARRAY(uint32_t, run->thread_count + 1);
    self->timed_out = NEW_ARRAY(bool, run->thread_count + 1);
    self->started = NEW_ARRAY(bool, run->thread_count + 1);
    self->positions = memory_alloc(run->event_count + 1, sizeof *self->positions);
    memset(self->positions, 0xff, (run->event_count + 1) * sizeof *self->positions);
    for (uint32_t i = 0; i < run->thread_count; i++) {
        char path[64];
        kept_run_path(run, i, path, sizeof path);
        if (intern(trace->names[CLASS_THREAD], path, strlen(path)) != i) {
            snprintf(path, sizeof path, "T#%" PRIu32, i); /* deeper than a name can say */
            intern(trace->names[CLASS_THREAD], path, strlen(path));
        }
    }
    collect_extents(self);
    learn_wishes(self);
    return self;
}

void run_events_destroy(struct run_events *self)
{
    if (!self)
        return;
    array_free(&self->extents);
    array_free(&self->pcs);
    array_free(&self->ready);
    map_free(&self->by_pc);
    map_free(&self->by_name);
    map_free(&self->writers);
    free(self->waits);
    free(self->mutexes);
    free(self->timed_out);
    free(self->started);
    free(self->positions);
    free(self);
}

void run_events_delivered(struct run_events *self, uint32_t pos)
{
    if (self->step != UINT32_MAX)
        self->positions[self->step] = pos;
}

void run_events_positions(const struct run_events *self, uint32_t *positions)
{
    memcpy(positions, self->positions, self->run->event_count * sizeof *positions);
}

void run_events_use_code(struct run_events *self, struct run_code *code)
{
    self->code = code;
}

struct run_code *run_events_code(const struct run_events *self)
{
    return self->code;
}

struct symbols *run_events_symbols(const struct run_events *self)
{
    return self->symbols;
}

uint64_t run_events_pc(const struct run_events *self, uint32_t location)
{
    return location < self->pcs.count ? self->pcs.items[location] : 0;
}
