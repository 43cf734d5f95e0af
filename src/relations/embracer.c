/* SPDX-License-Identifier: MIT */
#include "relations/embracer_state.h"

struct embracer *embracer_create(void)
{
    struct embracer *embracer = NEW(struct embracer);
    embracer->hard = hard_edges_create();
    return embracer;
}

static void free_mutex(struct mutex_history *mutex)
{
    for (size_t i = 0; i < mutex->count; i++) {
        array_free(&mutex->items[i].sections);
        array_free(&mutex->items[i].ticks);
        array_free(&mutex->items[i].settled);
    }
    free(mutex->items);
    array_free(&mutex->recent);
    array_free(&mutex->lasts);
    vclock_free(&mutex->acquired);
}

void embracer_destroy(struct embracer *embracer)
{
    if (!embracer)
        return;
    for (size_t i = 0; i < embracer->mutexes.count; i++)
        free_mutex(&embracer->mutexes.items[i]);
    for (size_t i = 0; i < embracer->ended.count; i++)
        vclock_free(&embracer->ended.items[i]->at_release);
    arena_free(&embracer->arena);
    for (size_t i = 0; i < embracer->variables.count; i++) {
        vclock_free(&embracer->variables.items[i].written);
        vclock_free(&embracer->variables.items[i].read);
    }
    for (size_t i = 0; i < embracer->threads.count; i++)
        vclock_free(&embracer->threads.items[i]);
    array_free(&embracer->threads);
    array_free(&embracer->mutexes);
    array_free(&embracer->variables);
    array_free(&embracer->ended);
    array_free(&embracer->to_ask);
    extra_edges_free(&embracer->extra);
    hard_edges_destroy(embracer->hard);
    vclock_free(&embracer->arriving);
    free(embracer);
}

static struct vclock *clock_at(struct embracer *embracer, uint32_t thread)
{
    if (thread >= embracer->threads.count)
        array_grow(&embracer->threads, thread + 1);
    struct vclock *clock = &embracer->threads.items[thread];
    if (!vclock_get(clock, thread))
        vclock_set(clock, thread, 1);
    return clock;
}

static struct vclock *moment_of(void *context, uint32_t thread)
{
    return clock_at(context, thread);
}

static struct variable_clocks *variable_at(struct embracer *embracer, uint32_t variable)
{
    array_grow(&embracer->variables, variable + 1);
    return &embracer->variables.items[variable];
}

const struct vclock *embracer_clock(struct embracer *embracer, uint32_t thread)
{
    return clock_at(embracer, thread);
}

/* The order of clashing accesses; whoever has seen the write has seen its past. */
static void access_variable(struct embracer *embracer, const struct event *event,
                            struct vclock *clock)
{
    struct variable_clocks *variable = variable_at(embracer, event->object);
    uint32_t writer = variable->writer_plus_one;
    if (writer && writer != event->thread + 1 &&
        vclock_get(clock, writer - 1) < variable->write_tick)
        extra_edges_join(&embracer->extra, clock, &variable->written);
    if (event_writes(event))
        extra_edges_join(&embracer->extra, clock, &variable->read);
    embracer_advance(clock, event->thread);
    if (event_writes(event)) {
        vclock_copy(&variable->written, clock);
        variable->writer_plus_one = event->thread + 1;
        variable->write_tick = clock->ticks[event->thread];
    }
    if (event_reads(event))
        vclock_join(&variable->read, clock);
}

void embracer_enter(struct embracer *embracer, const struct event *event)
{
    clock_at(embracer, event->thread);
    if (!op_in(event->op, OPS_SYNC))
        return;
    if (event->op == EVENT_FORK || event->op == EVENT_JOIN)
        clock_at(embracer, event->object); /* may move the others: before we point at one */
    vclock_clear(&embracer->arriving);
    if (!hard_edges_arrive(embracer->hard, event, moment_of, embracer, &embracer->arriving))
        return;
    struct vclock *clock = clock_at(embracer, event->thread);
    if (extra_edges_join(&embracer->extra, clock, &embracer->arriving))
        embracer_advance(clock, event->thread); /* a tick means what was known when it began */
}

void embracer_leave(struct embracer *embracer, const struct event *event)
{
    struct vclock *clock = clock_at(embracer, event->thread);
    if (op_in(event->op, OPS_ACCESS))
        access_variable(embracer, event, clock);
    if (!op_in(event->op, OPS_SYNC))
        return;
    if (event_acquires(event) && op_is_mutex(event->op))
        embracer_acquire(embracer, event, clock);
    else if (event_releases(event) && op_is_mutex(event->op))
        embracer_release(embracer, event_lock(event), clock);
    bool starts = hard_edges_leave(embracer->hard, event, clock);
    if (event->op == EVENT_FORK)
        extra_edges_join(&embracer->extra, clock_at(embracer, event->object), clock);
    bool counted = op_in(event->op, OPS_ACCESS) || op_is_mutex(event->op);
    if (event->op == EVENT_FORK || (starts && !counted))
        embracer_advance(clock, event->thread);
}

void embracer_prefetch(const struct embracer *embracer, uint32_t variable)
{
    if (variable < embracer->variables.count)
        __builtin_prefetch(&embracer->variables.items[variable]);
}

bool embracer_is_closed(const struct embracer *embracer)
{
    return embracer->open_count == 0;
}

void embracer_finish(struct embracer *embracer)
{
    for (uint32_t lock = 0; lock < embracer->mutexes.count; lock++)
        if (embracer->mutexes.items[lock].open)
            embracer_release(embracer, lock,
                             clock_at(embracer, embracer->mutexes.items[lock].open->thread));
}

void embracer_adjust(struct embracer *embracer, struct vclock *clock)
{
    extra_edges_adjust(&embracer->extra, clock);
}

const struct vclock *embracer_written(struct embracer *embracer, uint32_t variable)
{
    return &variable_at(embracer, variable)->written;
}

const struct vclock *embracer_read(struct embracer *embracer, uint32_t variable)
{
    return &variable_at(embracer, variable)->read;
}

const struct extra_edges *embracer_extra(const struct embracer *embracer)
{
    return &embracer->extra;
}

const struct vclock *embracer_acquired(const struct embracer *embracer, uint32_t lock)
{
    if (lock >= embracer->mutexes.count || !embracer->mutexes.items[lock].open)
        return NULL;
    return &embracer->mutexes.items[lock].acquired;
}

size_t embracer_history(const struct embracer *embracer, uint32_t lock, uint32_t thread,
                        struct embracer_section *const **sections)
{
    const struct mutex_history *mutex = &embracer->mutexes.items[lock];
    for (size_t i = 0; lock < embracer->mutexes.count && i < mutex->count; i++)
        if (mutex->items[i].thread == thread) {
            *sections = mutex->items[i].sections.items;
            return mutex->items[i].sections.count;
        }
    return 0;
}
