/* SPDX-License-Identifier: MIT */
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
#include "relations/candidates.h"
#include "base/sorted.h"
#include "engine/found.h"
#include "model/closed_past.h"

/* Positions in all witnesses of one run together; races beyond get none. */
#define WITNESS_BUDGET ((uint64_t)1 << 25)

struct syncp {
    struct engine_run *run;
    const struct history *history;
    struct closed_pasts *pasts;
    const struct sections *sections;
    struct candidates candidates;
    struct prefix scratch;
    uint64_t witness_events;
    struct map known; /* pairs of locations that are reported */
};

/* The prefix in observed order, then the two accesses. */
static uint32_t *write_witness(struct syncp *syncp, uint32_t first, uint32_t second,
                               uint32_t *length)
{
    const struct prefix *prefix = &syncp->scratch;
    const struct history *history = syncp->history;
    uint64_t count = 2;
    for (uint32_t thread = 0; thread < syncp->history->threads; thread++)
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
    struct finding finding = found_race(syncp->run, MODEL_RF, event->object, events);
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
    prefix_copy(prefix, closed_pasts_of(syncp->pasts, thread));
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
    return SORTED_POINT(middle, low, high, group->items[middle].index < index);
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
    uint32_t past = closed_pasts_of(syncp->pasts, event->thread)->counts[earlier_thread];
    if (!candidates_conflict(group, event))
        return true;
    if (!every_pair && is_known(syncp, group, event))
        return true;
    if (group->last_index < past)
        return false;
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
    const uint32_t *known = closed_pasts_of(syncp->pasts, event->thread)->counts;
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
        .stamp = closed_pasts_stamp(syncp->pasts, event->thread),
    };
    candidates_add(&syncp->candidates, event, &candidate, held);
}

static void create(struct engine_run *run)
{
    run->state = NULL;
}

static int finish(struct engine_run *run, struct error *error)
{
    (void)error;
    const struct history *history = run->history;
    struct syncp syncp = {
        .run = run,
        .history = history,
        .pasts = closed_pasts_create(history),
    };
    syncp.sections = closed_pasts_sections(syncp.pasts);
    candidates_init(&syncp.candidates, trace_count(run->trace, CLASS_VARIABLE), history->threads);
    prefix_init(&syncp.scratch, history->threads);
    for (uint32_t pos = 0; pos < history->count; pos++) {
        if (op_in(history->events[pos].op, OPS_ACCESS))
            check_access(&syncp, pos);
        closed_pasts_step(syncp.pasts, pos);
    }
    prefix_free(&syncp.scratch);
    candidates_free(&syncp.candidates);
    closed_pasts_destroy(syncp.pasts);
    map_free(&syncp.known);
    return 0;
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
};
