/* syncp: sync-preserving races.
 *
 * A race is sync-preserving if a correct reordering that keeps the observed order
 * of every lock's sections stands at it. The smallest set of events that such a
 * reordering must run before e1 and e2 is a closed prefix (model/prefix.h), and
 * the pair races exactly if the prefix contains neither; the observed order of
 * the prefix is then the witness.
 *
 * One pass keeps, for each thread, the closed prefix of its past. A pair's prefix
 * is the closure of the union of two of those, and prefixes only grow along a
 * thread, so a pair that is no race stays none for all later events of the second
 * thread (candidates.h): the number of closures is linear in the trace.
 *
 * Guarantee: sound under `rf`, every race with a witness; complete for reorderings
 * that keep the order of each lock's sections.
 *
 * Mathur, Pavlogiannis, Viswanathan: Optimal prediction of synchronization-
 * preserving races, POPL 2021. The index is per lock and thread, not per lock,
 * variable and thread pair as there. */
#include "base/arena.h"
#include "engine/candidates.h"
#include "engine/engine.h"
#include "model/meetings.h"
#include "model/prefix.h"

/* Positions in all witnesses of one run together; races beyond get none. */
#define WITNESS_BUDGET ((uint64_t)1 << 25)

struct past {
    struct prefix prefix;
    const uint32_t *stamp; /* a copy of prefix.counts, true but for the own thread; or NULL */
};

/* A write, or rather its thread's past up to it. */
struct last_write {
    const uint32_t *stamp; /* NULL: none yet */
    uint32_t thread, count;
};

struct syncp {
    struct engine_run *run;
    const struct history *history;
    uint32_t threads;
    struct sections *sections;
    struct meetings *meetings;
    struct candidates candidates;
    struct past *pasts;        /* by thread */
    struct last_write *writes; /* by variable */
    struct prefix scratch;
    struct arena stamps;
    uint64_t witness_events;
    struct map known; /* pairs of locations that are reported */
};

static const uint32_t *stamp_of(struct syncp *syncp, uint32_t thread)
{
    struct past *past = &syncp->pasts[thread];
    if (!past->stamp) {
        size_t bytes = syncp->threads * sizeof(uint32_t);
        uint32_t *stamp = arena_alloc(&syncp->stamps, bytes);
        memcpy(stamp, past->prefix.counts, bytes);
        past->stamp = stamp;
    }
    return past->stamp;
}

static void join(struct syncp *syncp, uint32_t thread, const uint32_t *counts)
{
    struct past *past = &syncp->pasts[thread];
    if (!prefix_join(&past->prefix, syncp->sections, counts))
        return;
    prefix_close(&past->prefix, syncp->sections);
    past->stamp = NULL;
}

static void join_moment(struct syncp *syncp, uint32_t thread, uint32_t other, uint32_t count,
                        const uint32_t *stamp)
{
    struct past *past = &syncp->pasts[thread];
    if (past->prefix.counts[other] >= count) /* and with it all that it knew */
        return;
    prefix_join(&past->prefix, syncp->sections, stamp);
    prefix_raise(&past->prefix, syncp->sections, other, count);
    prefix_close(&past->prefix, syncp->sections);
    past->stamp = NULL;
}

/* The prefix in observed order, then the two accesses. */
static uint32_t *write_witness(struct syncp *syncp, uint32_t first, uint32_t second,
                               uint32_t *length)
{
    const struct prefix *prefix = &syncp->scratch;
    const struct history *history = syncp->history;
    uint64_t count = 2;
    for (uint32_t thread = 0; thread < syncp->threads; thread++)
        count += prefix->counts[thread];
    if (syncp->witness_events + count > WITNESS_BUDGET)
        return NULL;
    syncp->witness_events += count;
    uint32_t *witness = memory_alloc(count, sizeof *witness);
    uint32_t filled = 0;
    for (uint32_t pos = 0; pos < second; pos++)
        if (history->index[pos] < prefix->counts[history->events[pos].thread])
            witness[filled++] = pos;
    witness[filled] = first;
    witness[filled + 1] = second;
    *length = filled + 2;
    return witness;
}

static uint64_t location_pair(uint32_t a, uint32_t b)
{
    return a < b ? map_pair(a, b) : map_pair(b, a);
}

static void report(struct syncp *syncp, const struct candidate *earlier, uint32_t pos)
{
    const struct history *history = syncp->history;
    const struct event *event = &history->events[pos];
    struct finding_event events[2];
    finding_event_fill(&events[0], &history->events[earlier->pos], earlier->pos, earlier->index);
    finding_event_fill(&events[1], event, pos, history->index[pos]);
    struct finding finding = {
        .kind = FINDING_RACE,
        .model = MODEL_RF,
        .verdict = VERDICT_PREDICTED,
        .engine = syncp->run->engine->name,
        .object_class = CLASS_VARIABLE,
        .object = event->object,
        .block = INTERN_NONE,
        .events = events,
        .event_count = 2,
    };
    if (!findings_is_new(syncp->run->findings, &finding))
        return;
    map_at(&syncp->known, location_pair(events[0].location, events[1].location), NULL);
    finding.witness = write_witness(syncp, earlier->pos, pos, &finding.witness_length);
    if (!finding.witness)
        finding.note = "the witness is left out: too long";
    findings_add(syncp->run->findings, &finding);
    free(finding.witness);
}

/* Builds the pair's closed prefix in `scratch`, at least until it contains the
 * earlier access: then the pair is no race. */
static bool races(struct syncp *syncp, uint32_t earlier_thread, const struct candidate *earlier,
                  uint32_t thread)
{
    struct prefix *prefix = &syncp->scratch;
    prefix_copy(prefix, &syncp->pasts[thread].prefix);
    prefix_join(prefix, syncp->sections, earlier->stamp);
    prefix_raise(prefix, syncp->sections, earlier_thread, earlier->index);
    syncp->run->candidates++;
    if (prefix->counts[earlier_thread] <= earlier->index)
        prefix_close_until(prefix, syncp->sections, earlier_thread, earlier->index);
    return prefix->counts[earlier_thread] <= earlier->index;
}

/* The first access of the group, from `at` on, with at least `index` before it. */
static uint32_t skip_to(const struct candidate_group *group, uint32_t at, uint32_t index)
{
    uint32_t step = 1, low = at, high;
    while (low + step < group->count && group->items[low + step].index < index) {
        low += step;
        step *= 2;
    }
    high = low + step < group->count ? low + step : (uint32_t)group->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (group->items[middle].index < index)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_known(const struct syncp *syncp, const struct candidate_group *group,
                     const struct event *event)
{
    return map_find(&syncp->known, location_pair(group->location, event->location));
}

/* True if no access of this group needs to be asked about for accesses like this one
 * again: they do not conflict, or the pair of locations is reported. */
static bool check_group(struct syncp *syncp, uint32_t earlier_thread, struct candidate_group *group,
                        uint32_t pos)
{
    const struct event *event = &syncp->history->events[pos];
    bool every_pair = syncp->run->options->every_pair;
    uint32_t past = syncp->pasts[event->thread].prefix.counts[earlier_thread];
    if (!candidates_conflict(group, event))
        return true;
    if (array_last(group).index < past)
        return false;
    if (!every_pair && is_known(syncp, group, event))
        return true;
    candidates_open(&syncp->candidates, group);
    uint32_t *settled = &group->settled[event->thread];
    bool first = true; /* only what is settled from the front on can be skipped for good */
    uint32_t at = skip_to(group, *settled, past);
    *settled = at;
    while (at < group->count) {
        if (races(syncp, earlier_thread, &group->items[at], event->thread)) {
            report(syncp, &group->items[at], pos);
            if (!every_pair)
                return true;
            first = false;
            at++;
            continue;
        }
        at = skip_to(group, at, syncp->scratch.counts[earlier_thread]);
        if (first)
            *settled = at;
    }
    return false;
}

static void check_thread(struct syncp *syncp, struct candidate_thread *thread, uint32_t pos)
{
    const struct event *event = &syncp->history->events[pos];
    bool every_pair = syncp->run->options->every_pair;
    uint64_t *done = every_pair ? NULL : candidates_done(thread, event);
    uint32_t few = thread->count < 64 ? (uint32_t)thread->count : 64;
    uint64_t left =
        (done ? ~*done : ~UINT64_C(0)) & (few < 64 ? (UINT64_C(1) << few) - 1 : ~UINT64_C(0));
    for (; left; left &= left - 1) {
        uint32_t k = (uint32_t)__builtin_ctzll(left);
        if (check_group(syncp, thread->thread, &thread->items[k], pos) && done)
            *done |= UINT64_C(1) << k;
    }
    for (size_t k = few; k < thread->count; k++)
        check_group(syncp, thread->thread, &thread->items[k], pos);
}

static void check_access(struct syncp *syncp, uint32_t pos)
{
    const struct event *event = &syncp->history->events[pos];
    struct candidate_variable *variable = &syncp->candidates.variables[event->object];
    const uint32_t *known = syncp->pasts[event->thread].prefix.counts;
    const struct holding *held = sections_held(syncp->sections, event->thread);
    for (size_t i = 0; i < variable->count; i++) {
        struct candidate_thread *thread = &variable->items[i];
        if (thread->thread == event->thread || thread->last_index < known[thread->thread] ||
            (held && candidates_protected(thread, held)))
            continue;
        check_thread(syncp, thread, pos);
    }
    struct candidate candidate = {
        .pos = pos,
        .index = syncp->history->index[pos],
        .stack = event->stack,
        .stamp = stamp_of(syncp, event->thread),
    };
    candidates_add(&syncp->candidates, event, &candidate, held);
}

static void see_write(struct syncp *syncp, const struct event *event)
{
    const struct last_write *write = &syncp->writes[event->object];
    if (write->stamp)
        join_moment(syncp, event->thread, write->thread, write->count, write->stamp);
}

static void see_holder(struct syncp *syncp, const struct event *event)
{
    const struct section *holder = sections_open(syncp->sections, event->object);
    while (holder && (holder->thread == event->thread ||
                      (event->op == EVENT_ACQUIRE_READ && !holder->exclusive)))
        holder = holder->next_open;
    if (holder)
        join_moment(syncp, event->thread, holder->thread, holder->acquired_index + 1,
                    holder->at_acquire);
}

static void join_clock(struct syncp *syncp, const struct event *event, struct vclock *clock)
{
    vclock_clear(clock);
    if (meetings_arrive(syncp->meetings, event, clock)) {
        vclock_set(clock, syncp->threads - 1, vclock_get(clock, syncp->threads - 1));
        join(syncp, event->thread, clock->ticks);
    }
}

/* What must come before the event. */
static void step_in(struct syncp *syncp, const struct event *event, struct vclock *clock)
{
    if (event_reads(event))
        see_write(syncp, event);
    else if (event->op == EVENT_JOIN)
        join(syncp, event->thread, syncp->pasts[event->object].prefix.counts);
    else if (op_in(event->op, OPS_ACQUIRING) && !event_acquires(event))
        see_holder(syncp, event);
    if (op_in(event->op, OPS_MEETING))
        join_clock(syncp, event, clock);
}

static void take_lock(struct syncp *syncp, uint32_t pos)
{
    const struct event *event = &syncp->history->events[pos];
    struct past *past = &syncp->pasts[event->thread];
    struct section *section =
        sections_acquire(syncp->sections, event->thread, event_lock(event),
                         event->op != EVENT_ACQUIRE_READ, pos, syncp->history->index[pos]);
    past->prefix.open[event->thread] = sections_held(syncp->sections, event->thread);
    if (prefix_close(&past->prefix, syncp->sections))
        past->stamp = NULL;
    section->at_acquire = stamp_of(syncp, event->thread);
}

static void leave_lock(struct syncp *syncp, uint32_t pos)
{
    const struct event *event = &syncp->history->events[pos];
    struct section *section = sections_release(syncp->sections, event->thread, event_lock(event),
                                               syncp->history->index[pos]);
    section->at_release = stamp_of(syncp, event->thread);
    syncp->pasts[event->thread].prefix.open[event->thread] =
        sections_held(syncp->sections, event->thread);
}

/* What others will see of the event. */
static void step_out(struct syncp *syncp, uint32_t pos)
{
    const struct event *event = &syncp->history->events[pos];
    struct past *past = &syncp->pasts[event->thread];
    uint32_t count = syncp->history->index[pos] + 1;
    past->prefix.counts[event->thread] = count;
    if (event_acquires(event))
        take_lock(syncp, pos);
    else if (event_releases(event))
        leave_lock(syncp, pos);
    else if (event_writes(event))
        syncp->writes[event->object] =
            (struct last_write){stamp_of(syncp, event->thread), event->thread, count};
    else if (event->op == EVENT_FORK)
        join(syncp, event->object, past->prefix.counts);
    if (op_in(event->op, OPS_MEETING)) {
        struct vclock clock = {past->prefix.counts, syncp->threads, syncp->threads};
        meetings_leave(syncp->meetings, event, &clock);
    }
}

static void analyse(struct syncp *syncp)
{
    struct vclock clock = {0};
    for (uint32_t pos = 0; pos < syncp->history->count; pos++) {
        const struct event *event = &syncp->history->events[pos];
        if (op_in(event->op, OPS_ACCESS))
            check_access(syncp, pos);
        step_in(syncp, event, &clock);
        step_out(syncp, pos);
    }
    vclock_free(&clock);
}

static void create(struct engine_run *run)
{
    run->state = NULL;
}

static int finish(struct engine_run *run, struct error *error)
{
    (void)error;
    const struct history *history = run->history;
    uint32_t variables = trace_count(run->trace, CLASS_VARIABLE);
    struct syncp syncp = {
        .run = run,
        .history = history,
        .threads = history->threads,
        .sections = sections_create(history->threads, trace_count(run->trace, CLASS_LOCK)),
        .meetings = meetings_create(),
        .pasts = NEW_ARRAY(struct past, history->threads),
        .writes = NEW_ARRAY(struct last_write, variables),
    };
    candidates_init(&syncp.candidates, variables, history->threads);
    prefix_init(&syncp.scratch, history->threads);
    for (uint32_t thread = 0; thread < history->threads; thread++)
        prefix_init(&syncp.pasts[thread].prefix, history->threads);
    analyse(&syncp);
    for (uint32_t thread = 0; thread < history->threads; thread++)
        prefix_free(&syncp.pasts[thread].prefix);
    prefix_free(&syncp.scratch);
    candidates_free(&syncp.candidates);
    free(syncp.pasts);
    free(syncp.writes);
    sections_destroy(syncp.sections);
    meetings_destroy(syncp.meetings);
    arena_free(&syncp.stamps);
    map_free(&syncp.known);
    return 0;
}

static void destroy(struct engine_run *run)
{
    (void)run;
}

const struct engine engine_syncp = {
    .name = "syncp",
    .summary = "races that keep the observed order of critical sections",
    .promise = "sound under rf, with witnesses",
    .source = "sync-preserving races (Mathur, Pavlogiannis, Viswanathan 2021)",
    .finds = FINDS_RACES,
    .guarantee = GUARANTEE_SOUND,
    .default_model = MODEL_RF,
    .models = 1u << MODEL_RF,
    .whole_trace = true,
    .create = create,
    .finish = finish,
    .destroy = destroy,
};
