/* SPDX-License-Identifier: MIT */
/* csp: races and deadlocks as refinement checks of the trace's CSP model.
 *
 * The trace is cut into windows; what lies before a window is executed as it was
 * observed. In a window, threads and synchronisation objects are processes (Carril
 * & Tichy, interleavings, section 2, and CSP, section 2; csp/process.h). A race on an object is a
 * trace of their product after which two threads stand before conflicting accesses
 * of it; a deadlock is a failure of the product in which every thread of a cycle is
 * refused its acquire. csp/refine.h searches the product on the fly, shortest
 * counterexamples first. Pairs that a weak happens-before, locksets or lock
 * histories rule out are never checked (Carril & Tichy, interleavings, section 3).
 *
 * One counterexample an object; one per object and pair of threads with --per-pair;
 * all with --pairs. Exact for `sync` within the window; checks that hit the bound on
 * states count as undecided. */
#include "csp/csp.h"
#include "engine/found.h"

#include "csp/counterexample.h"

#define DEFAULT_WINDOW 10000 /* events: that of Carril & Tichy, interleavings */
#define DEFAULT_STATES (UINT64_C(1) << 22)
#define MEMORY_BOUND   (UINT64_C(1) << 29)
/* What a run may cost in all, as refiner_work() counts, unless --budget says what a check may;
 * and the least that is worth beginning a check for. */
#define RUN_WORK         (UINT64_C(1) << 31)
#define UNBOUNDED_WORK   (UINT64_C(1) << 62)
#define LEAST_WORK       (UINT64_C(1) << 14)
#define EVENTS_IN_A_NOTE 40

void csp_spend(struct csp *csp, uint64_t work)
{
    csp->share -= work < csp->share ? work : csp->share;
    csp->budget -= work < csp->budget ? work : csp->budget;
}

uint64_t csp_allowance(const struct csp *csp, uint64_t left)
{
    uint64_t equal = csp->share / (left ? left : 1);
    uint64_t least = csp->share < LEAST_WORK ? csp->share : LEAST_WORK;
    return equal > least ? equal : least;
}

void csp_report(struct csp *csp, enum finding_kind kind, enum object_class class, uint32_t object,
                const uint32_t *targets, uint32_t count)
{
    struct engine_run *run = csp->run;
    const struct history *history = csp->rules->history;
    struct finding_event *events = NEW_ARRAY(struct finding_event, count);
    found_events(events, history, targets, count);
    uint32_t length;
    uint32_t *witness = refiner_witness(csp->refiner, targets, count, &length);
    char *note = counterexample_text(history, witness, length, count, csp->refiner->processes->from,
                                     EVENTS_IN_A_NOTE);
    struct finding finding = found_any(run, kind, MODEL_SYNC, events, count);
    finding.object_class = class;
    finding.object = object;
    finding.witness = witness;
    finding.witness_length = length;
    finding.note = *note ? note : NULL;
    findings_add(run->findings, &finding);
    csp_spend(csp, WITNESS_COST * (uint64_t)length);
    free(events);
    free(witness);
    free(note);
}

/* Windows that used up less leave more to those that follow. */
static void begin_share(struct csp *csp, uint32_t from, uint32_t to)
{
    uint32_t rest = csp->rules->history->count - from, size = to - from;
    csp->share = csp->budget / (1 + (rest - size) / size);
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
    csp->pairs = csp_pairs_create(processes, csp->profiles);
    begin_share(csp, start->at, to);
    csp_check_races(csp);
    csp_check_deadlocks(csp, start->at, to);
    csp_pairs_destroy(csp->pairs);
    refiner_destroy(csp->refiner);
    csp->pairs = NULL;
    csp->refiner = NULL;
    processes_destroy(processes);
    map_clear(&csp->decided);
    window_start_advance(start, to);
}

uint64_t csp_run(struct engine_run *run, uint64_t work)
{
    const struct history *history = run->history;
    struct csp *csp = csp_create(run);
    csp->budget = work;
    struct window_start *start = window_start_create(csp->rules);
    uint32_t standard = run->options->whole ? UINT32_MAX : DEFAULT_WINDOW;
    uint32_t window = run->options->window ? run->options->window : standard;
    while (start->at < history->count)
        check_window(csp, start, window);
    window_start_destroy(start);
    uint64_t left = csp->budget;
    csp_destroy(csp);
    return left;
}

static int finish(struct engine_run *run, struct error *error)
{
    (void)error;
    csp_run(run, run->options->budget ? UNBOUNDED_WORK : RUN_WORK);
    return 0;
}

const struct engine engine_csp = {
    .name = "csp",
    .summary = "races an object and deadlocks, by refinement checking of the CSP model",
    .promise = "exact under sync, within a window",
    .source = "Carril & Tichy, interleavings, section 2; Carril & Tichy, CSP, section 2",
    .finds = FINDS_RACES | FINDS_DEADLOCKS,
    .guarantee = GUARANTEE_EXACT,
    .default_model = MODEL_SYNC,
    .models = 1u << MODEL_SYNC,
    .whole_trace = true,
    .one_per_object = true,
    .finish = finish,
};
