/* SPDX-License-Identifier: MIT */
#include "tlh/tlh_search.h"

#include "base/sorted.h"
#include "engine/found.h"
#include "model/checker.h"
#include "search/clocks.h"
#include "trace/turns.h"

static void find_snapshots(struct tlh_search *search)
{
    const struct history *history = search->history;
    const uint64_t unblocking = OP_BIT(EVENT_FORK) | OP_BIT(EVENT_SIGNAL) |
                                OP_BIT(EVENT_BROADCAST) | OP_BIT(EVENT_POST) |
                                OP_BIT(EVENT_BARRIER_ENTER) | OP_BIT(EVENT_ONCE_END);
    for (uint32_t pos = 0; pos < history->count; pos++) {
        const struct event *event = &history->events[pos];
        bool last = history->index[pos] + 1 == history_thread_length(history, event->thread);
        if (last || op_in(event->op, unblocking))
            array_push(&search->snapshots, pos + 1);
    }
}

/* The last snapshot that neither target is before. */
static uint32_t snapshot_before(const struct tlh_search *search, const uint32_t targets[2])
{
    uint32_t limit = targets[0] < targets[1] ? targets[0] : targets[1];
    size_t low =
        SORTED_POINT(middle, 0, search->snapshots.count, search->snapshots.items[middle] <= limit);
    return low ? search->snapshots.items[low - 1] : 0;
}

static struct lattice *lattice_for(struct tlh_search *search, const uint32_t threads[2],
                                   const uint32_t start[2], uint32_t frozen)
{
    uint64_t key = map_mix(map_pair(threads[0], threads[1])) * 31 +
                   map_mix(map_pair(start[0], start[1])) * 17 + map_mix(frozen);
    bool added;
    uint64_t *number = map_at(&search->lattices, key >> 1, &added);
    if (added) {
        *number = search->all.count;
        array_push(&search->all, lattice_create(search->histories, threads, start, frozen));
    }
    return search->all.items[*number];
}

/* Calls for one pair. */
static uint64_t limit_of(const struct tlh_search *search)
{
    const uint64_t usual = UINT64_C(1) << 18;
    return search->run->options->budget ? search->run->options->budget : usual;
}

/* Strategy I; leaves the lattice for the path. */
static enum search_answer strategy_one(struct tlh_search *search, const uint32_t targets[2],
                                       struct lattice **lattice, uint32_t *after)
{
    const struct history *history = search->history;
    uint32_t done[2], threads[2], start[2];
    *after = rendezvous_last(search->rendezvous, targets, done);
    for (int i = 0; i < 2; i++) {
        threads[i] = history->events[targets[i]].thread;
        /* The first TLH event not among those done. */
        uint32_t length = history_thread_length(history, threads[i]);
        start[i] = lock_histories_before(
            search->histories, threads[i],
            done[i] < length ? history_pos(history, threads[i], done[i]) : history->count);
    }
    *lattice = lattice_for(search, threads, start, POS_NONE);
    return lattice_reach(*lattice, targets, limit_of(search));
}

/* Nothing that the targets need of a third thread comes after the snapshot. */
static bool others_did_enough(const struct tlh_search *search, const uint32_t targets[2],
                              uint32_t snapshot)
{
    const struct history *history = search->history;
    if (!index_clocks(search->index))
        return false;
    for (int i = 0; i < 2; i++) {
        uint32_t thread = history->events[targets[i]].thread, index = history->index[targets[i]];
        if (!index)
            continue;
        const uint32_t *past =
            clocks_past(index_clocks(search->index), history_pos(history, thread, index - 1));
        for (uint32_t other = 0; other < history->threads; other++)
            if (other != history->events[targets[0]].thread &&
                other != history->events[targets[1]].thread &&
                past[other] > history_count_before(history, other, snapshot))
                return false;
    }
    return true;
}

static struct lattice *strategy_two(struct tlh_search *search, const uint32_t targets[2],
                                    uint32_t snapshot)
{
    const struct history *history = search->history;
    if (!others_did_enough(search, targets, snapshot))
        return NULL;
    uint32_t threads[2], start[2];
    for (int i = 0; i < 2; i++) {
        threads[i] = history->events[targets[i]].thread;
        start[i] = lock_histories_before(search->histories, threads[i], snapshot);
    }
    struct lattice *lattice = lattice_for(search, threads, start, snapshot);
    return lattice_reach(lattice, targets, limit_of(search)) == SEARCH_WITNESS ? lattice : NULL;
}

static void run_up_to(struct tlh_search *search, uint32_t *done, uint32_t pos, bool inclusive)
{
    const struct history *history = search->history;
    uint32_t thread = history->events[pos].thread;
    while (done[thread] < history->index[pos] + inclusive)
        array_push(&search->witness, history_pos(history, thread, done[thread]++));
}

/* The observed run up to `snapshot`, then the path, then both targets; true if the
 * checker accepts it. */
static bool build_witness(struct tlh_search *search, const struct lattice *lattice,
                          const uint32_t targets[2], uint32_t snapshot, bool first_last)
{
    const struct history *history = search->history;
    uint32_t *done = memory_alloc(history->threads, sizeof *done);
    for (uint32_t thread = 0; thread < history->threads; thread++)
        done[thread] = history_count_before(history, thread, snapshot);
    array_reserve(&search->witness, snapshot);
    for (uint32_t pos = 0; pos < snapshot; pos++)
        search->witness.items[pos] = pos;
    search->witness.count = snapshot;
    uint32_t length;
    uint32_t *path = lattice_path(lattice, targets, &length);
    for (uint32_t i = 0; i < length; i++)
        run_up_to(search, done, path[i], true);
    run_up_to(search, done, targets[first_last], false);
    run_up_to(search, done, targets[!first_last], false);
    array_push(&search->witness, targets[0]);
    array_push(&search->witness, targets[1]);
    free(path);
    free(done);
    struct claim claim = {.kind = FINDING_RACE,
                          .events = targets,
                          .event_count = 2,
                          .witness = search->witness.items,
                          .witness_length = (uint32_t)search->witness.count};
    struct complaint complaint;
    const struct machine *begun = observed_run_at(&search->observed, search->rules, snapshot);
    return begun && witness_check_after(search->rules, begun, snapshot, &claim, &complaint);
}

static bool find_witness(struct tlh_search *search, const uint32_t targets[2], struct lattice *one,
                         uint32_t after)
{
    uint32_t snapshot = snapshot_before(search, targets);
    struct lattice *two = strategy_two(search, targets, snapshot);
    if (two && (build_witness(search, two, targets, snapshot, false) ||
                build_witness(search, two, targets, snapshot, true)))
        return true;
    return search->history->threads == 2 && (build_witness(search, one, targets, after, false) ||
                                             build_witness(search, one, targets, after, true));
}

bool tlh_search_pair(struct tlh_search *search, const uint32_t pos[2], uint32_t object,
                     struct finding_event events[2])
{
    struct engine_run *run = search->run;
    bool swap = events[0].thread > events[1].thread;
    const uint32_t targets[2] = {pos[swap], pos[!swap]};
    struct finding finding = found_race(run, MODEL_SYNC, object, events);
    finding.note = TLH_WITHOUT;
    if (!findings_is_new(run->findings, &finding))
        return true;
    run->candidates++;
    uint32_t after;
    struct lattice *one;
    enum search_answer answer = rendezvous_ordered(search->rendezvous, targets)
                                    ? SEARCH_REFUTED
                                    : strategy_one(search, targets, &one, &after);
    run->refuted += answer == SEARCH_REFUTED;
    run->exhausted += answer == SEARCH_EXHAUSTED;
    if (answer == SEARCH_REFUTED)
        return false;
    if (answer == SEARCH_WITNESS && search->stored < TLH_WITNESS_EVENTS_MAX &&
        find_witness(search, targets, one, after)) {
        finding.note = NULL;
        finding.witness = search->witness.items;
        finding.witness_length = (uint32_t)search->witness.count;
        if (search->in_turns)
            finding.witness_length =
                turns_fold(search->history, finding.witness, finding.witness_length, 2);
        finding.in_turns = search->in_turns;
        search->stored += finding.witness_length;
    }
    findings_add(run->findings, &finding);
    return true;
}

void tlh_search_open(struct tlh_search *search, struct engine_run *run,
                     const struct history *history)
{
    *search = (struct tlh_search){.run = run, .history = history};
    search->rules = rules_create(history, MODEL_SYNC);
    search->index = search_index_create(history, MODEL_SYNC);
    search->histories = lock_histories_create(search->index);
    search->rendezvous = rendezvous_create(search->index);
    find_snapshots(search);
}

void tlh_search_close(struct tlh_search *search)
{
    for (size_t i = 0; i < search->all.count; i++)
        lattice_destroy(search->all.items[i]);
    array_free(&search->all);
    array_free(&search->snapshots);
    array_free(&search->witness);
    map_free(&search->lattices);
    rendezvous_destroy(search->rendezvous);
    lock_histories_destroy(search->histories);
    search_index_destroy(search->index);
    observed_run_free(&search->observed);
    rules_destroy(search->rules);
}
