/* atomicity: the figures, and the oracle's opinion on every window and culprit of
 * random traces; sidetrack against its figure, and against what is possible. */
#include "atomicity/strikes.h"
#include "model/machine.h"
#include "oracle/oracle.h"
#include "oracle/strike_oracle.h"
#include "atomicity_text.h"
#include "campaign.h"

static const char *const everything[] = {"*", NULL};

static void expect(const char *text, enum model model, const char *wanted)
{
    struct engine_options options = {.jobs = 1, .model = model, .blocks = everything};
    expect_found("atomicity", text, &options, wanted);
}

static void expect_figure(const char *name, enum model model, const char *wanted)
{
    struct engine_options options = {.jobs = 1, .model = model};
    struct figure figure;
    figure_open(&figure, name, "tiddle", NULL);
    char *found = found_in(&figure, "atomicity", &options);
    assert_string_equal(found, wanted);
    free(found);
    figure_close(&figure);
}

static void figures(void **state)
{
    (void)state;
    expect_figure("002-fig18.1-observed-serial", MODEL_RF, "after block=a window=2..4 culprit=7");
    expect_figure("002-fig18.2-feasible", MODEL_RF, "in block=a window=2..6 culprit=4");
    expect_figure("002-fig18.3-fork-inside", MODEL_SYNC, "none");
    expect_figure("002-fig18.4-a-before", MODEL_RF, "before block=a window=4..6 culprit=1");
    expect_figure("002-fig20.4-analysis-state", MODEL_RF, "after block=a window=2..4 culprit=7");
    expect_figure("002-fig21.1-blame", MODEL_RF, "after block=a/b window=4..9 culprit=15");
    expect_figure("002-ch20-fork-while-holding", MODEL_RF, "none");
    expect_figure("002-sec24.3-tiddle-atomicity", MODEL_RF, "in block=a window=2..4 culprit=3");
    expect_figure("002-fig1.4-bank-account-corrected", MODEL_SYNC, "none");
}

/* Thread 2 takes m only because of what it read: possible only if reads do not matter. */
static void figure_20_2(void **state)
{
    (void)state;
    expect_figure("002-fig20.2-a-not-vulnerable", MODEL_RF, "none");
    expect_figure("002-fig20.2-a-not-vulnerable", MODEL_SYNC,
                  "after block=vulnerableFunction window=2..4 culprit=13");
    expect_figure("002-fig20.2-b-other-control-flow", MODEL_SYNC, "none");
}

/* Once the culprit is in the window, neither thread can go on: a deadlock, on both
 * sides of the figure, and no violation that completes. */
static void figure_20_5(void **state)
{
    (void)state;
    expect_figure("002-fig20.5-left", MODEL_SYNC, "none");
    expect_figure("002-fig20.5-right", MODEL_SYNC, "none");
}

static void auto_finds_them_too(void **state)
{
    (void)state;
    const char *text = "A|begin(f)|1\nA|acq(m)|2\nA|rel(m)|3\nA|acq(m)|4\nA|rel(m)|5\nA|end(f)|6\n"
                       "B|acq(m)|7\nB|rel(m)|8\n";
    const struct engine_options options = {.jobs = 1};
    expect_found("auto", text, &options, "after block=f window=2..4 culprit=7");
}

static void lost_update_through_two_locked_calls(void **state)
{
    (void)state;
    expect("A|begin(f)|1\nA|acq(m)|2\nA|r(x)|3\nA|rel(m)|4\nA|acq(m)|5\nA|w(x)|6\nA|rel(m)|7\nA|"
           "end(f)|8\n"
           "B|acq(m)|9\nB|w(x)|10\nB|rel(m)|11\n",
           MODEL_RF, "after block=f window=2..5 culprit=9, after block=f window=3..6 culprit=10");
}

static void the_unserialisable_four(void **state)
{
    (void)state;
    static const struct {
        char begin, culprit, end;
        bool bad;
    } cases[] = {
        {'r', 'w', 'r', true},  {'r', 'w', 'w', true},  {'w', 'r', 'w', true},
        {'w', 'w', 'r', true},  {'r', 'r', 'r', false}, {'r', 'r', 'w', false},
        {'w', 'r', 'r', false}, {'w', 'w', 'w', false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[256];
        snprintf(text, sizeof text, "A|begin(f)|1\nA|%c(x)|2\nA|%c(x)|3\nA|end(f)|4\nB|%c(x)|5\n",
                 cases[i].begin, cases[i].end, cases[i].culprit);
        expect(text, MODEL_SYNC, cases[i].bad ? "after block=f window=2..3 culprit=5" : "none");
    }
}

static void a_semaphore_may_serve_as_a_lock(void **state)
{
    (void)state;
    expect("A|begin(f)|1\nA|semwait(s)|2\nA|post(s)|3\nA|semwait(s)|4\nA|post(s)|5\nA|end(f)|6\n"
           "B|semwait(s)|7\nB|post(s)|8\n",
           MODEL_RF, "after block=f window=2..4 culprit=7");
}

static void one_section_protects(void **state)
{
    (void)state;
    expect("A|begin(f)|1\nA|acq(m)|2\nA|r(x)|3\nA|w(x)|4\nA|rel(m)|5\nA|end(f)|6\nB|acq(m)|7\nB|w("
           "x)|8\n"
           "B|rel(m)|9\n",
           MODEL_SYNC, "none");
}

/* A reads what B is about to change; B's value hangs on nothing A does. */
static void far_from_the_window(void **state)
{
    (void)state;
    expect("B|acq(m)|1\nB|w(x)|2\nB|rel(m)|3\nC|acq(m)|4\nC|rel(m)|5\nA|begin(f)|6\nA|acq(m)|7\nA|"
           "w(x)|8\n"
           "A|rel(m)|9\nA|acq(m)|10\nA|r(x)|11\nA|rel(m)|12\nA|end(f)|13\n",
           MODEL_RF,
           "before block=f window=7..10 culprit=1, before block=f window=8..11 culprit=2");
}

static void one_finding_a_block_and_pair_of_locations(void **state)
{
    (void)state;
    const struct engine_options options = {.jobs = 1};
    expect_found("atomicity", BROKEN_TWICE, &options, "in block=f window=2..6 culprit=4");
}

/* --- against the oracle --- */

struct strikes_found ARRAY_OF(struct strike);

static void run_engine(const struct sample *sample, const char *name, enum model model,
                       struct driver *driver, struct trace **trace)
{
    static struct engine_options options;
    struct error error = {0};
    options = (struct engine_options){
        .jobs = 1, .model = model, .every_pair = true, .blocks = everything};
    const struct engine *engine = engine_find(name, strlen(name));
    *trace = std_open_memory("sample", sample->text, strlen(sample->text));
    if (driver_run(driver, *trace, &engine, 1, &options, &error))
        fail_msg("%s\n%s", error.text, sample->text);
}

/* The transaction of each event, 0 for none; counted from 1. */
static uint32_t *transactions_of(const struct history *history)
{
    uint32_t *of = NEW_ARRAY(uint32_t, history->count), count = 0;
    for (uint32_t thread = 0; thread < history->threads; thread++) {
        uint32_t depth = 0;
        for (uint32_t i = 0; i < history_thread_length(history, thread); i++) {
            uint32_t pos = history_pos(history, thread, i);
            if (history->events[pos].op == EVENT_BLOCK_BEGIN)
                count += !depth++;
            of[pos] = depth ? count : 0;
            if (history->events[pos].op == EVENT_BLOCK_END && depth)
                depth--;
        }
    }
    return of;
}

static bool takes(const struct history *history, const struct event *event)
{
    return event->op == EVENT_SEM_WAIT && !(event->flags & EVENT_FAILED) &&
           trace_semaphore_initial(history->trace, event->object);
}

static bool same_object(const struct history *history, uint32_t first, uint32_t second)
{
    const struct event *a = &history->events[first], *b = &history->events[second];
    if ((op_in(a->op, OPS_ACCESS) && op_in(b->op, OPS_ACCESS)) ||
        (takes(history, a) && takes(history, b)))
        return a->object == b->object;
    return event_acquires(a) && event_acquires(b) && event_lock(a) == event_lock(b);
}

static bool is_found(const struct findings *findings, uint32_t begin, uint32_t end,
                     uint32_t culprit)
{
    for (size_t i = 0; i < findings->count; i++) {
        const struct finding_event *events = findings->items[i].events;
        if (events[0].pos == begin && events[1].pos == end && events[2].pos == culprit)
            return true;
    }
    return false;
}

/* The last operation of its kind (reading, writing, acquiring) before the end. */
static bool is_window(const struct history *history, const uint32_t *of, uint32_t begin,
                      uint32_t end)
{
    const struct event *events = history->events;
    if (!of[begin] || of[begin] != of[end] || !same_object(history, begin, end))
        return false;
    bool read_since = false, write_since = false;
    for (uint32_t pos = begin + 1; pos < end; pos++) {
        if (of[pos] != of[begin] || !same_object(history, begin, pos))
            continue;
        read_since |= event_reads(&events[pos]);
        write_since |= !op_in(events[pos].op, OPS_ACCESS) || event_writes(&events[pos]);
    }
    bool writes = !op_in(events[begin].op, OPS_ACCESS) || event_writes(&events[begin]);
    return (event_reads(&events[begin]) && !read_since) || (writes && !write_since);
}

static void tell(const struct sample *sample, const char *what, enum model model, uint32_t begin,
                 uint32_t end, uint32_t culprit)
{
    fail_msg("%s under %s: window %u..%u culprit %u\n%s", what, model_text(model), begin, end,
             culprit, sample->text);
}

/* Found is what is true, of every window and every culprit that breaks it. */
static void compare(struct strike_oracle *oracle, const struct sample *sample, enum model model)
{
    const struct history *history = sample->history;
    struct error error = {0};
    struct driver driver;
    struct trace *trace;
    if (strike_oracle_trace(oracle, history, model, &error))
        fail_msg("%s", error.text);
    run_engine(sample, "atomicity", model, &driver, &trace);
    const struct findings *findings = driver.runs[0].findings;
    assert_int_equal(driver.runs[0].exhausted, 0);
    uint32_t *of = transactions_of(history);
    for (size_t i = 0; i < findings->count; i++) {
        const struct finding_event *events = findings->items[i].events;
        if (!strike_is_true(oracle, events[0].pos, events[1].pos, events[2].pos, true) ||
            !is_window(history, of, events[0].pos, events[1].pos))
            tell(sample, "false", model, events[0].pos, events[1].pos, events[2].pos);
    }
    for (uint32_t b = 0; b < history->count; b++)
        for (uint32_t e = b + 1; e < history->count; e++)
            for (uint32_t c = 0; c < history->count && is_window(history, of, b, e); c++)
                if (history->events[c].thread != history->events[b].thread &&
                    same_object(history, b, c) &&
                    strike_breaks(&history->events[b], &history->events[e], &history->events[c]) &&
                    !is_found(findings, b, e, c) && strike_is_true(oracle, b, e, c, true))
                    tell(sample, "missed", model, b, e, c);
    free(of);
    driver_free(&driver);
    trace_close(trace);
}

/* What sidetrack finds is what its figure flags, event by event. */
static void compare_sidetrack(const struct sample *sample)
{
    const struct history *history = sample->history;
    struct driver driver;
    struct trace *trace;
    run_engine(sample, "sidetrack", MODEL_NONE, &driver, &trace);
    const struct findings *findings = driver.runs[0].findings;
    uint8_t *wanted = sidetrack_by_the_figure(history), *found = NEW_ARRAY(uint8_t, history->count);
    for (size_t i = 0; i < findings->count; i++) {
        const struct finding *finding = &findings->items[i];
        uint32_t at = finding->events[finding->error == ATOMICITY_AFTER ? 2 : 1].pos;
        found[at] |= (uint8_t)(1u << finding->error);
    }
    for (uint32_t pos = 0; pos < history->count; pos++)
        if (wanted[pos] != found[pos])
            fail_msg("event %u: the figure flags %x, sidetrack %x\n%s", pos, wanted[pos],
                     found[pos], sample->text);
    free(wanted);
    free(found);
    driver_free(&driver);
    trace_close(trace);
}

/* In a race-free trace the culprit of every error can come to its open window. */
static void break_in(struct oracle *races, struct strike_oracle *oracle,
                     const struct sample *sample)
{
    struct error error = {0};
    struct truth truth;
    struct oracle_options options = {.model = MODEL_RF};
    assert_int_equal(oracle_explore(races, sample->history, &options, &truth, &error), 0);
    bool race_free = !truth.races.count;
    truth_free(&truth);
    if (!race_free)
        return;
    struct driver driver;
    struct trace *trace;
    run_engine(sample, "sidetrack", MODEL_NONE, &driver, &trace);
    assert_int_equal(strike_oracle_trace(oracle, sample->history, MODEL_RF, &error), 0);
    const struct findings *findings = driver.runs[0].findings;
    for (size_t i = 0; i < findings->count; i++) {
        const struct finding_event *events = findings->items[i].events;
        if (!strike_is_true(oracle, events[0].pos, events[1].pos, events[2].pos, false))
            tell(sample, "sidetrack is wrong", MODEL_RF, events[0].pos, events[1].pos,
                 events[2].pos);
    }
    driver_free(&driver);
    trace_close(trace);
}

static void compare_models(const struct sample *sample, uint64_t seed, void *oracle)
{
    (void)seed;
    for (enum model model = MODEL_SYNC; model < MODEL_COUNT; model++)
        compare(oracle, sample, model);
}

static void the_oracle_agrees(void **state)
{
    struct strike_oracle *oracle = strike_oracle_create();
    campaign("ATOMICITY", *state, 100, compare_models, oracle);
    strike_oracle_destroy(oracle);
}

struct oracles {
    struct oracle *races;
    struct strike_oracle *strikes;
};

static void compare_with_figure(const struct sample *sample, uint64_t seed, void *context)
{
    (void)seed;
    struct oracles *oracles = context;
    compare_sidetrack(sample);
    break_in(oracles->races, oracles->strikes, sample);
}

static void sidetrack_is_its_figure(void **state)
{
    struct oracles oracles = {oracle_create(), strike_oracle_create()};
    campaign("ATOMICITY", *state, 300, compare_with_figure, &oracles);
    oracle_destroy(oracles.races);
    strike_oracle_destroy(oracles.strikes);
}

int main(void)
{
#define AGREES(shape)                                                                              \
    {                                                                                              \
        "the_oracle_agrees on " shape, the_oracle_agrees, NULL, NULL, (void *)shape                \
    }
#define FIGURE(shape)                                                                              \
    {                                                                                              \
        "sidetrack_is_its_figure on " shape, sidetrack_is_its_figure, NULL, NULL, (void *)shape    \
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_finding_a_block_and_pair_of_locations),
        cmocka_unit_test(figures),
        cmocka_unit_test(figure_20_2),
        cmocka_unit_test(figure_20_5),
        cmocka_unit_test(auto_finds_them_too),
        cmocka_unit_test(lost_update_through_two_locked_calls),
        cmocka_unit_test(the_unserialisable_four),
        cmocka_unit_test(a_semaphore_may_serve_as_a_lock),
        cmocka_unit_test(one_section_protects),
        cmocka_unit_test(far_from_the_window),
        AGREES("blocks"),
        AGREES("blocks:variables=1,locks=1,threads=2..3,events=10..16"),
        AGREES("blocks:branches,values"),
        AGREES("blocks:values,atomics,accesses=6,locks=2"),
        AGREES("rwlocks:blocks,variables=1"),
        AGREES("semaphores:blocks,events=10..30"),
        AGREES("all"),
        FIGURE("blocks:accesses=4"),
        FIGURE("blocks:accesses=4,locks=1,events=12..40,threads=2..5"),
        FIGURE("blocks:accesses=4,crossed,reentrant,locks=3"),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
