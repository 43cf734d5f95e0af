/* SPDX-License-Identifier: MIT */
#include "model/sift_clocks.h"

/* Threads beyond that have no lane: nothing is known of them, or by them. */
#define LANES_MAX 2048
/* Entries of all rows, after which nobody learns by reads any more. */
#define ROW_ENTRIES_MAX ((size_t)1 << 26)
/* Atomic variables whose last store is known. */
#define ATOMICS_MAX ((size_t)1 << 20)
/* Free lanes that are looked at for a new thread. */
#define LANES_TRIED 64

static void clock_free(struct sift_clock *clock)
{
    for (int order = 0; order < SIFT_ORDERS; order++)
        vclock_free(&clock->of[order]);
}

static bool clock_join(struct sift_clock *clock, const struct sift_clock *other)
{
    bool grew = false;
    for (int order = 0; order < SIFT_ORDERS; order++)
        grew |= vclock_join(&clock->of[order], &other->of[order]);
    return grew;
}

static void clock_copy(struct sift_clock *clock, const struct sift_clock *other)
{
    for (int order = 0; order < SIFT_ORDERS; order++)
        vclock_copy(&clock->of[order], &other->of[order]);
}

void sift_clocks_create(struct sift_clocks *self)
{
    *self = (struct sift_clocks){0};
    array_push(&self->segments, ((struct sift_segment){.lane = SIFT_NO_LANE}));
    array_push(&self->held, (struct sift_held){0});
}

static void free_vclocks(struct vclock *clocks, size_t count)
{
    for (size_t i = 0; i < count; i++)
        vclock_free(&clocks[i]);
}

static void free_clocks(struct sift_clock *clocks, size_t count)
{
    for (size_t i = 0; i < count; i++)
        clock_free(&clocks[i]);
}

void sift_clocks_free(struct sift_clocks *self)
{
    for (size_t i = 0; i < self->threads.count; i++)
        clock_free(&self->threads.items[i].clock);
    free_vclocks(self->rows.items, self->rows.count);
    for (size_t i = 0; i < self->locks.count; i++) {
        vclock_free(&self->locks.items[i].written);
        vclock_free(&self->locks.items[i].shared);
    }
    free_vclocks(self->semaphores.items, self->semaphores.count);
    free_clocks(self->barriers.items, self->barriers.count);
    free_clocks(self->onces.items, self->onces.count);
    free_clocks(self->atomic_clocks.items, self->atomic_clocks.count);
    array_free(&self->threads);
    array_free(&self->last_tick);
    array_free(&self->free_lanes);
    array_free(&self->segments);
    array_free(&self->rows);
    array_free(&self->held);
    array_free(&self->sections);
    array_free(&self->barriers);
    array_free(&self->onces);
    array_free(&self->locks);
    array_free(&self->semaphores);
    array_free(&self->atomic_clocks);
    map_free(&self->atomics);
}

/* --- lanes and segments --------------------------------------------------- */

static void begin_segment(struct sift_clocks *self, uint32_t id)
{
    struct sift_thread *thread = &self->threads.items[id];
    struct sift_segment segment = {id, thread->lane, 0, thread->number, 0, thread->held};
    if (thread->lane != SIFT_NO_LANE) {
        segment.tick = ++self->last_tick.items[thread->lane];
        for (int order = 0; order < SIFT_ORDERS; order++)
            vclock_set(&thread->clock.of[order], thread->lane, segment.tick);
    }
    thread->tick = segment.tick;
    thread->segment = (uint32_t)self->segments.count;
    array_push(&self->segments, segment);
}

/* One whose last segment the creator knows, in all orders. */
static bool take_free_lane(struct sift_clocks *self, const struct sift_clock *creator,
                           uint32_t *lane)
{
    size_t count = self->free_lanes.count;
    for (size_t i = count; i-- > 0 && i + LANES_TRIED >= count;) {
        uint32_t candidate = self->free_lanes.items[i];
        struct epoch last = {candidate, self->last_tick.items[candidate]};
        bool knows = true;
        for (int order = 0; order < SIFT_ORDERS; order++)
            knows &= vclock_saw(&creator->of[order], last);
        if (!knows)
            continue;
        self->free_lanes.items[i] = self->free_lanes.items[count - 1];
        self->free_lanes.count--;
        *lane = candidate;
        return true;
    }
    return false;
}

static void begin_thread(struct sift_clocks *self, uint32_t id, const struct sift_clock *creator)
{
    struct sift_thread *thread = &self->threads.items[id];
    thread->begun = true;
    thread->lane = SIFT_NO_LANE;
    bool reused = creator && take_free_lane(self, creator, &thread->lane);
    if (!reused && self->last_tick.count < LANES_MAX) {
        thread->lane = (uint32_t)self->last_tick.count;
        array_push(&self->last_tick, 0);
    }
    if (creator && thread->lane != SIFT_NO_LANE)
        clock_copy(&thread->clock, creator);
    begin_segment(self, id);
}

static struct sift_thread *thread_at(struct sift_clocks *self, uint32_t id)
{
    array_grow(&self->threads, id + 1);
    if (!self->threads.items[id].begun)
        begin_thread(self, id, NULL);
    return &self->threads.items[id];
}

uint32_t sift_clocks_now(struct sift_clocks *self, uint32_t thread)
{
    return thread_at(self, thread)->segment;
}

static uint32_t row_of(struct sift_clocks *self, struct sift_thread *thread)
{
    const struct vclock *known = &thread->clock.of[SIFT_READS];
    if (!thread->known && thread->lane != SIFT_NO_LANE &&
        self->row_entries + known->size < ROW_ENTRIES_MAX) {
        array_push(&self->rows, (struct vclock){0});
        vclock_copy(&array_last(&self->rows), known);
        vclock_set(&array_last(&self->rows), thread->lane, thread->tick - 1); /* so far */
        self->row_entries += known->size;
        thread->known = (uint32_t)self->rows.count;
    }
    return thread->known;
}

void sift_clocks_wrote(struct sift_clocks *self, uint32_t id)
{
    struct sift_thread *thread = &self->threads.items[id];
    struct sift_segment *segment = &self->segments.items[thread->segment];
    if (!segment->known)
        segment->known = row_of(self, thread);
}

bool sift_clocks_knows(const struct sift_clocks *self, enum sift_order order, uint32_t thread,
                       uint32_t number)
{
    const struct sift_segment *segment = &self->segments.items[number];
    const struct sift_thread *knower = &self->threads.items[thread];
    if (segment->thread == thread)
        return true;
    return segment->lane != SIFT_NO_LANE &&
           vclock_saw(&knower->clock.of[order], (struct epoch){segment->lane, segment->tick});
}

/* --- what reads tell ------------------------------------------------------ */

static const struct sift_held *common_lock(const struct sift_clocks *self, uint32_t a, uint32_t b)
{
    for (uint32_t i = self->segments.items[a].held; i; i = self->held.items[i].outer)
        for (uint32_t j = self->segments.items[b].held; j; j = self->held.items[j].outer)
            if (self->held.items[i].lock == self->held.items[j].lock &&
                !(self->held.items[i].shared && self->held.items[j].shared))
                return &self->held.items[i];
    return NULL;
}

bool sift_clocks_common_lock(const struct sift_clocks *self, uint32_t a, uint32_t b)
{
    return common_lock(self, a, b) != NULL;
}

static bool learn(struct sift_clocks *self, struct sift_thread *thread, uint32_t known,
                  uint32_t lane, uint32_t tick)
{
    struct vclock *clock = &thread->clock.of[SIFT_READS];
    if (!known || lane == thread->lane || thread->lane == SIFT_NO_LANE ||
        vclock_saw(clock, (struct epoch){lane, tick}))
        return false;
    vclock_join(clock, &self->rows.items[known - 1]);
    if (vclock_get(clock, lane) < tick)
        vclock_set(clock, lane, tick);
    thread->known = 0;
    return true;
}

/* Of the write's own segment, what follows the write need not come before the read. But with a
 * lock that keeps the two apart, all of the writer's critical section does. */
void sift_clocks_saw(struct sift_clocks *self, uint32_t id, uint32_t number)
{
    struct sift_thread *thread = &self->threads.items[id];
    const struct sift_segment *segment = &self->segments.items[number];
    if (segment->thread == id || segment->lane == SIFT_NO_LANE)
        return;
    const struct sift_held *lock = common_lock(self, number, thread->segment);
    const struct sift_section *section = lock ? &self->sections.items[lock->section] : NULL;
    bool grew = section && section->tick
                    ? learn(self, thread, section->known, section->lane, section->tick)
                    : learn(self, thread, segment->known, segment->lane, segment->tick - 1);
    if (grew)
        begin_segment(self, id);
}

/* --- synchronisation ------------------------------------------------------ */

static uint32_t hash_with(const struct sift_clocks *self, const struct sift_held *held)
{
    return self->held.items[held->outer].hash +
           (uint32_t)map_mix(map_pair(held->lock + 1, held->shared));
}

static void acquire(struct sift_clocks *self, struct sift_thread *thread, const struct event *event)
{
    uint32_t lock = event_lock(event);
    struct sift_held held = {lock, (uint32_t)self->sections.count, thread->held, 0,
                             event->op == EVENT_ACQUIRE_READ};
    held.hash = hash_with(self, &held);
    array_push(&self->sections, (struct sift_section){0});
    thread->held = (uint32_t)self->held.count;
    array_push(&self->held, held);
    array_grow(&self->locks, lock + 1);
    vclock_join(&thread->clock.of[SIFT_OBSERVED], &self->locks.items[lock].written);
    if (!held.shared)
        vclock_join(&thread->clock.of[SIFT_OBSERVED], &self->locks.items[lock].shared);
}

/* The list without one of them: those within it are listed anew. */
static uint32_t held_without(struct sift_clocks *self, uint32_t held, uint32_t without)
{
    if (held == without)
        return self->held.items[held].outer;
    struct sift_held inner = self->held.items[held];
    inner.outer = held_without(self, inner.outer, without);
    inner.hash = hash_with(self, &inner);
    array_push(&self->held, inner);
    return (uint32_t)self->held.count - 1;
}

static void release(struct sift_clocks *self, struct sift_thread *thread, const struct event *event)
{
    uint32_t lock = event_lock(event), held = thread->held;
    while (held && self->held.items[held].lock != lock)
        held = self->held.items[held].outer;
    if (!held)
        return;
    self->sections.items[self->held.items[held].section] =
        (struct sift_section){thread->lane, thread->tick, row_of(self, thread)};
    struct sift_lock *released = &self->locks.items[lock];
    vclock_join(self->held.items[held].shared ? &released->shared : &released->written,
                &thread->clock.of[SIFT_OBSERVED]);
    thread->held = held_without(self, thread->held, held);
}

static void fork_thread(struct sift_clocks *self, const struct event *event)
{
    array_grow(&self->threads, event->object + 1);
    if (!self->threads.items[event->object].begun)
        begin_thread(self, event->object, &self->threads.items[event->thread].clock);
}

static void join_thread(struct sift_clocks *self, struct sift_thread *thread, uint32_t other)
{
    if (other >= self->threads.count || !self->threads.items[other].begun ||
        self->threads.items[other].lane == SIFT_NO_LANE)
        return;
    struct sift_thread *joined = &self->threads.items[other];
    clock_join(&thread->clock, &joined->clock);
    thread->known = 0;
    array_push(&self->free_lanes, joined->lane);
    clock_free(&joined->clock);
    joined->clock = (struct sift_clock){0};
    joined->lane = SIFT_NO_LANE;
}

static bool is_acquire(unsigned order)
{
    return order == ORDER_ACQUIRE || order == ORDER_ACQ_REL || order == ORDER_SEQ_CST ||
           order == ORDER_CONSUME;
}

static bool is_release(unsigned order)
{
    return order == ORDER_RELEASE || order == ORDER_ACQ_REL || order == ORDER_SEQ_CST;
}

/* SIFT_READS follows its loads as all others: see sift.c. */
static void access_atomic(struct sift_clocks *self, struct sift_thread *thread,
                          const struct event *event)
{
    bool added = false;
    const uint64_t *known = map_find(&self->atomics, event->object);
    if (!known && (!event_writes(event) || self->atomic_clocks.count >= ATOMICS_MAX))
        return;
    uint64_t *number = map_at(&self->atomics, event->object, &added);
    if (added) {
        *number = self->atomic_clocks.count;
        array_push(&self->atomic_clocks, (struct sift_clock){0});
    }
    struct sift_clock *clock = &self->atomic_clocks.items[*number];
    if (event_reads(event)) {
        if (op_in(event->op, OPS_BOUND) && !(event->flags & EVENT_HAS_VALUE))
            vclock_join(&thread->clock.of[SIFT_WEAK], &clock->of[SIFT_WEAK]);
        if (is_acquire(event->order))
            vclock_join(&thread->clock.of[SIFT_OBSERVED], &clock->of[SIFT_OBSERVED]);
    }
    if (!event_writes(event))
        return;
    vclock_copy(&clock->of[SIFT_WEAK], &thread->clock.of[SIFT_WEAK]);
    if (is_release(event->order))
        vclock_copy(&clock->of[SIFT_OBSERVED], &thread->clock.of[SIFT_OBSERVED]);
    else if (event->op == EVENT_ATOMIC_STORE) /* else a release sequence goes on */
        vclock_clear(&clock->of[SIFT_OBSERVED]);
}

void sift_clocks_overwrite(struct sift_clocks *self, uint32_t variable)
{
    const uint64_t *number = map_find(&self->atomics, variable);
    for (int order = 0; number && order < SIFT_ORDERS; order++)
        vclock_clear(&self->atomic_clocks.items[*number].of[order]);
}

static struct sift_clock *clock_at(struct sift_clock_list *list, uint32_t number)
{
    array_grow(list, number + 1);
    return &list->items[number];
}

static void semaphore(struct sift_clocks *self, struct sift_thread *thread,
                      const struct event *event)
{
    array_grow(&self->semaphores, event->object + 1);
    struct vclock *posts = &self->semaphores.items[event->object];
    if (event->op == EVENT_POST)
        vclock_join(posts, &thread->clock.of[SIFT_OBSERVED]);
    else if (!(event->flags & EVENT_FAILED))
        vclock_join(&thread->clock.of[SIFT_OBSERVED], posts);
}

static void meet(struct sift_clocks *self, struct sift_thread *thread, const struct event *event)
{
    switch (event->op) {
    case EVENT_JOIN:
        join_thread(self, thread, event->object);
        break;
    case EVENT_BARRIER_ENTER:
        clock_join(clock_at(&self->barriers, event->other), &thread->clock);
        break;
    case EVENT_BARRIER_EXIT:
        clock_join(&thread->clock, clock_at(&self->barriers, event->other));
        thread->known = 0;
        break;
    case EVENT_ONCE_END:
        clock_copy(clock_at(&self->onces, event->object), &thread->clock);
        break;
    case EVENT_ONCE_PASS:
        clock_join(&thread->clock, clock_at(&self->onces, event->object));
        thread->known = 0;
        break;
    case EVENT_POST:
    case EVENT_SEM_WAIT:
        semaphore(self, thread, event);
        break;
    default:
        break;
    }
}

void sift_clocks_step(struct sift_clocks *self, const struct event *event)
{
    thread_at(self, event->thread);
    if (event->op == EVENT_FORK)
        fork_thread(self, event); /* may move the threads */
    struct sift_thread *thread = &self->threads.items[event->thread];
    if (op_in(event->op, OPS_ATOMIC))
        access_atomic(self, thread, event);
    else if (event_acquires(event))
        acquire(self, thread, event);
    else if (event_releases(event))
        release(self, thread, event);
    else
        meet(self, thread, event);
    thread->number++;
    begin_segment(self, event->thread);
}
