/* csp: races and deadlocks as refinement checks of the trace's CSP model.
 *
 * The trace is cut into windows; what lies before a window is executed as it was
 * observed. In a window, threads and synchronisation objects are processes (seed
 * 000 section 2, seed 001 section 2; search/process.h). A race on an object is a
 * trace of their product after which two threads stand before conflicting accesses
 * of it; a deadlock is a failure of the product in which every thread of a cycle is
 * refused its acquire. search/refine.h searches the product on the fly, shortest
 * counterexamples first. Pairs that a weak happens-before, locksets or lock
 * histories rule out are never checked (seed 000 section 3).
 *
 * One counterexample an object; one per object and pair of threads with --per-pair;
 * all with --pairs. Exact for `sync` within the window; checks that hit the bound on
 * states count as undecided. */
#include "engine/csp.h"

#include "model/lock_profile.h"
#include "model/order.h"
#include "search/counterexample.h"

#include <assert.h>

#define DEFAULT_WINDOW   10000 /* events: that of seed 000 */
#define DEFAULT_STATES   (UINT64_C(1) << 22)
#define MEMORY_BOUND     (UINT64_C(1) << 29)
#define EVENTS_IN_A_NOTE 40

static int compare_pairs(const void *a, const void *b)
{
    const struct csp_pair *x = a, *y = b;
    if (x->object != y->object)
        return x->object < y->object ? -1 : 1;
    if (x->threads != y->threads)
        return x->threads < y->threads ? -1 : 1;
    if (x->bound != y->bound)
        return x->bound < y->bound ? -1 : 1;
    if (x->later != y->later)
        return x->later < y->later ? -1 : 1;
    return (x->earlier > y->earlier) - (x->earlier < y->earlier);
}

/* All accesses between the same two pairs of steps share one check. */
static enum refinement check_pair(struct csp *csp, const uint32_t targets[2])
{
    const struct processes *processes = csp->refiner->processes;
    const struct event *events = csp->rules->history->events;
    uint32_t places[4];
    for (int i = 0; i < 2; i++) {
        places[2 * i] = processes_of_thread(processes, events[targets[i]].thread);
        places[2 * i + 1] = processes_step_of(processes, targets[i]);
    }
    uint64_t first = map_pair(places[0], places[1]), second = map_pair(places[2], places[3]);
    uint64_t key = map_mix(first) * 31 + map_mix(second ^ 0x5bd1e995u);
    if (key == UINT64_MAX)
        key--;
    bool added;
    uint64_t *known = map_at(&csp->decided, key, &added);
    if (!added && *known != REFINE_FOUND)
        return (enum refinement) * known;
    enum refinement answer = refiner_check(csp->refiner, targets, 2);
    *known = answer;
    return answer;
}

void csp_report(struct csp *csp, enum finding_kind kind, enum object_class class, uint32_t object,
                const uint32_t *targets, uint32_t count)
{
    struct engine_run *run = csp->run;
    const struct history *history = csp->rules->history;
    struct finding_event *events = NEW_ARRAY(struct finding_event, count);
    for (uint32_t i = 0; i < count; i++)
        finding_event_fill(&events[i], &history->events[targets[i]], targets[i],
                           history->index[targets[i]]);
    uint32_t length;
    uint32_t *witness = refiner_witness(csp->refiner, targets, count, &length);
    char *note = counterexample_text(history, witness, length, count, csp->refiner->processes->from,
                                     EVENTS_IN_A_NOTE);
    struct finding finding = {
        .kind = kind,
        .model = MODEL_SYNC,
        .verdict = VERDICT_CANDIDATE,
        .engine = run->engine->name,
        .object_class = class,
        .object = object,
        .block = INTERN_NONE,
        .events = events,
        .event_count = count,
        .witness = witness,
        .witness_length = length,
        .note = *note ? note : NULL,
    };
    findings_add(run->findings, &finding);
    free(events);
    free(witness);
    free(note);
}

static void count_answer(struct csp *csp, enum refinement answer)
{
    csp->run->candidates++;
    csp->run->refuted += answer == REFINE_HOLDS;
    csp->run->exhausted += answer == REFINE_INCOMPLETE;
}

/* Every pair on its own. */
static void check_every_pair(struct csp *csp, const struct csp_pair *pairs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t targets[2] = {pairs[i].earlier, pairs[i].later};
        enum refinement answer = check_pair(csp, targets);
        count_answer(csp, answer);
        if (answer == REFINE_FOUND)
            csp_report(csp, FINDING_RACE, CLASS_VARIABLE, pairs[i].object, targets, 2);
    }
}

/* One refinement: the pairs of an object (and perhaps of two threads), sorted by
 * the least length their counterexamples can have. Reports a shortest one. */
static void check_object(struct csp *csp, const struct csp_pair *pairs, size_t count)
{
    const struct csp_pair *best = NULL;
    size_t best_length = SIZE_MAX;
    bool incomplete = false;
    for (size_t i = 0; i < count && pairs[i].bound < best_length; i++) {
        uint32_t targets[2] = {pairs[i].earlier, pairs[i].later};
        enum refinement answer = check_pair(csp, targets);
        incomplete |= answer == REFINE_INCOMPLETE;
        if (answer != REFINE_FOUND || csp->refiner->path.count >= best_length)
            continue;
        best = &pairs[i];
        best_length = csp->refiner->path.count;
    }
    count_answer(csp, best ? REFINE_FOUND : incomplete ? REFINE_INCOMPLETE : REFINE_HOLDS);
    if (!best)
        return;
    uint32_t targets[2] = {best->earlier, best->later};
    enum refinement again = check_pair(csp, targets);
    assert(again == REFINE_FOUND);
    (void)again;
    csp_report(csp, FINDING_RACE, CLASS_VARIABLE, best->object, targets, 2);
    map_at(&csp->reported, best->object, NULL);
}

static void check_races(struct csp *csp)
{
    struct csp_pairs *pairs = &csp->pairs;
    if (!pairs->count)
        return;
    bool every_pair = csp->run->options->every_pair;
    for (size_t i = 0; i < pairs->count && !every_pair; i++) {
        uint32_t targets[2] = {pairs->items[i].earlier, pairs->items[i].later};
        pairs->items[i].bound = refiner_lower_bound(csp->refiner, targets, 2);
    }
    qsort(pairs->items, pairs->count, sizeof *pairs->items, compare_pairs);
    if (every_pair) {
        check_every_pair(csp, pairs->items, pairs->count);
        return;
    }
    for (size_t i = 0, end; i < pairs->count; i = end) {
        for (end = i + 1; end < pairs->count &&
                          pairs->items[end].object == pairs->items[i].object &&
                          pairs->items[end].threads == pairs->items[i].threads;)
            end++;
        if (!map_find(&csp->reported, pairs->items[i].object) || pairs->items[i].threads)
            check_object(csp, &pairs->items[i], end - i);
    }
}

/* Checks a window of `size` events that count; whatever lies between is free. */
static void check_window(struct csp *csp, struct window_start *start, uint32_t size)
{
    uint32_t to = start->at;
    csp_candidates_begin(csp);
    for (uint32_t counted = 0; to < csp->rules->history->count && counted < size; to++)
        counted += csp_candidates_step(csp, to);
    struct processes *processes = processes_create(start, to);
    uint64_t budget = csp->run->options->budget;
    struct refine_limits limits = {
        .states = budget ? budget : DEFAULT_STATES,
        .bytes = MEMORY_BOUND,
    };
    csp->refiner = refiner_create(processes, limits);
    check_races(csp);
    csp_check_deadlocks(csp, start->at, to);
    refiner_destroy(csp->refiner);
    csp->refiner = NULL;
    processes_destroy(processes);
    map_clear(&csp->decided);
    window_start_advance(start, to);
}

static int finish(struct engine_run *run, struct error *error)
{
    (void)error;
    const struct history *history = run->history;
    struct csp *csp = csp_create(run);
    struct window_start *start = window_start_create(csp->rules);
    uint32_t window = run->options->window ? run->options->window : DEFAULT_WINDOW;
    while (start->at < history->count)
        check_window(csp, start, window);
    window_start_destroy(start);
    csp_destroy(csp);
    return 0;
}

const struct engine engine_csp = {
    .name = "csp",
    .summary = "races an object and deadlocks, by refinement checking of the CSP model",
    .promise = "exact under sync, within a window",
    .source = "seed 000 section 2; seed 001 section 2",
    .finds = FINDS_RACES | FINDS_DEADLOCKS,
    .guarantee = GUARANTEE_EXACT,
    .default_model = MODEL_SYNC,
    .models = 1u << MODEL_SYNC,
    .whole_trace = true,
    .one_per_object = true,
    .finish = finish,
};
