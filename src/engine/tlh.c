/* tlh: races by pairwise reachability over time-stamped lock histories (seed 004).
 *
 * For each suspicious pair the lock histories of its two threads are searched for
 * a consistent sequence that leads both to their accesses (search/lattice.h). What
 * was visited for one pair is used for the next ones.
 *
 * Strategy I leaves all other threads out of account: a pair it cannot reach is no
 * race under `sync`, so what it reaches is complete. Strategy II starts where the
 * observed run stood after the last event that unblocks somebody, and keeps the
 * other threads there: what it reaches comes with a schedule, which the checker
 * has accepted. A finding without a schedule is strategy I's alone. With two
 * threads the strategies agree. */
#include "base/array.h"
#include "engine/thinned.h"
#include "engine/whole.h"
#include "search/clocks.h"
#include "search/lattice.h"
#include "search/rendezvous.h"
#include "search/suspects.h"

struct tlh {
    struct engine_run *run;
    const struct history *history; /* thinned, or the whole trace */
    struct search_index *index;
    struct lock_histories *histories;
    struct rendezvous *rendezvous;
    struct map lattices; /* (threads, start) -> lattice */
    struct all_lattices ARRAY_OF(struct lattice *) all;
    struct snapshots ARRAY_OF(uint32_t) snapshots; /* pos after each unblocking event */
    struct witness_events ARRAY_OF(uint32_t) witness;
    uint64_t stored; /* events in witnesses so far */
};

/* Witnesses of one run take at most this many events, 1 GB; later findings go
 * without. */
#define WITNESS_EVENTS_MAX (UINT64_C(1) << 28)

#define NOTE_WITHOUT "strategy I: not refuted by the two threads' lock histories"

/* While the trace is read, lockset collects candidates; of the rest of the trace only the
 * synchronisation is kept. */
static void create(struct engine_run *run)
{
    struct sync_log *log = NEW(struct sync_log);
    lockset_keep_log(run->filter, log);
    run->state = log;
}

static void destroy(struct engine_run *run)
{
    sync_log_free(run->state);
    free(run->state);
}

static void find_snapshots(struct tlh *tlh)
{
    const struct history *history = tlh->history;
    const uint64_t unblocking = OP_BIT(EVENT_FORK) | OP_BIT(EVENT_SIGNAL) |
                                OP_BIT(EVENT_BROADCAST) | OP_BIT(EVENT_POST) |
                                OP_BIT(EVENT_BARRIER_ENTER) | OP_BIT(EVENT_ONCE_END);
    for (uint32_t pos = 0; pos < history->count; pos++) {
        const struct event *event = &history->events[pos];
        bool last = history->index[pos] + 1 == history_thread_length(history, event->thread);
        if (last || op_in(event->op, unblocking))
            array_push(&tlh->snapshots, pos + 1);
    }
}

/* The last snapshot that neither target is before. */
static uint32_t snapshot_before(const struct tlh *tlh, const uint32_t targets[2])
{
    uint32_t limit = targets[0] < targets[1] ? targets[0] : targets[1];
    size_t low = 0, high = tlh->snapshots.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (tlh->snapshots.items[middle] <= limit)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? tlh->snapshots.items[low - 1] : 0;
}

static struct lattice *lattice_for(struct tlh *tlh, const uint32_t threads[2],
                                   const uint32_t start[2], uint32_t frozen)
{
    uint64_t key = map_mix(map_pair(threads[0], threads[1])) * 31 +
                   map_mix(map_pair(start[0], start[1])) * 17 + map_mix(frozen);
    bool added;
    uint64_t *number = map_at(&tlh->lattices, key >> 1, &added);
    if (added) {
        *number = tlh->all.count;
        array_push(&tlh->all, lattice_create(tlh->histories, threads, start, frozen));
    }
    return tlh->all.items[*number];
}

/* How many events of the thread lie before `pos`. */
static uint32_t done_before(const struct history *history, uint32_t thread, uint32_t pos)
{
    uint32_t low = 0, high = history_thread_length(history, thread);
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (history_pos(history, thread, middle) < pos)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Calls for one pair. */
static uint64_t limit_of(const struct tlh *tlh)
{
    const uint64_t usual = UINT64_C(1) << 18;
    return tlh->run->options->budget ? tlh->run->options->budget : usual;
}

/* Strategy I; leaves the lattice for the path. */
static enum search_answer strategy_one(struct tlh *tlh, const uint32_t targets[2],
                                       struct lattice **lattice, uint32_t *after)
{
    const struct history *history = tlh->history;
    uint32_t done[2], threads[2], start[2];
    *after = rendezvous_last(tlh->rendezvous, targets, done);
    for (int i = 0; i < 2; i++) {
        threads[i] = history->events[targets[i]].thread;
        /* The first TLH event not among those done. */
        uint32_t length = history_thread_length(history, threads[i]);
        start[i] = lock_histories_before(
            tlh->histories, threads[i],
            done[i] < length ? history_pos(history, threads[i], done[i]) : history->count);
    }
    *lattice = lattice_for(tlh, threads, start, POS_NONE);
    return lattice_reach(*lattice, targets, limit_of(tlh));
}

/* Nothing that the targets need of a third thread comes after the snapshot. */
static bool others_did_enough(const struct tlh *tlh, const uint32_t targets[2], uint32_t snapshot)
{
    const struct history *history = tlh->history;
    if (!index_clocks(tlh->index))
        return false;
    for (int i = 0; i < 2; i++) {
        uint32_t thread = history->events[targets[i]].thread, index = history->index[targets[i]];
        if (!index)
            continue;
        const uint32_t *past =
            clocks_past(index_clocks(tlh->index), history_pos(history, thread, index - 1));
        for (uint32_t other = 0; other < history->threads; other++)
            if (other != history->events[targets[0]].thread &&
                other != history->events[targets[1]].thread &&
                past[other] > done_before(history, other, snapshot))
                return false;
    }
    return true;
}

static struct lattice *strategy_two(struct tlh *tlh, const uint32_t targets[2], uint32_t snapshot)
{
    const struct history *history = tlh->history;
    if (!others_did_enough(tlh, targets, snapshot))
        return NULL;
    uint32_t threads[2], start[2];
    for (int i = 0; i < 2; i++) {
        threads[i] = history->events[targets[i]].thread;
        start[i] = lock_histories_before(tlh->histories, threads[i], snapshot);
    }
    struct lattice *lattice = lattice_for(tlh, threads, start, snapshot);
    return lattice_reach(lattice, targets, limit_of(tlh)) == SEARCH_WITNESS ? lattice : NULL;
}

static void run_up_to(struct tlh *tlh, uint32_t *done, uint32_t pos, bool inclusive)
{
    const struct history *history = tlh->history;
    uint32_t thread = history->events[pos].thread;
    while (done[thread] < history->index[pos] + inclusive)
        array_push(&tlh->witness, history_pos(history, thread, done[thread]++));
}

/* The observed run up to `snapshot`, then the path, then both targets; true if the
 * checker accepts it. */
static bool build_witness(struct tlh *tlh, const struct lattice *lattice, const uint32_t targets[2],
                          uint32_t snapshot, bool first_last)
{
    const struct history *history = tlh->history;
    uint32_t *done = NEW_ARRAY(uint32_t, history->threads);
    tlh->witness.count = 0;
    for (uint32_t pos = 0; pos < snapshot; pos++) {
        array_push(&tlh->witness, pos);
        done[history->events[pos].thread]++;
    }
    uint32_t length;
    uint32_t *path = lattice_path(lattice, targets, &length);
    for (uint32_t i = 0; i < length; i++)
        run_up_to(tlh, done, path[i], true);
    run_up_to(tlh, done, targets[first_last], false);
    run_up_to(tlh, done, targets[!first_last], false);
    array_push(&tlh->witness, targets[0]);
    array_push(&tlh->witness, targets[1]);
    free(path);
    free(done);
    struct search_query query = {SEARCH_RACE, targets, 2, 0};
    struct search_witness witness = {tlh->witness.items, (uint32_t)tlh->witness.count};
    return search_check(tlh->index, &query, &witness);
}

static bool find_witness(struct tlh *tlh, const uint32_t targets[2], struct lattice *one,
                         uint32_t after)
{
    uint32_t snapshot = snapshot_before(tlh, targets);
    struct lattice *two = strategy_two(tlh, targets, snapshot);
    if (two && (build_witness(tlh, two, targets, snapshot, false) ||
                build_witness(tlh, two, targets, snapshot, true)))
        return true;
    return tlh->history->threads == 2 && (build_witness(tlh, one, targets, after, false) ||
                                          build_witness(tlh, one, targets, after, true));
}

/* Asks for one pair: `events` are the two accesses as they are to be reported, `pos`
 * where they stand in the history that is searched. True if its places are found, now or
 * before. */
static bool try_pair(struct tlh *tlh, const uint32_t pos[2], uint32_t object,
                     struct finding_event events[2])
{
    struct engine_run *run = tlh->run;
    bool swap = events[0].thread > events[1].thread;
    const uint32_t targets[2] = {pos[swap], pos[!swap]};
    struct finding finding = {
        .kind = FINDING_RACE,
        .model = MODEL_SYNC,
        .verdict = VERDICT_CANDIDATE,
        .engine = run->engine->name,
        .object_class = CLASS_VARIABLE,
        .object = object,
        .block = INTERN_NONE,
        .events = events,
        .event_count = 2,
        .note = NOTE_WITHOUT,
    };
    if (!findings_is_new(run->findings, &finding))
        return true;
    run->candidates++;
    uint32_t after;
    struct lattice *one;
    enum search_answer answer = rendezvous_ordered(tlh->rendezvous, targets)
                                    ? SEARCH_REFUTED
                                    : strategy_one(tlh, targets, &one, &after);
    run->refuted += answer == SEARCH_REFUTED;
    run->exhausted += answer == SEARCH_EXHAUSTED;
    if (answer == SEARCH_REFUTED)
        return false;
    if (answer == SEARCH_WITNESS && tlh->stored < WITNESS_EVENTS_MAX &&
        find_witness(tlh, targets, one, after)) {
        finding.note = NULL;
        finding.witness = tlh->witness.items;
        finding.witness_length = (uint32_t)tlh->witness.count;
        tlh->stored += tlh->witness.count;
    }
    findings_add(run->findings, &finding);
    return true;
}

static void open_search(struct tlh *tlh, struct engine_run *run, const struct history *history)
{
    *tlh = (struct tlh){.run = run, .history = history};
    tlh->index = search_index_create(history, MODEL_SYNC);
    tlh->histories = lock_histories_create(tlh->index);
    tlh->rendezvous = rendezvous_create(tlh->index);
    find_snapshots(tlh);
}

static void close_search(struct tlh *tlh)
{
    for (size_t i = 0; i < tlh->all.count; i++)
        lattice_destroy(tlh->all.items[i]);
    array_free(&tlh->all);
    array_free(&tlh->snapshots);
    array_free(&tlh->witness);
    map_free(&tlh->lattices);
    rendezvous_destroy(tlh->rendezvous);
    lock_histories_destroy(tlh->histories);
    search_index_destroy(tlh->index);
}

/* --- in the whole trace ------------------------------------------------------ */

static bool try_suspect(struct tlh *tlh, const struct suspects *suspects,
                        const struct suspect *suspect)
{
    const struct history *history = tlh->history;
    size_t before = tlh->run->findings->count;
    for (uint32_t i = 0; i < suspect->count; i++) {
        const struct suspect_pair *pair = &suspects->pairs[suspect->start + i];
        const uint32_t pos[2] = {pair->first, pair->second};
        struct finding_event events[2];
        for (int k = 0; k < 2; k++)
            finding_event_fill(&events[k], &history->events[pos[k]], pos[k],
                               history->index[pos[k]]);
        try_pair(tlh, pos, history->events[pos[0]].object, events);
    }
    return tlh->run->findings->count > before;
}

/* A few instances of each pair of locations; then more of those that are not found. */
static int search_whole(struct engine_run *run, struct error *error)
{
    struct tlh tlh;
    struct suspects suspects, more;
    struct map closed = {0};
    run->history = whole_history(run->whole, error);
    if (!run->history)
        return -1;
    open_search(&tlh, run, run->history);
    suspects_find(&suspects, tlh.index, NULL, run->options->every_pair, run->options->window);
    for (size_t i = 0; i < suspects.count; i++)
        if (try_suspect(&tlh, &suspects, &suspects.items[i]))
            map_at(&closed, suspects.items[i].places, NULL);
    suspects_more(&suspects, &closed, &more);
    for (size_t i = 0; i < more.count; i++)
        try_suspect(&tlh, &more, &more.items[i]);
    suspects_free(&more);
    suspects_free(&suspects);
    map_free(&closed);
    close_search(&tlh);
    return 0;
}

/* --- among synchronisation and candidates ------------------------------------- */

static int by_distance(const void *a, const void *b)
{
    const struct lockset_instance *x = a, *y = b;
    uint32_t left = x->later.pos - x->earlier.pos, right = y->later.pos - y->earlier.pos;
    if (left != right)
        return left < right ? -1 : 1;
    return (x->later.pos > y->later.pos) - (x->later.pos < y->later.pos);
}

static bool try_instance(struct tlh *tlh, const struct thinned *thinned,
                         const struct lockset_instance *instance)
{
    uint32_t window = tlh->run->options->window;
    const uint32_t pos[2] = {thinned_pos(thinned, instance->earlier.pos),
                             thinned_pos(thinned, instance->later.pos)};
    struct finding_event events[2];
    access_fill(&events[0], &instance->earlier);
    access_fill(&events[1], &instance->later);
    return (!window || events[1].pos - events[0].pos <= window) &&
           !suspects_ordered(tlh->index, pos[0], pos[1]) &&
           try_pair(tlh, pos, instance->object, events);
}

/* True if it is found. */
static bool try_locations(struct tlh *tlh, const struct thinned *thinned,
                          const struct lockset_pair *pair, uint32_t limit)
{
    size_t count = pair->instances.count;
    bool found = false;
    struct lockset_instance *instances =
        memory_copy(pair->instances.items, count * sizeof *instances);
    qsort(instances, count, sizeof *instances, by_distance);
    for (size_t i = 0; i < count && !found; i++)
        found = instances[i].later.pos < limit && try_instance(tlh, thinned, &instances[i]);
    free(instances);
    return found;
}

/* The witness of a thinned trace as one of the whole trace: every thread does what it has
 * to do before its next synchronisation, then that. */
static void fill_in(struct tlh *tlh, const struct thinned *thinned, const struct finding *finding)
{
    const uint32_t *witness = finding->witness;
    uint32_t length = finding->witness_length;
    uint32_t *done = NEW_ARRAY(uint32_t, tlh->history->threads);
    tlh->witness.count = 0;
    for (uint32_t i = 0; i + 2 < length; i++)
        run_up_to(tlh, done, thinned->origin[witness[i]], true);
    for (uint32_t i = length - 2; i < length; i++)
        run_up_to(tlh, done, thinned->origin[witness[i]], false);
    for (uint32_t i = length - 2; i < length; i++)
        array_push(&tlh->witness, thinned->origin[witness[i]]);
    free(done);
}

/* The same for all findings from number `first` on. */
static int fill_in_all(struct engine_run *run, const struct thinned *thinned, size_t first,
                       struct error *error)
{
    struct tlh tlh = {.run = run};
    for (size_t i = first; i < run->findings->count; i++) {
        struct finding *finding = &run->findings->items[i];
        if (!finding->witness)
            continue;
        if (!tlh.history && !(tlh.history = run->history = whole_history(run->whole, error)))
            return -1;
        fill_in(&tlh, thinned, finding);
        tlh.stored += tlh.witness.count;
        free(finding->witness);
        bool room = tlh.stored < WITNESS_EVENTS_MAX;
        finding->witness_length = room ? (uint32_t)tlh.witness.count : 0;
        finding->witness =
            room ? memory_copy(tlh.witness.items, tlh.witness.count * sizeof(uint32_t)) : NULL;
        if (!room)
            finding->note = memory_copy(NOTE_WITHOUT, sizeof NOTE_WITHOUT);
    }
    array_free(&tlh.witness);
    return 0;
}

/* Tries the pairs of locations that are not found yet, in the trace as far as `limit`. */
static int search_thinned(struct engine_run *run, uint32_t limit, bool *found, struct error *error)
{
    const struct lockset_pairs *pairs = lockset_pairs_of(run->filter);
    size_t before = run->findings->count;
    struct thinned thinned;
    struct tlh tlh;
    /* What was refuted so far is asked for again. */
    run->candidates -= run->refuted;
    run->refuted = 0;
    thinned_create(&thinned, run->trace, run->state, pairs, limit);
    open_search(&tlh, run, thinned.history);
    for (size_t i = 0; i < pairs->list.count; i++)
        if (!found[i])
            found[i] = try_locations(&tlh, &thinned, &pairs->list.items[i], limit);
    close_search(&tlh);
    int result = fill_in_all(run, &thinned, before, error);
    thinned_free(&thinned);
    return result;
}

/* Most pairs of locations meet first near the beginning, and whether they can be reached
 * there does not depend on what follows: an eighth of the trace shows that with an eighth
 * of the work. Returns where the first instance of the last of them ends. */
static uint32_t early_limit(const struct engine_run *run, const struct lockset_pairs *pairs)
{
    uint32_t limit = 0, early = (uint32_t)(run->trace->delivered / 8);
    for (size_t i = 0; i < pairs->list.count; i++) {
        const struct lockset_instances *instances = &pairs->list.items[i].instances;
        uint32_t first = UINT32_MAX;
        for (size_t k = 0; k < instances->count; k++)
            if (instances->items[k].later.pos < first)
                first = instances->items[k].later.pos;
        if (first < early && first >= limit)
            limit = first + 1;
    }
    return limit;
}

/* Are all these certain? */
static bool are_settled(const struct lockset_pairs *pairs, const bool *found, bool all_tried)
{
    for (size_t i = 0; i < pairs->list.count; i++) {
        const struct lockset_pair *pair = &pairs->list.items[i];
        if (!found[i] && (!all_tried || pairs->passed_over || pair->met > pair->instances.count))
            return false;
    }
    return true;
}

/* The log, for candidates that came when nobody expected them any more. */
static int log_again(struct engine_run *run, struct error *error)
{
    struct sync_log *log = run->state;
    const struct event *batch;
    long count;
    uint32_t first = 0;
    *log = (struct sync_log){.whole = true};
    struct trace *trace = run->trace->again(run->trace, error);
    if (!trace)
        return -1;
    struct engine_run again = {.engine = &engine_lockset,
                               .trace = trace,
                               .options = run->filter->options,
                               .findings = findings_create(false)};
    engine_begin(&again);
    lockset_keep_log(&again, log);
    while ((count = trace_next(trace, &batch, error)) > 0) {
        engine_feed(&again, batch, (size_t)count, first);
        first += (uint32_t)count;
    }
    engine_end(&again);
    findings_destroy(again.findings);
    trace_close(trace);
    return count < 0 ? -1 : 0;
}

static int search(struct engine_run *run, const struct lockset_pairs *pairs, bool *found,
                  struct error *error)
{
    const struct sync_log *log = run->state;
    if (log->stopped && log_again(run, error))
        return -1;
    uint32_t limit = early_limit(run, pairs);
    if (limit && search_thinned(run, limit, found, error))
        return -1;
    if (are_settled(pairs, found, false))
        return 0;
    if (search_thinned(run, UINT32_MAX, found, error))
        return -1;
    if (are_settled(pairs, found, true))
        return 0;
    /* Other instances of what was refuted may be reachable: only the whole trace has them. */
    run->candidates -= run->refuted;
    run->refuted = 0;
    return search_whole(run, error);
}

static int finish(struct engine_run *run, struct error *error)
{
    const struct lockset_pairs *pairs = lockset_pairs_of(run->filter);
    if (!pairs->list.count)
        return 0;
    if (run->options->every_pair)
        return search_whole(run, error);
    bool *found = NEW_ARRAY(bool, pairs->list.count);
    int result = search(run, pairs, found, error);
    free(found);
    return result;
}

const struct engine engine_tlh = {
    .name = "tlh",
    .summary = "races by pairwise reachability over lock histories, incremental",
    .promise = "complete under sync; findings with a schedule are sound",
    .source = "seed 004",
    .finds = FINDS_RACES,
    .guarantee = GUARANTEE_COMPLETE_SYNC,
    .default_model = MODEL_SYNC,
    .models = 1u << MODEL_SYNC,
    .may_want_whole = true,
    .filter = &engine_lockset,
    .create = create,
    .finish = finish,
    .destroy = destroy,
};
