#include "search/explore.h"

#include "base/array.h"

#include <xxhash.h>

/* A state on the way to the present one, and the threads still to be moved from it. */
struct visit {
    struct machine *machine;
    uint32_t executed; /* length of the path that led here */
    uint32_t next_thread;
};

struct explorer {
    const struct rules *rules;
    const struct blocking *blocking;
    uint32_t from, to;
    const struct machine *start;
    bool *eager;       /* by pos, from `from` on */
    uint32_t *stop_at; /* by thread: the event it stops at, or POS_NONE */
    struct map seen;   /* hashes of states */
    struct visits ARRAY_OF(struct visit) visits;
    struct path ARRAY_OF(uint32_t) path;
    unsigned char *key;
    size_t key_room;
};

/* Who uses what, as far as it decides what may be executed at once. */
struct usage {
    bool *tried_lock, *tried_semaphore;
    bool *shared; /* variables that are used by several threads */
    bool *written;
    bool *atomic;
};

#define OPS_ALWAYS_EAGER                                                                           \
    (OPS_LOCAL | OP_BIT(EVENT_START) | OP_BIT(EVENT_END) | OP_BIT(EVENT_FENCE) |                   \
     OP_BIT(EVENT_FORK) | OP_BIT(EVENT_JOIN) | OP_BIT(EVENT_BARRIER_ENTER) |                       \
     OP_BIT(EVENT_BARRIER_EXIT) | OP_BIT(EVENT_ONCE_BEGIN) | OP_BIT(EVENT_ONCE_END) |              \
     OP_BIT(EVENT_ONCE_PASS))

static bool is_eager(const struct rules *rules, const struct usage *usage,
                     const struct event *event)
{
    if (event->op == EVENT_BRANCH)
        return rules->model != MODEL_BRANCH;
    if (op_in(event->op, OPS_ALWAYS_EAGER))
        return true;
    if (op_in(event->op, OPS_ACCESS))
        return !usage->shared[event->object] || !usage->written[event->object] ||
               (rules->model == MODEL_SYNC && !usage->atomic[event->object]);
    if (event->op == EVENT_POST)
        return !usage->tried_semaphore[event->object];
    return event_releases(event) && event->op != EVENT_WAIT_BEGIN &&
           !usage->tried_lock[event_lock(event)];
}

static void note_access(struct usage *usage, uint32_t *user, const struct event *event)
{
    uint32_t *first = &user[event->object];
    usage->shared[event->object] |= *first && *first != event->thread + 1;
    *first = event->thread + 1;
    usage->written[event->object] |= event_writes(event);
    usage->atomic[event->object] |= op_in(event->op, OPS_ATOMIC);
}

static void find_eager(struct explorer *explorer)
{
    const struct history *history = explorer->rules->history;
    uint32_t variables = trace_count(history->trace, CLASS_VARIABLE);
    struct usage usage = {
        .tried_lock = NEW_ARRAY(bool, trace_count(history->trace, CLASS_LOCK)),
        .tried_semaphore = NEW_ARRAY(bool, trace_count(history->trace, CLASS_SEMAPHORE)),
        .shared = NEW_ARRAY(bool, variables),
        .written = NEW_ARRAY(bool, variables),
        .atomic = NEW_ARRAY(bool, variables),
    };
    uint32_t *user = NEW_ARRAY(uint32_t, variables);
    for (uint32_t pos = explorer->from; pos < explorer->to; pos++) {
        const struct event *event = &history->events[pos];
        if (op_in(event->op, OPS_ACCESS))
            note_access(&usage, user, event);
        else if (event->flags & EVENT_FAILED && event->op == EVENT_SEM_WAIT)
            usage.tried_semaphore[event->object] = true;
        else if (event->flags & EVENT_FAILED && event->op != EVENT_WAIT_END)
            usage.tried_lock[event_lock(event)] = true;
    }
    for (uint32_t pos = explorer->from; pos < explorer->to; pos++)
        explorer->eager[pos - explorer->from] =
            is_eager(explorer->rules, &usage, &history->events[pos]);
    free(user);
    free(usage.tried_lock);
    free(usage.tried_semaphore);
    free(usage.shared);
    free(usage.written);
    free(usage.atomic);
}

struct explorer *explorer_create(const struct rules *rules, const struct blocking *blocking,
                                 const struct machine *start, uint32_t from, uint32_t to)
{
    struct explorer *explorer = NEW(struct explorer);
    explorer->rules = rules;
    explorer->blocking = blocking;
    explorer->from = from;
    explorer->to = to;
    explorer->start = start;
    explorer->stop_at = NEW_ARRAY(uint32_t, rules->history->threads);
    explorer->eager = NEW_ARRAY(bool, to - from);
    find_eager(explorer);
    return explorer;
}

static void forget(struct explorer *explorer)
{
    while (explorer->visits.count)
        machine_destroy(array_pop(&explorer->visits).machine);
    map_clear(&explorer->seen);
    explorer->path.count = 0;
}

void explorer_destroy(struct explorer *explorer)
{
    if (!explorer)
        return;
    forget(explorer);
    map_free(&explorer->seen);
    array_free(&explorer->visits);
    array_free(&explorer->path);
    free(explorer->stop_at);
    free(explorer->eager);
    free(explorer->key);
    free(explorer);
}

/* The thread's next event, if it may be executed and is not where the thread stops. */
static uint32_t possible(const struct explorer *explorer, const struct machine *machine,
                         uint32_t thread)
{
    uint32_t pos = machine_next(machine, thread);
    if (pos == POS_NONE || pos >= explorer->to || pos == explorer->stop_at[thread] ||
        machine_forbids(machine, pos) != RULE_NONE)
        return POS_NONE;
    return pos;
}

static void execute(struct explorer *explorer, struct machine *machine, uint32_t pos)
{
    machine_execute(machine, pos);
    array_push(&explorer->path, pos);
}

static void run_ahead(struct explorer *explorer, struct machine *machine)
{
    for (bool moved = true; moved;) {
        moved = false;
        for (uint32_t thread = 0; thread < explorer->rules->history->threads; thread++) {
            uint32_t pos;
            while ((pos = possible(explorer, machine, thread)) != POS_NONE &&
                   explorer->eager[pos - explorer->from]) {
                execute(explorer, machine, pos);
                moved = true;
            }
        }
    }
}

/* Goes on from a state, unless it was seen; takes over the machine. */
static void enter(struct explorer *explorer, struct machine *machine)
{
    bool added;
    run_ahead(explorer, machine);
    size_t length = machine_key(machine, &explorer->key, &explorer->key_room);
    map_at(&explorer->seen, XXH3_64bits(explorer->key, length) >> 1, &added);
    if (!added) {
        machine_destroy(machine);
        return;
    }
    struct visit visit = {machine, (uint32_t)explorer->path.count, 0};
    array_push(&explorer->visits, visit);
}

static bool stands(const struct explorer *explorer, const struct machine *machine,
                   const uint32_t *events, uint32_t count)
{
    const struct history *history = explorer->rules->history;
    for (uint32_t i = 0; i < count; i++)
        if (machine_next(machine, history->events[events[i]].thread) != events[i] ||
            machine_forbids_sync(machine, events[i]) == RULE_FORK)
            return false;
    return blocking_deadlock(explorer->blocking, machine, events, count);
}

/* From the last state of the path to the next one, or back. */
static void move(struct explorer *explorer)
{
    struct visit *visit = &array_last(&explorer->visits);
    uint32_t threads = explorer->rules->history->threads;
    explorer->path.count = visit->executed;
    while (visit->next_thread < threads) {
        uint32_t pos = possible(explorer, visit->machine, visit->next_thread++);
        if (pos == POS_NONE)
            continue;
        struct machine *following = machine_copy(visit->machine);
        execute(explorer, following, pos);
        enter(explorer, following);
        return;
    }
    machine_destroy(visit->machine);
    explorer->visits.count--;
}

static void begin(struct explorer *explorer)
{
    forget(explorer);
    memset(explorer->stop_at, 0xff, explorer->rules->history->threads * sizeof *explorer->stop_at);
    for (uint32_t pos = 0; pos < explorer->from; pos++)
        array_push(&explorer->path, pos);
}

enum search_answer explorer_deadlock(struct explorer *explorer, const uint32_t *events,
                                     uint32_t count, uint64_t states,
                                     struct search_witness *witness)
{
    const struct history *history = explorer->rules->history;
    begin(explorer);
    for (uint32_t i = 0; i < count; i++)
        explorer->stop_at[history->events[events[i]].thread] = events[i];
    enter(explorer, machine_copy(explorer->start));
    while (explorer->visits.count) {
        struct visit *visit = &array_last(&explorer->visits);
        if (!visit->next_thread && stands(explorer, visit->machine, events, count)) {
            explorer->path.count = visit->executed;
            for (uint32_t i = 0; i < count; i++)
                array_push(&explorer->path, events[i]);
            *witness =
                (struct search_witness){explorer->path.items, (uint32_t)explorer->path.count};
            return SEARCH_WITNESS;
        }
        if (explorer->seen.count > states)
            return SEARCH_EXHAUSTED;
        move(explorer);
    }
    return SEARCH_REFUTED;
}

struct telling {
    struct explorer *explorer;
    uint32_t length; /* of the way to the state */
    explorer_found *found;
    void *context;
};

static void tell(void *context, const uint32_t *events, uint32_t count)
{
    struct telling *telling = context;
    telling->found(telling->context, events, count, telling->explorer->path.items, telling->length);
}

bool explorer_each_deadlock(struct explorer *explorer, uint64_t states, explorer_found *found,
                            void *context)
{
    struct telling telling = {.explorer = explorer, .found = found, .context = context};
    bool all = true;
    begin(explorer);
    enter(explorer, machine_copy(explorer->start));
    while (explorer->visits.count) {
        struct visit *visit = &array_last(&explorer->visits);
        telling.length = visit->executed;
        if (!visit->next_thread)
            all &= blocking_each_deadlock(explorer->blocking, visit->machine, explorer->to, tell,
                                          &telling);
        if (explorer->seen.count > states)
            return false;
        move(explorer);
    }
    return all;
}

uint64_t explorer_states(const struct explorer *explorer)
{
    return explorer->seen.count;
}
