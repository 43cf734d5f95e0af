#include "model/embracer.h"

#include "base/arena.h"
#include "base/array.h"
#include "model/hard_edges.h"

struct clocks ARRAY_OF(struct vclock);

struct section_list ARRAY_OF(struct embracer_section *);

struct section_ticks {
    uint32_t acquire, release;
};

/* H of one mutex, by thread (section 16.1). */
struct user {
    uint32_t thread;
    struct section_list sections;
    struct user_ticks ARRAY_OF(struct section_ticks) ticks; /* of the same */
    /* By number of user: how many of its sections are before this thread's last one. */
    struct user_settled ARRAY_OF(uint32_t) settled;
};

struct mutex_history {
    struct user *items;
    size_t count, capacity;
    struct embracer_section *open;
    struct vclock acquired; /* A, while there is an open one */
    /* Numbers of users, whoever released last first: its section tends to be after
     * all others, so that one edge says it all. */
    struct user_recency ARRAY_OF(uint32_t) recent;
};

struct variable_clocks {
    struct vclock written, read;
    uint32_t writer_plus_one, write_tick;
};

struct embracer {
    struct clocks threads;
    struct embracer_mutexes ARRAY_OF(struct mutex_history) mutexes;
    struct embracer_variables ARRAY_OF(struct variable_clocks) variables;
    struct extra_edges extra;
    struct hard_edges *hard;
    struct section_list ended;  /* in the order of their releases */
    struct section_list to_ask; /* sections whose release has learnt something */
    struct arena arena;         /* the sections */
    uint32_t open_count;
    struct vclock arriving; /* scratch */
};

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

static struct mutex_history *mutex_at(struct embracer *embracer, uint32_t lock)
{
    array_grow(&embracer->mutexes, lock + 1);
    return &embracer->mutexes.items[lock];
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

static void advance(struct vclock *clock, uint32_t thread)
{
    clock->ticks[thread]++;
}

/* How many of the user's sections, from `low` on, began before a moment that has
 * seen `tick` of its thread. */
static uint32_t count_seen(const struct user *user, uint32_t low, uint32_t tick)
{
    uint32_t high = (uint32_t)user->ticks.count;
    if (low == high || user->ticks.items[low].acquire >= tick)
        return low;
    if (user->ticks.items[high - 1].acquire < tick)
        return high;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (user->ticks.items[middle].acquire < tick)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Does the acquire of `section` come after the release already? (16.1) Whoever has
 * seen the release's tick knows, once adjusted, all that it knew. */
static bool is_ordered(const struct embracer *embracer, struct epoch release,
                       const struct embracer_section *section)
{
    const struct mutex_history *mutex = &embracer->mutexes.items[section->lock];
    const struct vclock *before =
        extra_edges_seen(&embracer->extra, section->thread, section->tick + 1);
    return (before && vclock_saw(before, release)) ||
           (mutex->open == section && vclock_saw(&mutex->acquired, release));
}

/* Condition 3 for one section, whose release has `clock` (adjusted, and adjusted to
 * what is found): true if an edge was added. `settled`, by user, says which sections
 * are known to be before it, and learns; NULL: none is. */
static bool order_sections(struct embracer *embracer, const struct embracer_section *section,
                           struct vclock *clock, uint32_t *settled)
{
    const struct mutex_history *mutex = &embracer->mutexes.items[section->lock];
    bool added = false;
    for (bool again = true; again;) {
        again = false;
        for (size_t i = 0; i < mutex->recent.count; i++) {
            uint32_t number = mutex->recent.items[i];
            const struct user *user = &mutex->items[number];
            if (user->thread == section->thread)
                continue;
            uint32_t known = settled ? settled[number] : 0;
            uint32_t seen = count_seen(user, known, vclock_get(clock, user->thread));
            if (seen == known)
                continue;
            if (settled)
                settled[number] = seen;
            struct epoch release = {user->thread, user->ticks.items[seen - 1].release};
            if (is_ordered(embracer, release, section))
                continue;
            const struct vclock *from = &user->sections.items[seen - 1]->at_release;
            extra_edges_add(&embracer->extra, section->thread, section->tick, from);
            again |= extra_edges_join(&embracer->extra, clock, from);
            added = true;
        }
    }
    return added;
}

/* There are new edges into the section's acquire: all that have seen it learn. */
static void spread(struct embracer *embracer, const struct embracer_section *section)
{
    const struct vclock *before =
        extra_edges_seen(&embracer->extra, section->thread, section->tick + 1);
    for (uint32_t thread = 0; thread < embracer->threads.count; thread++) {
        struct vclock *clock = &embracer->threads.items[thread];
        if (vclock_get(clock, section->thread) > section->tick)
            extra_edges_join(&embracer->extra, clock, before);
    }
    for (size_t i = section->ended_before; i < embracer->ended.count; i++) {
        struct embracer_section *ended = embracer->ended.items[i];
        if (vclock_get(&ended->at_release, section->thread) > section->tick &&
            extra_edges_join(&embracer->extra, &ended->at_release, before))
            array_push(&embracer->to_ask, ended);
    }
}

static void ask_again(struct embracer *embracer)
{
    while (embracer->to_ask.count) {
        struct embracer_section *section = array_pop(&embracer->to_ask);
        if (order_sections(embracer, section, &section->at_release, NULL))
            spread(embracer, section);
    }
}

static void acquire(struct embracer *embracer, const struct event *event, struct vclock *clock)
{
    struct mutex_history *mutex = mutex_at(embracer, event_lock(event));
    struct embracer_section *section = arena_alloc(&embracer->arena, sizeof *section);
    *section = (struct embracer_section){
        .thread = event->thread,
        .lock = event_lock(event),
        .tick = vclock_get(clock, event->thread),
        .ended_before = (uint32_t)embracer->ended.count,
    };
    vclock_copy(&mutex->acquired, clock);
    mutex->open = section;
    embracer->open_count++;
    advance(clock, event->thread);
}

static struct user *user_of(struct mutex_history *mutex, uint32_t thread)
{
    for (size_t i = 0; i < mutex->count; i++)
        if (mutex->items[i].thread == thread)
            return &mutex->items[i];
    struct user user = {.thread = thread};
    array_push(&mutex->recent, (uint32_t)mutex->count);
    array_push(mutex, user);
    return &array_last(mutex);
}

static void move_to_front(struct mutex_history *mutex, uint32_t number)
{
    size_t at = 0;
    while (mutex->recent.items[at] != number)
        at++;
    memmove(mutex->recent.items + 1, mutex->recent.items, at * sizeof number);
    mutex->recent.items[0] = number;
}

static void release(struct embracer *embracer, uint32_t lock, struct vclock *clock)
{
    struct mutex_history *mutex = mutex_at(embracer, lock);
    struct embracer_section *section = mutex->open;
    if (!section)
        return;
    struct user *user = user_of(mutex, section->thread);
    array_grow(&user->settled, mutex->count);
    bool added = order_sections(embracer, section, clock, user->settled.items);
    mutex->open = NULL;
    embracer->open_count--;
    vclock_copy(&section->at_release, clock);
    if (added)
        spread(embracer, section);
    array_push(&embracer->ended, section);
    array_push(&user->sections, section);
    struct section_ticks ticks = {section->tick, vclock_get(clock, section->thread)};
    array_push(&user->ticks, ticks);
    move_to_front(mutex, (uint32_t)(user - mutex->items));
    ask_again(embracer);
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
    advance(clock, event->thread);
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
        advance(clock, event->thread); /* a tick means what was known when it began */
}

void embracer_leave(struct embracer *embracer, const struct event *event)
{
    struct vclock *clock = clock_at(embracer, event->thread);
    if (op_in(event->op, OPS_ACCESS))
        access_variable(embracer, event, clock);
    if (!op_in(event->op, OPS_SYNC))
        return;
    if (event_acquires(event) && op_is_mutex(event->op))
        acquire(embracer, event, clock);
    else if (event_releases(event) && op_is_mutex(event->op))
        release(embracer, event_lock(event), clock);
    bool starts = hard_edges_leave(embracer->hard, event, clock);
    if (event->op == EVENT_FORK)
        extra_edges_join(&embracer->extra, clock_at(embracer, event->object), clock);
    bool counted = op_in(event->op, OPS_ACCESS) || op_is_mutex(event->op);
    if (event->op == EVENT_FORK || (starts && !counted))
        advance(clock, event->thread);
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
            release(embracer, lock, clock_at(embracer, embracer->mutexes.items[lock].open->thread));
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
