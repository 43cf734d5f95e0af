/* Questions about waits, with many critical sections between the two events: what a wait needs of
 * its wakers and what an order says about sections decide them, in a few schedules. A thread works
 * in the background and tells who waits for it; another one locks again and again; the main
 * thread joins that one and then waits for the first. */
#include "base/array.h"
#include "search/index.h"
#include "tiddle/generator.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka wants the headers above first */
#include <cmocka.h>

enum { SECTIONS = 3000 };

struct text ARRAY_OF(char);

static void say(struct text *text, const char *lines)
{
    for (; *lines; lines++)
        array_push(text, *lines);
}

/* `between` is what the thread in the background does after it has told for the first time, `last`
 * is the end of the one that locks. */
static void make_trace(struct text *text, const char *between, const char *last)
{
    say(text, "main|fork(locks)|1\nmain|fork(back)|2\n"
              "back|acq(m)|3\nback|notifyall(told)|4\nback|rel(m)|5\n");
    for (int i = 0; i < SECTIONS; i++)
        say(text, "locks|acq(m)|6\nlocks|rel(m)|7\n");
    say(text, between);
    say(text, last);
    say(text, "back|r(x)|10\n"
              "main|join(locks)|11\nmain|acq(m)|12\nmain|wait(told,m)|13\n"
              "back|acq(m)|14\nback|notifyall(told)|15\nback|rel(m)|16\n"
              "main|woken(told,m)|17\nmain|rel(m)|18\nmain|w(x)|19\n");
}

static uint32_t access_of(const struct history *history, enum event_op op)
{
    uint32_t pos = 0;
    while (history->events[pos].op != op)
        pos++;
    return pos;
}

static void expect(const char *between, const char *last, uint64_t budget,
                   enum search_answer expected)
{
    struct text text = {0};
    struct sample sample;
    struct error error = {0};
    make_trace(&text, between, last);
    size_t length = text.count;
    array_push(&text, '\0');
    assert_int_equal(sample_read(&sample, text.items, length, &error), 0);
    struct search_index *index = search_index_create(sample.history, MODEL_SYNC);
    struct search *search = search_create(index);
    const uint32_t events[2] = {access_of(sample.history, EVENT_READ),
                                access_of(sample.history, EVENT_WRITE)};
    struct search_query query = {SEARCH_RACE, events, 2, budget};
    struct search_witness witness;
    assert_int_equal(search_reach(search, &query, &witness), expected);
    if (expected == SEARCH_WITNESS)
        assert_true(search_check(index, &query, &witness));
    search_destroy(search);
    search_index_destroy(index);
    sample_free(&sample); /* and the text */
}

/* The background thread can be kept back until all sections are over and main waits. A few
 * schedules: one section at a time would take a thousand times that. */
static void test_held_back(void **state)
{
    (void)state;
    expect("", "", 16 * SECTIONS, SEARCH_WITNESS);
}

/* It cannot: it has to be told something itself, before the other thread ends. No schedule is
 * needed for that. */
static void test_must_go_on(void **state)
{
    (void)state;
    expect("back|acq(m)|20\nback|wait(go,m)|21\n",
           "locks|acq(m)|22\nlocks|notify(go)|23\nlocks|rel(m)|24\n"
           "back|woken(go,m)|25\nback|rel(m)|26\n",
           1, SEARCH_REFUTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_held_back),
        cmocka_unit_test(test_must_go_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
