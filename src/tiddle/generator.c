#include "tiddle/generator.h"

#include "base/array.h"
#include "base/random.h"
#include "trace/formats.h"

#include <stdarg.h>
#include <stdio.h>

#define NOBODY UINT32_MAX
enum { HELD_MOST = 16, BLOCKS_MOST = 3, CONDITIONS = 2, BARRIERS = 2, SEMAPHORES = 2, ONCES = 2 };

enum thread_phase {
    UNBORN, /* until its fork */
    RUNNING,
    SLEEPING, /* at a condition; not signalled */
    WOKEN,    /* signalled, wants its mutex back */
    ENTERED,  /* a barrier */
    FINISHED,
};

/* One lock a thread holds. */
struct hold {
    uint32_t lock;
    bool shared, read_write;
};

struct thread {
    enum thread_phase phase;
    uint32_t condition, mutex; /* while it waits */
    uint32_t barrier;
    bool full;                    /* the barrier instance it stands in is full */
    struct hold held[HELD_MOST];  /* innermost last; re-entrant ones twice */
    uint32_t held_count, running; /* running: once-block + 1 */
    uint32_t blocks[BLOCKS_MOST], block_count;
};

struct lock {
    uint32_t owner; /* NOBODY, or a thread */
    uint32_t readers;
};

struct barrier {
    uint32_t parties, entered, left; /* of the current use; parties 0: none yet */
};

enum once_phase { ONCE_NEW, ONCE_RUNNING, ONCE_DONE };

struct text ARRAY_OF(char);

struct generator {
    const struct shape *shape;
    struct random random;
    struct text text;
    uint32_t emitted, wanted, threads;
    struct thread *thread;
    struct lock *mutexes, *read_write;
    uint64_t *values; /* by variable */
    struct barrier barriers[BARRIERS];
    uint32_t semaphores[SEMAPHORES];
    enum once_phase onces[ONCES];
};

static uint32_t below(struct generator *self, uint32_t bound)
{
    return random_below(&self->random, bound);
}

static bool chance(struct generator *self, unsigned percent)
{
    return random_chance(&self->random, percent);
}

static bool has(const struct generator *self, unsigned feature)
{
    return self->shape->features & feature;
}

__attribute__((format(printf, 2, 3))) static void put(struct generator *self, const char *format,
                                                      ...)
{
    va_list arguments;
    array_reserve(&self->text, self->text.count + 128);
    va_start(arguments, format);
    int length = vsnprintf(self->text.items + self->text.count, 128, format, arguments);
    va_end(arguments);
    self->text.count += (size_t)length;
}

/* One line; `dropped` lines are read but are no events. */
#define EMIT(self, thread, ...)                                                                    \
    do {                                                                                           \
        put(self, "T%u|", thread);                                                                 \
        put(self, __VA_ARGS__);                                                                    \
        put_location(self, thread);                                                                \
        (self)->emitted++;                                                                         \
    } while (0)

static void put_location(struct generator *self, uint32_t thread)
{
    if (self->shape->locations)
        put(self, "|%u\n", thread * self->shape->locations + below(self, self->shape->locations));
    else
        put(self, "|%u\n", self->emitted);
}

/* ---- memory ---- */

static bool do_access(struct generator *self, uint32_t thread)
{
    uint32_t variable = below(self, self->shape->variables);
    bool writes = chance(self, 50);
    if (!self->thread[thread].held_count && chance(self, self->shape->guarded))
        return false;
    if (!has(self, SHAPE_VALUES) || chance(self, 5)) {
        if (writes) /* a value nobody recorded, different from all others */
            self->values[variable] = 1000 + self->emitted;
        EMIT(self, thread, "%s(x%u)", writes ? "w" : "r", variable);
        return true;
    }
    if (writes)
        self->values[variable] = below(self, 3);
    EMIT(self, thread, "%s(x%u)=%lu", writes ? "w" : "r", variable,
         (unsigned long)self->values[variable]);
    return true;
}

static bool do_atomic(struct generator *self, uint32_t thread)
{
    static const char *const orders[] = {"",         ".relaxed", ".consume",
                                         ".acquire", ".release", ".acqrel"};
    static const char *const words[] = {"atomicr", "atomicw", "atomicrmw"};
    const char *order = orders[below(self, sizeof orders / sizeof *orders)];
    uint32_t variable = below(self, self->shape->variables), kind = below(self, 3);
    if (chance(self, 5)) {
        EMIT(self, thread, "fence%s()", order);
        return true;
    }
    if (kind)
        self->values[variable] = has(self, SHAPE_VALUES) ? below(self, 3) : 1000 + self->emitted;
    if (has(self, SHAPE_VALUES))
        EMIT(self, thread, "%s%s(x%u)=%lu", words[kind], order, variable,
             (unsigned long)self->values[variable]);
    else
        EMIT(self, thread, "%s%s(x%u)", words[kind], order, variable);
    return true;
}

static bool do_branch(struct generator *self, uint32_t thread)
{
    EMIT(self, thread, "branch()");
    return true;
}

static bool do_block(struct generator *self, uint32_t thread)
{
    struct thread *own = &self->thread[thread];
    if (own->block_count && (own->block_count == BLOCKS_MOST || chance(self, 60))) {
        EMIT(self, thread, "end(B%u)", own->blocks[--own->block_count]);
        return true;
    }
    own->blocks[own->block_count] = below(self, 3);
    EMIT(self, thread, "begin(B%u)", own->blocks[own->block_count++]);
    return true;
}

/* ---- locks ---- */

/* The place among the thread's holds of a lock it has; held_count if none. */
static uint32_t find_hold(const struct thread *own, bool read_write, uint32_t lock)
{
    uint32_t at = own->held_count;
    while (at > 0 &&
           !(own->held[at - 1].lock == lock && own->held[at - 1].read_write == read_write))
        at--;
    return at ? at - 1 : own->held_count;
}

static void hold(struct thread *own, struct hold hold)
{
    own->held[own->held_count++] = hold;
}

static bool do_acquire(struct generator *self, uint32_t thread)
{
    struct thread *own = &self->thread[thread];
    uint32_t lock = below(self, self->shape->locks);
    bool try = has(self, SHAPE_TRIES) && chance(self, 40);
    bool mine = self->mutexes[lock].owner == thread;
    if (self->mutexes[lock].owner != NOBODY && !(mine && has(self, SHAPE_REENTRANT))) {
        if (try)
            EMIT(self, thread, "tryacq!(l%u)", lock);
        return try;
    }
    if (own->held_count >= self->shape->depth)
        return false;
    self->mutexes[lock].owner = thread;
    hold(own, (struct hold){.lock = lock});
    EMIT(self, thread, "%sacq(l%u)", try ? "try" : "", lock);
    self->emitted -= mine; /* the reader drops it */
    return true;
}

static bool do_acquire_read_write(struct generator *self, uint32_t thread)
{
    struct thread *own = &self->thread[thread];
    uint32_t lock = below(self, self->shape->locks);
    struct lock *state = &self->read_write[lock];
    bool shared = chance(self, 60), try = has(self, SHAPE_TRIES) && chance(self, 40);
    const char *word = shared ? "rdacq" : "wracq";
    bool free = state->owner == NOBODY && (shared || !state->readers);
    if (!free) {
        if (try)
            EMIT(self, thread, "try%s!(m%u)", word, lock);
        return try;
    }
    if (own->held_count >= self->shape->depth || find_hold(own, true, lock) < own->held_count)
        return false;
    if (shared)
        state->readers++;
    else
        state->owner = thread;
    hold(own, (struct hold){.lock = lock, .shared = shared, .read_write = true});
    EMIT(self, thread, "%s%s(m%u)", try ? "try" : "", word, lock);
    return true;
}

static void release_at(struct generator *self, uint32_t thread, uint32_t at)
{
    struct thread *own = &self->thread[thread];
    struct hold released = own->held[at];
    for (uint32_t i = at + 1; i < own->held_count; i++)
        own->held[i - 1] = own->held[i];
    own->held_count--;
    if (!released.read_write) {
        bool inner = find_hold(own, false, released.lock) < own->held_count;
        if (!inner)
            self->mutexes[released.lock].owner = NOBODY;
        EMIT(self, thread, "rel(l%u)", released.lock);
        self->emitted -= inner;
        return;
    }
    if (released.shared)
        self->read_write[released.lock].readers--;
    else
        self->read_write[released.lock].owner = NOBODY;
    EMIT(self, thread, "%s(m%u)", released.shared ? "rdrel" : "wrrel", released.lock);
}

static bool do_release(struct generator *self, uint32_t thread)
{
    struct thread *own = &self->thread[thread];
    if (!own->held_count)
        return false;
    bool crossed = has(self, SHAPE_CROSSED) && chance(self, 40);
    release_at(self, thread, crossed ? below(self, own->held_count) : own->held_count - 1);
    return true;
}

/* A thread that blocks with locks held may stop all others for ever. That makes
 * good short traces, and no long ones. */
static bool may_block(const struct generator *self, uint32_t locks_kept)
{
    return !locks_kept || self->wanted <= 100;
}

/* ---- conditions ---- */

static bool do_wait(struct generator *self, uint32_t thread)
{
    struct thread *own = &self->thread[thread];
    if (!own->held_count)
        return false;
    struct hold *mutex = &own->held[below(self, own->held_count)];
    if (mutex->read_write || !may_block(self, own->held_count - 1))
        return false;
    own->condition = below(self, CONDITIONS);
    own->mutex = mutex->lock;
    own->phase = SLEEPING;
    self->mutexes[own->mutex].owner = NOBODY; /* however often it was acquired */
    EMIT(self, thread, "wait(c%u,l%u)", own->condition, own->mutex);
    return true;
}

static bool do_wake(struct generator *self, uint32_t thread)
{
    struct thread *own = &self->thread[thread];
    if (self->mutexes[own->mutex].owner != NOBODY)
        return false;
    bool signalled = own->phase == WOKEN;
    if (!signalled && !chance(self, 10))
        return false;
    own->phase = RUNNING;
    self->mutexes[own->mutex].owner = thread;
    EMIT(self, thread, "woken%s(c%u,l%u)", signalled ? "" : "!", own->condition, own->mutex);
    return true;
}

static bool do_signal(struct generator *self, uint32_t thread)
{
    uint32_t condition = below(self, CONDITIONS), sleeping = 0;
    for (uint32_t i = 0; i < self->threads; i++)
        sleeping += self->thread[i].phase == SLEEPING && self->thread[i].condition == condition;
    if (!sleeping && !chance(self, 20))
        return false; /* lost signals are worth a test, but not many */
    bool all = chance(self, 30);
    uint32_t chosen = sleeping ? below(self, sleeping) : 0;
    for (uint32_t i = 0; i < self->threads; i++)
        if (self->thread[i].phase == SLEEPING && self->thread[i].condition == condition &&
            (chosen-- == 0 || all))
            self->thread[i].phase = WOKEN;
    EMIT(self, thread, "%s(c%u)", all ? "notifyall" : "notify", condition);
    return true;
}

/* ---- barriers, semaphores, once ---- */

/* Could the uses begun, and `more` threads, still be completed? A schedule in
 * which everybody stands before some barrier would end the trace too soon. */
static bool enough_threads(const struct generator *self, uint32_t more)
{
    uint32_t wanted = more, free = 0;
    for (uint32_t i = 0; i < BARRIERS; i++)
        wanted += self->barriers[i].parties - self->barriers[i].entered;
    for (uint32_t i = 0; i < self->threads; i++)
        free += self->thread[i].phase != FINISHED &&
                (self->thread[i].phase != ENTERED || self->thread[i].full);
    return free >= wanted;
}

static bool do_enter(struct generator *self, uint32_t thread)
{
    struct thread *own = &self->thread[thread];
    uint32_t index = below(self, BARRIERS);
    struct barrier *barrier = &self->barriers[index];
    if (!may_block(self, own->held_count))
        return false;
    if (barrier->entered == barrier->parties) {
        if (barrier->parties && !barrier->left)
            return false; /* a next use begins only when somebody has left */
        uint32_t parties = 1 + below(self, 3);
        if (!enough_threads(self, parties))
            return false;
        *barrier = (struct barrier){.parties = parties};
    }
    own->phase = ENTERED;
    own->barrier = index;
    own->full = false;
    barrier->entered++;
    EMIT(self, thread, "enter(b%u)", index);
    for (uint32_t i = 0; barrier->entered == barrier->parties && i < self->threads; i++)
        if (self->thread[i].phase == ENTERED && self->thread[i].barrier == index)
            self->thread[i].full = true;
    return true;
}

static bool do_exit(struct generator *self, uint32_t thread)
{
    struct thread *own = &self->thread[thread];
    struct barrier *barrier = &self->barriers[own->barrier];
    if (!own->full)
        return false;
    own->phase = RUNNING;
    if (barrier->entered == barrier->parties)
        barrier->left++;
    EMIT(self, thread, "exit(b%u)", own->barrier);
    return true;
}

static bool do_post(struct generator *self, uint32_t thread)
{
    uint32_t semaphore = below(self, SEMAPHORES);
    self->semaphores[semaphore]++;
    EMIT(self, thread, "post(s%u)", semaphore);
    return true;
}

static bool do_semaphore_wait(struct generator *self, uint32_t thread)
{
    uint32_t semaphore = below(self, SEMAPHORES);
    bool try = has(self, SHAPE_TRIES) && chance(self, 30);
    bool failed = !self->semaphores[semaphore];
    if (failed && !try)
        return false;
    self->semaphores[semaphore] -= !failed;
    EMIT(self, thread, "%ssemwait%s(s%u)", try ? "try" : "", failed ? "!" : "", semaphore);
    return true;
}

static bool do_once(struct generator *self, uint32_t thread)
{
    struct thread *own = &self->thread[thread];
    uint32_t index = below(self, ONCES);
    if (own->running) {
        EMIT(self, thread, "onceend(o%u)", own->running - 1);
        self->onces[own->running - 1] = ONCE_DONE;
        own->running = 0;
    } else if (self->onces[index] == ONCE_NEW) {
        EMIT(self, thread, "oncebegin(o%u)", index);
        self->onces[index] = ONCE_RUNNING;
        own->running = index + 1;
    } else if (self->onces[index] == ONCE_DONE) {
        EMIT(self, thread, "oncepass(o%u)", index);
    } else {
        return false;
    }
    return true;
}

/* ---- threads ---- */

static bool do_fork(struct generator *self, uint32_t thread)
{
    for (uint32_t child = 0; child < self->threads; child++) {
        if (self->thread[child].phase != UNBORN)
            continue;
        self->thread[child].phase = RUNNING;
        EMIT(self, thread, "fork(T%u)", child);
        return true;
    }
    return false;
}

static bool do_join(struct generator *self, uint32_t thread)
{
    if (self->emitted + 10 * self->threads < self->wanted)
        return false; /* long traces end in joins; in short ones they may be anywhere */
    uint32_t other = below(self, self->threads);
    const struct thread *joined = &self->thread[other];
    if (other == thread || (joined->phase != RUNNING && joined->phase != FINISHED))
        return false;
    if (joined->held_count && !chance(self, 5))
        return false; /* a thread that ends with its locks held: rare */
    self->thread[other].phase = FINISHED;
    EMIT(self, thread, "join(T%u)", other);
    return true;
}

/* ---- schedule ---- */

static const struct action {
    bool (*act)(struct generator *self, uint32_t thread);
    unsigned feature; /* 0: always */
    uint32_t weight;  /* 0: the shape's */
} actions[] = {
    {do_access, 0, 0},
    {do_acquire, SHAPE_LOCKS, 15},
    {do_acquire_read_write, SHAPE_RWLOCKS, 15},
    {do_release, SHAPE_LOCKS | SHAPE_RWLOCKS, 16},
    {do_wait, SHAPE_CONDITIONS, 10},
    {do_signal, SHAPE_CONDITIONS, 12},
    {do_enter, SHAPE_BARRIERS, 8},
    {do_post, SHAPE_SEMAPHORES, 8},
    {do_semaphore_wait, SHAPE_SEMAPHORES, 8},
    {do_once, SHAPE_ONCE, 8},
    {do_fork, SHAPE_FORKS, 10},
    {do_join, SHAPE_FORKS, 3},
    {do_atomic, SHAPE_ATOMICS, 12},
    {do_block, SHAPE_BLOCKS, 8},
    {do_branch, SHAPE_BRANCHES, 8},
};
enum { ACTIONS = sizeof actions / sizeof *actions };

static uint32_t weight_of(const struct generator *self, const struct action *action)
{
    if (action->feature && !has(self, action->feature))
        return 0;
    return action->weight ? action->weight : self->shape->accesses;
}

static bool act(struct generator *self, uint32_t thread)
{
    switch (self->thread[thread].phase) {
    case SLEEPING:
    case WOKEN:
        return do_wake(self, thread);
    case ENTERED:
        return do_exit(self, thread);
    case RUNNING:
        break;
    default:
        return false;
    }
    uint32_t total = 0;
    for (uint32_t i = 0; i < ACTIONS; i++)
        total += weight_of(self, &actions[i]);
    uint32_t drawn = below(self, total), i = 0;
    while (drawn >= weight_of(self, &actions[i]))
        drawn -= weight_of(self, &actions[i++]);
    return actions[i].act(self, thread);
}

static void start(struct generator *self, const struct shape *shape, uint64_t seed)
{
    *self = (struct generator){.shape = shape, .random = {seed}};
    self->random.state = random_next(&self->random); /* neighbouring seeds, unlike traces */
    self->threads = shape->threads_min + below(self, shape->threads_max - shape->threads_min + 1);
    self->wanted = shape->events_min + below(self, shape->events_max - shape->events_min + 1);
    self->thread = NEW_ARRAY(struct thread, self->threads);
    self->mutexes = NEW_ARRAY(struct lock, shape->locks);
    self->read_write = NEW_ARRAY(struct lock, shape->locks);
    self->values = NEW_ARRAY(uint64_t, shape->variables);
    for (uint32_t i = 0; i < shape->locks; i++)
        self->mutexes[i].owner = self->read_write[i].owner = NOBODY;
    for (uint32_t i = 0; i < self->threads; i++)
        self->thread[i].phase =
            i > 0 && has(self, SHAPE_FORKS) && chance(self, 70) ? UNBORN : RUNNING;
    for (uint32_t i = 0; i < SEMAPHORES; i++)
        self->semaphores[i] = below(self, 3) / 2;
}

char *generate_text(const struct shape *shape, uint64_t seed, size_t *length)
{
    struct generator self;
    start(&self, shape, seed);
    uint32_t current = 0, idle = 0;
    while (self.emitted < self.wanted && idle < 1000) {
        if (!chance(&self, shape->sticky))
            current = below(&self, self.threads);
        idle = act(&self, current) ? 0 : idle + 1;
        if (idle && self.thread[current].phase != RUNNING)
            current = below(&self, self.threads);
    }
    put(&self, "%s", ""); /* room for the NUL even in an empty trace */
    free(self.thread);
    free(self.mutexes);
    free(self.read_write);
    free(self.values);
    *length = self.text.count;
    return self.text.items;
}

int sample_read(struct sample *sample, char *text, size_t length, struct error *error)
{
    *sample = (struct sample){.text = text};
    sample->trace = std_open_memory("generated", text, length);
    sample->history = history_read(sample->trace, error);
    if (sample->history)
        return 0;
    sample_free(sample);
    return -1;
}

int sample_generate(struct sample *sample, const struct shape *shape, uint64_t seed,
                    struct error *error)
{
    size_t length;
    char *text = generate_text(shape, seed, &length);
    return sample_read(sample, text, length, error);
}

void sample_free(struct sample *sample)
{
    history_destroy(sample->history);
    trace_close(sample->trace);
    free(sample->text);
    *sample = (struct sample){0};
}
