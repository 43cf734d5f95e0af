/* SPDX-License-Identifier: MIT */
#include "relations/clock_races.h"

#include "base/array.h"
#include "base/map.h"
#include "relations/access_history.h"
#include "engine/found.h"

/* What a variable's history notes beside its accesses. */
enum note {
    READS_SHARED, /* two reads since the last write were unordered: `read` does not tell all */
    SCAN,         /* raced, or atomic: epochs do not tell all */
};

struct variable {
    _Alignas(64) struct access_history history; /* one variable to a cache line */
    struct epoch write, read;                   /* the last of each */
};

_Static_assert(sizeof(struct variable) == 64, "all of it in that line");

struct clock_races {
    struct access_pool pool;
    struct engine_run *run;
    struct order *order;
    struct race_variables PAGED_OF(struct variable) variables;
    struct map known; /* pairs of locations that are reported */
};

struct clock_races *clock_races_create(struct engine_run *run, struct order *order)
{
    struct clock_races *races = NEW(struct clock_races);
    races->run = run;
    races->order = order;
    return races;
}

void clock_races_destroy(struct clock_races *races)
{
    if (!races)
        return;
    access_pool_free(&races->pool);
    paged_free(&races->variables);
    map_free(&races->known);
    free(races);
}

static bool saw(const struct vclock *clock, uint32_t self, struct epoch epoch)
{
    return epoch.thread == self || vclock_saw(clock, epoch);
}

/* What makes two races the same finding. */
static uint64_t pair_of(const struct clock_races *races, const struct finding_event *a,
                        const struct finding_event *b)
{
    if (races->run->options->every_pair)
        return map_pair(a->pos, b->pos);
    return a->location < b->location ? map_pair(a->location, b->location)
                                     : map_pair(b->location, a->location);
}

/* Racing pairs of the same locations come by the thousand: only the first is a
 * finding. */
static bool is_known(struct clock_races *races, const struct finding_event *a,
                     const struct finding_event *b)
{
    uint64_t pair = pair_of(races, a, b);
    if (races->run->options->every_pair)
        return races->known.count && map_find(&races->known, pair);
    bool added;
    map_at(&races->known, pair, &added);
    return !added;
}

static void report(const struct clock_races *races, uint32_t variable,
                   struct finding_event events[2], bool observed, const char *note)
{
    struct finding finding =
        found_race(races->run, races->run->engine->default_model, variable, events);
    finding.verdict = observed ? VERDICT_OBSERVED : VERDICT_CANDIDATE;
    finding.note = note;
    findings_add(races->run->findings, &finding);
}

void clock_races_report(struct clock_races *races, uint32_t variable,
                        struct finding_event events[2], bool observed, const char *note)
{
    bool added;
    map_at(&races->known, pair_of(races, &events[0], &events[1]), &added);
    if (added)
        report(races, variable, events, observed, note);
}

/* Reports every earlier access that is not before `access`; true if there was one. */
static bool scan(struct clock_races *races, uint32_t id, const struct access_history *history,
                 const struct access *access, const struct vclock *before,
                 const struct vclock *happened)
{
    bool raced = false;
    const struct access *slots = access_history_slots(history);
    for (uint32_t i = 0; i < access_history_room(history); i++) {
        const struct access *earlier = &slots[i];
        struct epoch epoch = {earlier->thread, earlier->tick};
        if (!earlier->tick || !accesses_conflict(earlier, access) || vclock_saw(before, epoch))
            continue;
        raced = true;
        struct finding_event events[2];
        access_fill(&events[0], earlier);
        access_fill(&events[1], access);
        bool observed = !vclock_saw(happened, epoch);
        if (!is_known(races, &events[0], &events[1]))
            report(races, id, events, observed,
                   observed ? NULL : "happens-before orders the two in the observed run");
    }
    return raced;
}

/* Do the epochs prove that every conflicting access came before? */
static bool epochs_suffice(const struct variable *variable, const struct access *access,
                           const struct vclock *before)
{
    if (variable->history.note[SCAN] || !saw(before, access->thread, variable->write))
        return false;
    return !op_in(access->op, OPS_WRITING) ||
           (!variable->history.note[READS_SHARED] && saw(before, access->thread, variable->read));
}

static void update_epochs(struct variable *variable, const struct access *access,
                          const struct vclock *before)
{
    struct epoch now = {access->thread, access->tick};
    if (op_in(access->op, OPS_WRITING)) {
        variable->write = now;
        variable->read = (struct epoch){0};
        variable->history.note[READS_SHARED] = false;
        return;
    }
    if (!saw(before, access->thread, variable->read))
        variable->history.note[READS_SHARED] = true;
    variable->read = now;
}

void clock_races_check(struct clock_races *races, const struct event *event, uint32_t pos,
                       uint32_t index, const struct vclock *before, const struct vclock *happened)
{
    struct variable *variable = paged_reach(&races->variables, event->object);
    bool every_pair = races->run->options->every_pair;
    uint32_t tick = vclock_get(happened, event->thread);
    struct access access = access_of(event, tick, pos, index, 0);
    struct access *known = every_pair ? NULL : access_history_find(&variable->history, &access);
    if (known && known->tick == tick)
        return; /* alike, and nobody can have seen either: what races with it is known */
    variable->history.note[SCAN] |= op_in(event->op, OPS_ATOMIC);
    if (!epochs_suffice(variable, &access, before) &&
        scan(races, event->object, &variable->history, &access, before, happened))
        variable->history.note[SCAN] = true;
    update_epochs(variable, &access, before);
    if (known)
        *known = access;
    else
        access_history_add(&variable->history, &access, every_pair, races->order, &races->pool);
}

void clock_races_forget(struct clock_races *races, const struct trace *trace)
{
    for (size_t i = 0; i < trace->gone.count; i++) {
        uint32_t id = trace->gone.items[i];
        access_history_drop(&paged_at(&races->variables, id)->history, &races->pool);
        paged_drop(&races->variables, id);
    }
}

void clock_races_look_ahead(const struct clock_races *races, const struct event *events, size_t at,
                            size_t count)
{
    access_look_ahead(&races->variables, events, at, count, 0);
    PREFETCH_KEEP();
}
