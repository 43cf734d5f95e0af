/* lockset: every pair that the cheap filters cannot rule out.
 *
 * Two steps (seed 000, section 3): a weak happens-before without mutex edges, and
 * locksets; then lock acquisition histories (seed 003, section 5). Each filter
 * removes only pairs that no correct reordering brings together, so nothing that
 * is true under `sync` is missed; much of what remains is false. */
#include "base/array.h"
#include "engine/access_history.h"
#include "engine/engine.h"
#include "model/lock_profile.h"

struct lockset {
    struct order *order;
    struct lock_profiles *profiles;
    struct histories ARRAY_OF(struct access_history) variables;
    struct indices ARRAY_OF(uint32_t) next_index;
};

static void create(struct engine_run *run)
{
    struct lockset *lockset = NEW(struct lockset);
    lockset->order = order_create(0);
    lockset->profiles = lock_profiles_create();
    run->state = lockset;
}

static void report(struct engine_run *run, uint32_t variable, const struct access *earlier,
                   const struct access *later)
{
    struct finding_event events[2];
    access_fill(&events[0], earlier);
    access_fill(&events[1], later);
    struct finding finding = {
        .kind = FINDING_RACE,
        .model = MODEL_SYNC,
        .verdict = VERDICT_CANDIDATE,
        .engine = run->engine->name,
        .object_class = CLASS_VARIABLE,
        .object = variable,
        .block = INTERN_NONE,
        .events = events,
        .event_count = 2,
    };
    findings_add(run->findings, &finding);
}

static void on_access(struct engine_run *run, struct lockset *lockset, const struct event *event,
                      uint32_t pos, uint32_t index)
{
    array_grow(&lockset->variables, event->object + 1);
    struct access_history *history = &lockset->variables.items[event->object];
    const struct vclock *clock = order_clock(lockset->order, event->thread);
    uint32_t profile = lock_profile_now(lockset->profiles, event->thread);
    struct access access = access_of(event, vclock_get(clock, event->thread), pos, index, profile);
    for (uint32_t i = 0; i < history->count; i++) {
        const struct access *earlier = &history->accesses[i];
        if (accesses_conflict(earlier, &access) &&
            !vclock_saw(clock, (struct epoch){earlier->thread, earlier->tick}) &&
            lock_profiles_meet(lockset->profiles, earlier->mark, profile))
            report(run, event->object, earlier, &access);
    }
    access_history_add(history, &access, run->options->every_pair, lockset->order);
}

static void on_events(struct engine_run *run, const struct event *events, size_t count,
                      uint32_t first)
{
    struct lockset *lockset = run->state;
    for (size_t i = 0; i < count; i++) {
        const struct event *event = &events[i];
        array_grow(&lockset->next_index, event->thread + 1);
        uint32_t index = lockset->next_index.items[event->thread]++;
        if (op_in(event->op, OPS_ACCESS))
            on_access(run, lockset, event, first + (uint32_t)i, index);
        order_step(lockset->order, event);
        lock_profiles_step(lockset->profiles, event);
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
    for (size_t i = 0; i < lockset->variables.count; i++)
        access_history_free(&lockset->variables.items[i]);
    array_free(&lockset->variables);
    array_free(&lockset->next_index);
    lock_profiles_destroy(lockset->profiles);
    order_destroy(lockset->order);
    free(lockset);
}

const struct engine engine_lockset = {
    .name = "lockset",
    .summary = "candidate races: weak happens-before, locksets, lock histories",
    .promise = "complete under sync (misses nothing); many are false",
    .source = "seed 000 section 3; seed 003 section 5",
    .finds = FINDS_RACES,
    .guarantee = GUARANTEE_COMPLETE_SYNC,
    .default_model = MODEL_SYNC,
    .models = 1u << MODEL_SYNC,
    .create = create,
    .events = on_events,
    .finish = finish,
    .destroy = destroy,
};
