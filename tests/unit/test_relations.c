/* The relations that predict without a search: Sadowski's worked example of
 * must-before to the last clock, and traces that need what random ones seldom do. */
#include "base/array.h"
#include "engine/driver.h"
#include "relations/cp.h"
#include "relations/embracer.h"
#include "trace/history.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

/* A trace as a file, for as long as it is read. */
static struct trace *open_text(const char *text, char *path, size_t room)
{
    struct error error = {0};
    snprintf(path, room, "/tmp/preplay-relations-%d.std", (int)getpid());
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    struct trace *trace = trace_open(path, &error);
    if (!trace)
        fail_msg("%s", error.text);
    return trace;
}

/* How many races the engine finds. */
static size_t count_races(const char *name, const char *text)
{
    char path[64];
    struct error error = {0};
    struct engine_options options = {.jobs = 1, .every_pair = true};
    const struct engine *engine = engine_find(name, strlen(name));
    assert_non_null(engine);
    struct trace *trace = open_text(text, path, sizeof path);
    struct driver driver;
    if (driver_run(&driver, trace, &engine, 1, &options, &error))
        fail_msg("%s: %s", name, error.text);
    size_t count = driver.runs[0].findings->count;
    driver_free(&driver);
    trace_close(trace);
    unlink(path);
    return count;
}

static void assert_clock(const struct vclock *clock, uint32_t first, uint32_t second)
{
    assert_non_null(clock);
    assert_int_equal(vclock_get(clock, 0), first);
    assert_int_equal(vclock_get(clock, 1), second);
}

static const char figure_14_1[] = "T0|r(x)|1\n"
                                  "T0|acq(m)|2\n"
                                  "T0|w(y)|3\n"
                                  "T0|rel(m)|4\n"
                                  "T1|acq(m)|5\n"
                                  "T1|r(y)|6\n"
                                  "T1|rel(m)|7\n"
                                  "T1|w(x)|8\n";

/* A row of Sadowski's Figure 15.2; a clock of zeros stands for none in A. */
struct row {
    uint32_t c0[2], c1[2], wx[2], wy[2], rx[2], ry[2], a[2];
    size_t edges, sections[2];
};

static const struct row figure_15_2[] = {
    {{2, 0}, {0, 1}, {0, 0}, {0, 0}, {2, 0}, {0, 0}, {0, 0}, 0, {0, 0}},
    {{3, 0}, {0, 1}, {0, 0}, {0, 0}, {2, 0}, {0, 0}, {2, 0}, 0, {0, 0}},
    {{4, 0}, {0, 1}, {0, 0}, {4, 0}, {2, 0}, {0, 0}, {2, 0}, 0, {0, 0}},
    {{4, 0}, {0, 1}, {0, 0}, {4, 0}, {2, 0}, {0, 0}, {0, 0}, 0, {1, 0}},
    {{4, 0}, {0, 2}, {0, 0}, {4, 0}, {2, 0}, {0, 0}, {0, 1}, 0, {1, 0}},
    {{4, 0}, {4, 3}, {0, 0}, {4, 0}, {2, 0}, {4, 3}, {0, 1}, 0, {1, 0}},
    {{4, 0}, {4, 3}, {0, 0}, {4, 0}, {2, 0}, {4, 3}, {0, 0}, 1, {1, 1}},
    {{4, 0}, {4, 4}, {4, 4}, {4, 0}, {2, 0}, {4, 3}, {0, 0}, 1, {1, 1}},
};

static void assert_row(struct embracer *embracer, const struct row *row)
{
    struct embracer_section *const *sections;
    assert_clock(embracer_clock(embracer, 0), row->c0[0], row->c0[1]);
    assert_clock(embracer_clock(embracer, 1), row->c1[0], row->c1[1]);
    assert_clock(embracer_written(embracer, 0), row->wx[0], row->wx[1]);
    assert_clock(embracer_written(embracer, 1), row->wy[0], row->wy[1]);
    assert_clock(embracer_read(embracer, 0), row->rx[0], row->rx[1]);
    assert_clock(embracer_read(embracer, 1), row->ry[0], row->ry[1]);
    if (row->a[0] || row->a[1])
        assert_clock(embracer_acquired(embracer, 0), row->a[0], row->a[1]);
    else
        assert_null(embracer_acquired(embracer, 0));
    for (uint32_t thread = 0; thread < 2; thread++)
        assert_int_equal(embracer_history(embracer, 0, thread, &sections), row->sections[thread]);
    if (row->sections[0]) {
        embracer_history(embracer, 0, 0, &sections);
        assert_int_equal(sections[0]->tick, 2); /* acquired at <2,0> */
        assert_clock(&sections[0]->at_release, 4, 0);
    }
    if (row->sections[1]) {
        embracer_history(embracer, 0, 1, &sections);
        assert_int_equal(sections[0]->tick, 1); /* acquired at <0,1> */
        assert_clock(&sections[0]->at_release, 4, 3);
    }
    const struct vclock *edge = extra_edges_seen(embracer_extra(embracer), 1, 2);
    assert_int_equal(edge != NULL, row->edges);
    if (edge) /* from <4,0> to the acquire at <0,1> */
        assert_clock(edge, 4, 0);
}

static void embracer_follows_the_figure_to_the_last_clock(void **state)
{
    (void)state;
    char path[64];
    struct error error = {0};
    struct trace *trace = open_text(figure_14_1, path, sizeof path);
    struct history *history = history_read(trace, &error);
    struct embracer *embracer = embracer_create();
    struct vclock bad = {0};
    assert_int_equal(history->count, sizeof figure_15_2 / sizeof *figure_15_2);
    for (uint32_t pos = 0; pos < history->count; pos++) {
        embracer_enter(embracer, &history->events[pos]);
        if (pos == 5) { /* r(1,y) joins B as (<4,0>, <0,2>) */
            vclock_copy(&bad, embracer_clock(embracer, 1));
            assert_clock(embracer_written(embracer, 1), 4, 0);
            assert_clock(&bad, 0, 2);
        }
        embracer_leave(embracer, &history->events[pos]);
        assert_row(embracer, &figure_15_2[pos]);
    }
    assert_true(embracer_is_closed(embracer));
    embracer_adjust(embracer, &bad);
    assert_clock(&bad, 4, 2); /* it has seen <4,0>: no race on y */
    vclock_free(&bad);
    embracer_destroy(embracer);
    history_destroy(history);
    trace_close(trace);
    unlink(path);
    assert_int_equal(count_races("mb", figure_14_1), 0);
}

/* T1 learns at its second n-section, inside its l-section, that T0's l-section comes
 * first; by then T2 has long gone on from T1's nested m-section. Only a second look
 * at T2's p-section shows that T0's comes before it, and with that the two writes. */
static const char look_back[] = "T0|w(z)|1\nT0|acq(p)|2\nT0|rel(p)|3\n"
                                "T0|acq(l)|4\nT0|rel(l)|5\n"
                                "T0|acq(n)|6\nT0|w(y)|7\nT0|rel(n)|8\n"
                                "T1|acq(l)|9\nT1|acq(m)|10\nT1|rel(m)|11\n"
                                "T2|acq(p)|12\nT2|w(z)|13\n"
                                "T2|acq(m)|14\nT2|rel(m)|15\nT2|rel(p)|16\n"
                                "T1|acq(n)|17\nT1|w(y)|18\nT1|rel(n)|19\n"
                                "T1|rel(l)|20\n";

static void causally_precedes_looks_back_as_often_as_it_must(void **state)
{
    (void)state;
    char path[64];
    struct error error = {0};
    assert_int_equal(count_races("cp", look_back), 0);
    assert_int_equal(count_races("wcp", look_back), 1);
    struct trace *trace = open_text(look_back, path, sizeof path);
    struct history *history = history_read(trace, &error);
    struct cp *cp = cp_create(history);
    assert_true(cp_walks(cp) > 1);
    cp_destroy(cp);
    history_destroy(history);
    trace_close(trace);
    unlink(path);
}

/* T2's p-section has ended when T1 learns, from y, that T0's l-section comes before its
 * own. T2 had seen T1 inside that section, through q: so T0's p-section comes before
 * T2's after all, and with it the write of z. What remains are the races on y and q. */
static void must_before_asks_ended_sections_again(void **state)
{
    (void)state;
    static const char text[] = "T0|w(z)|1\nT0|acq(p)|2\nT0|rel(p)|3\n"
                               "T0|acq(l)|4\nT0|rel(l)|5\nT0|w(y)|6\n"
                               "T1|acq(l)|7\nT1|w(q)|8\n"
                               "T2|acq(p)|9\nT2|w(z)|10\nT2|r(q)|11\nT2|rel(p)|12\n"
                               "T1|r(y)|13\nT1|rel(l)|14\n";
    assert_int_equal(count_races("mb", text), 2);
}

/* A section that clashes with nobody may be passed; one that does may not. */
static void the_weaker_a_relation_the_more_it_finds(void **state)
{
    (void)state;
    static const char hidden[] = "A|w(x)|1\nA|acq(l)|2\nA|rel(l)|3\n"
                                 "B|acq(l)|4\nB|rel(l)|5\nB|w(x)|6\n";
    static const char handed_over[] = "A|w(x)|1\nA|acq(l)|2\nA|w(y)|3\nA|rel(l)|4\n"
                                      "B|acq(l)|5\nB|r(y)|6\nB|rel(l)|7\nB|w(x)|8\n";
    static const char *const relations[] = {"cp", "wcp", "mb", "syncp"};
    assert_int_equal(count_races("hb", hidden), 0);
    for (size_t i = 0; i < sizeof relations / sizeof *relations; i++) {
        assert_int_equal(count_races(relations[i], hidden), 1);
        assert_int_equal(count_races(relations[i], handed_over), 0);
    }
}

/* The read comes before the hand-over in B: weak-causally-precedes orders the clash
 * only from the access on, causally-precedes the whole section. */
static void weak_orders_from_the_access_on(void **state)
{
    (void)state;
    static const char text[] = "A|w(x)|1\nA|acq(l)|2\nA|w(y)|3\nA|rel(l)|4\n"
                               "B|acq(l)|5\nB|w(x)|6\nB|r(y)|7\nB|rel(l)|8\n";
    assert_int_equal(count_races("cp", text), 0);
    assert_int_equal(count_races("wcp", text), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(embracer_follows_the_figure_to_the_last_clock),
        cmocka_unit_test(causally_precedes_looks_back_as_often_as_it_must),
        cmocka_unit_test(must_before_asks_ended_sections_again),
        cmocka_unit_test(the_weaker_a_relation_the_more_it_finds),
        cmocka_unit_test(weak_orders_from_the_access_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
