/* SPDX-License-Identifier: MIT */
/* lockset: every pair that the cheap filters cannot rule out.
 *
 * Two steps (Carril & Tichy, interleavings, section 3): a weak happens-before without mutex edges,
 * and locksets; then lock acquisition histories (Said et al., section 5). Each filter removes only
 * pairs that no correct reordering brings together, so nothing that is true under `sync` is missed;
 * much of what remains is false. */
#include "base/array.h"
#include "engine/found.h"
#include "relations/lockset_pairs.h"
#include "relations/lock_profile.h"

#define GUARD_LIMIT 3

/* What a variable's history notes beside its accesses. */
enum note {
    ATOMIC, /* some access of it was */
    ALIKE,  /* some access was like an earlier one, which was forgotten for it */
    MET,    /* some pair of accesses may race */
};

struct variable {
    struct access_history history;
    uint32_t first_thread;
    bool touched, shared;         /* at all; by a second thread */
    uint8_t guard_count;          /* locks that every access so far held exclusively: */
    uint32_t guards[GUARD_LIMIT]; /* while there is one, no pair needs a look */
    uint32_t last_write;          /* pos plus one, of plain ones */
};

_Static_assert(sizeof(struct variable) == 64, "as much as a cache line");

struct lockset {
    struct access_pool pool;
    struct order *order;
    struct lock_profiles *profiles;
    struct lockset_variables PAGED_OF(struct variable) variables;
    struct indices ARRAY_OF(uint32_t) next_index;
    struct lockset_pairs pairs;
    struct sync_log *log; /* NULL if nobody wants one */
};

static void create(struct engine_run *run)
{
    struct lockset *lockset = NEW(struct lockset);
    lockset->order = order_create(0);
    lockset->profiles = lock_profiles_create();
    run->state = lockset;
}

const struct lockset_pairs *lockset_pairs_of(const struct engine_run *run)
{
    const struct lockset *lockset = run->state;
    return &lockset->pairs;
}

void lockset_keep_log(struct engine_run *run, struct sync_log *log)
{
    struct lockset *lockset = run->state;
    lockset->log = log;
}

/* There may be instances of its pairs that nobody sees. */
static void note(struct lockset *lockset, uint32_t id, struct variable *variable, enum note what)
{
    uint8_t *notes = variable->history.note;
    if (notes[what])
        return;
    notes[what] = true;
    if (notes[ALIKE] && notes[MET])
        map_at(&lockset->pairs.passed_over, id, NULL);
}

static void report(struct engine_run *run, uint32_t variable, const struct access *earlier,
                   const struct access *later)
{
    struct lockset *lockset = run->state;
    note(lockset, variable, paged_at(&lockset->variables, variable), MET);
    if (!lockset_pairs_meet(&lockset->pairs, variable, earlier, later) && !run->options->every_pair)
        return;
    struct finding_event events[2];
    access_fill(&events[0], earlier);
    access_fill(&events[1], later);
    struct finding finding = found_race(run, MODEL_SYNC, variable, events);
    findings_add(run->findings, &finding);
}

/* Eraser's candidate set, cut to a few locks. */
static void update_guards(struct variable *variable, struct lock_profiles *profiles,
                          uint32_t thread, uint32_t profile)
{
    if (!variable->touched) {
        variable->touched = true;
        variable->first_thread = thread;
        variable->guard_count =
            (uint8_t)lock_profile_exclusive(profiles, profile, variable->guards, GUARD_LIMIT);
        return;
    }
    variable->shared |= thread != variable->first_thread;
    for (uint8_t i = 0; i < variable->guard_count;) {
        if (lock_profile_holds(profiles, profile, variable->guards[i]))
            i++;
        else
            variable->guards[i] = variable->guards[--variable->guard_count];
    }
}

static void scan(struct engine_run *run, struct lockset *lockset, uint32_t id,
                 const struct access_history *history, const struct access *access,
                 const struct vclock *clock)
{
    const struct access *slots = access_history_slots(history);
    for (uint32_t i = 0; i < access_history_room(history); i++) {
        const struct access *earlier = &slots[i];
        if (earlier->tick && accesses_conflict(earlier, access) &&
            !vclock_saw(clock, (struct epoch){earlier->thread, earlier->tick}) &&
            lock_profiles_meet(lockset->profiles, earlier->mark, access->mark))
            report(run, id, earlier, access);
    }
}

/* May several threads have written it plainly? */
static bool has_writers(const struct access_history *history)
{
    const struct access *slots = access_history_slots(history), *writer = NULL;
    for (uint32_t i = 0; i < access_history_room(history); i++) {
        if (!slots[i].tick || slots[i].op != EVENT_WRITE)
            continue;
        if (writer && writer->thread != slots[i].thread)
            return true;
        writer = &slots[i];
    }
    return history->count >= ACCESS_LIMIT; /* it has forgotten some */
}

/* What atomic operations may read belongs to the log. */
static void note_write(struct lockset *lockset, struct variable *variable,
                       const struct event *event, uint32_t pos)
{
    struct sync_log *log = lockset->log;
    uint8_t *atomic = &variable->history.note[ATOMIC];
    if (op_in(event->op, OPS_ATOMIC)) {
        if (!*atomic && variable->last_write && log) {
            sync_log_late(log, variable->last_write - 1, event->object);
            log->doubtful |= has_writers(&variable->history);
        }
        *atomic = true;
    } else if (event->op == EVENT_WRITE) {
        if (*atomic && log)
            sync_log_event(log, event, pos);
        variable->last_write = pos + 1;
    }
}

static void on_access(struct engine_run *run, struct lockset *lockset, const struct event *event,
                      uint32_t pos, uint32_t index)
{
    struct variable *variable = paged_reach(&lockset->variables, event->object);
    bool every_pair = run->options->every_pair;
    const struct vclock *clock = order_clock(lockset->order, event->thread);
    uint32_t tick = vclock_get(clock, event->thread);
    uint32_t profile = lock_profile_now(lockset->profiles, event->thread);
    struct access access = access_of(event, tick, pos, index, profile);
    update_guards(variable, lockset->profiles, event->thread, profile);
    note_write(lockset, variable, event, pos);
    struct access *known = every_pair ? NULL : access_history_find(&variable->history, &access);
    if (known)
        note(lockset, event->object, variable, ALIKE);
    if (known && known->tick == tick)
        return; /* alike, and nothing has come between: what it meets is known */
    if (variable->shared && !variable->guard_count)
        scan(run, lockset, event->object, &variable->history, &access, clock);
    if (known)
        *known = access;
    else
        access_history_add(&variable->history, &access, every_pair, lockset->order, &lockset->pool);
}

static uint64_t log_limit(const struct engine_run *run)
{
    return run->options->log_limit ? run->options->log_limit : SYNC_PATIENCE;
}

/* Variables that nobody will mention any more. */
static void forget(struct lockset *lockset, const struct trace *trace)
{
    for (size_t i = 0; i < trace->gone.count; i++) {
        uint32_t id = trace->gone.items[i];
        access_history_drop(&paged_at(&lockset->variables, id)->history, &lockset->pool);
        paged_drop(&lockset->variables, id);
    }
}

static void on_events(struct engine_run *run, const struct event *events, size_t count,
                      uint32_t first)
{
    struct lockset *lockset = run->state;
    struct sync_log *log = lockset->log;
    uint32_t thread = UINT32_MAX, *next_index = NULL;
    for (size_t i = 0; i < count; i++) {
        const struct event *event = &events[i];
        uint32_t pos = first + (uint32_t)i;
        /* The profile is a guess: the thread may acquire or release before. */
        access_look_ahead(&lockset->variables, events, i, count,
                          lock_profile_now(lockset->profiles, near_event->thread));
        if (event->thread != thread) {
            thread = event->thread;
            array_grow(&lockset->next_index, thread + 1);
            next_index = &lockset->next_index.items[thread];
            if (log)
                sync_log_turn(log, event, pos);
        }
        uint32_t index = (*next_index)++;
        if (op_in(event->op, OPS_ACCESS))
            on_access(run, lockset, event, pos, index);
        order_step(lockset->order, event);
        if (!op_in(event->op, OPS_SYNC))
            continue; /* nearly every event */
        lock_profiles_step(lockset->profiles, event);
        if (log)
            sync_log_event(log, event, pos);
    }
    forget(lockset, run->trace);
    if (lockset->log && !lockset->pairs.list.count && run->trace->again && !lockset->log->whole &&
        sync_log_length(lockset->log) > log_limit(run)) {
        sync_log_stop(lockset->log);
        lockset->log = NULL;
    }
}

static int finish(struct engine_run *run, struct error *error)
{
    (void)error;
    run->candidates = run->findings->count;
    return 0;
}

static void destroy(struct engine_run *run)
{
    struct lockset *lockset = run->state;
    access_pool_free(&lockset->pool);
    paged_free(&lockset->variables);
    array_free(&lockset->next_index);
    lockset_pairs_free(&lockset->pairs);
    lock_profiles_destroy(lockset->profiles);
    order_destroy(lockset->order);
    free(lockset);
}

const struct engine engine_lockset = {
    .name = "lockset",
    .summary = "candidate races: weak happens-before, locksets, lock histories",
    .promise = "complete under sync (misses nothing); many are false",
    .source = "Carril & Tichy, interleavings, section 3; Said et al. section 5",
    .finds = FINDS_RACES,
    .guarantee = GUARANTEE_COMPLETE_SYNC,
    .default_model = MODEL_SYNC,
    .models = 1u << MODEL_SYNC,
    .create = create,
    .events = on_events,
    .finish = finish,
    .destroy = destroy,
};
