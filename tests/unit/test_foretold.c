/* What a replay that left its schedule says of other schedules. */
#include "replay/foretold.h"
#include "trace/formats.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* B looks at f twice, at the same line, before it writes x; at another line before it writes y.
 *   0 w(f) 1 acq 2 rel | 3 acq 4 r(f) 5 rel 6 w(x) | 7 w(x) 8 acq 9 rel |
 *   10 acq 11 r(f) 12 rel 13 w(x) 14 r(f) 15 w(y) | 16 w(y) */
static const char text[] = "A|w(f)|1\nA|acq(l)|2\nA|rel(l)|3\n"
                           "B|acq(l)|4\nB|r(f)|5\nB|rel(l)|6\nB|w(x)|7\n"
                           "A|w(x)|8\nA|acq(l)|9\nA|rel(l)|10\n"
                           "B|acq(l)|4\nB|r(f)|5\nB|rel(l)|6\nB|w(x)|7\nB|r(f)|11\nB|w(y)|12\n"
                           "A|w(y)|13\n";

struct fixture {
    struct trace *trace;
    struct history *history;
    struct foretold foretold;
};

static struct fixture begin(void)
{
    struct fixture fixture = {.trace = std_open_memory("t.std", text, sizeof text - 1)};
    struct error error = {0};
    fixture.history = history_read(fixture.trace, &error);
    if (!fixture.history)
        fail_msg("%s", error.text);
    return fixture;
}

static void end(struct fixture *fixture)
{
    foretold_free(&fixture->foretold);
    history_destroy(fixture->history);
    trace_close(fixture->trace);
}

struct candidate {
    struct finding finding;
    struct finding_event events[2];
};

/* A race between the last two of the witness. */
static struct candidate *race(struct candidate *out, const struct fixture *fixture,
                              uint32_t *witness, uint32_t length)
{
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t pos = witness[length - 2 + i];
        finding_event_fill(&out->events[i], &fixture->history->events[pos], pos,
                           fixture->history->index[pos]);
    }
    out->finding = (struct finding){.kind = FINDING_RACE,
                                    .model = MODEL_SYNC,
                                    .events = out->events,
                                    .event_count = 2,
                                    .witness = witness,
                                    .witness_length = length};
    return out;
}

/* B before A: it reads the beginning of f, which A has written in the recorded run. */
static uint32_t flipped[] = {3, 4, 5, 0, 1, 2, 6, 7};

static bool learns(struct fixture *fixture, uint32_t *witness, uint32_t length, const char *thread)
{
    struct candidate candidate;
    race(&candidate, fixture, witness, length);
    /* The access after its second operation does not come. */
    return foretold_learn(&fixture->foretold, fixture->history, &candidate.finding, thread, 2);
}

static enum foretelling asks(struct fixture *fixture, uint32_t *witness, uint32_t length)
{
    struct candidate candidate;
    race(&candidate, fixture, witness, length);
    return foretold_ask(&fixture->foretold, fixture->history, &candidate.finding);
}

static void the_same_flips_leave_at_the_same_event(void **state)
{
    (void)state;
    struct fixture fixture = begin();
    assert_int_equal(asks(&fixture, flipped, 8), FORETOLD_NOTHING);
    assert_true(learns(&fixture, flipped, 8, "B"));
    assert_int_equal(asks(&fixture, flipped, 8), FORETOLD_LEFT);
    /* A does something else: it is the same for B. */
    uint32_t other[] = {3, 4, 5, 0, 1, 2, 7, 8, 9, 6, 16};
    assert_int_equal(asks(&fixture, other, 11), FORETOLD_LEFT);
    end(&fixture);
}

static void other_reads_may_go_well(void **state)
{
    (void)state;
    struct fixture fixture = begin();
    assert_true(learns(&fixture, flipped, 8, "B"));
    uint32_t recorded[] = {0, 1, 2, 3, 4, 5, 6, 7};
    assert_int_equal(asks(&fixture, recorded, 8), FORETOLD_NOTHING);
    end(&fixture);
}

/* The same line, another time: all of B comes before A. */
static void the_same_code_is_doubtful(void **state)
{
    (void)state;
    struct fixture fixture = begin();
    uint32_t late[] = {3, 4, 5, 6, 10, 11, 12, 0, 1, 2, 13, 7};
    assert_true(learns(&fixture, late, 12, "B"));
    assert_int_equal(asks(&fixture, flipped, 8), FORETOLD_DOUBTFUL);
    assert_int_equal(asks(&fixture, late, 12), FORETOLD_LEFT);
    end(&fixture);
}

/* Who has read what it was recorded to read went another way for another reason. */
static void nothing_is_learnt_without_flips(void **state)
{
    (void)state;
    struct fixture fixture = begin();
    assert_false(learns(&fixture, flipped, 8, "A"));
    assert_false(learns(&fixture, flipped, 8, "C"));
    assert_int_equal(asks(&fixture, flipped, 8), FORETOLD_NOTHING);
    end(&fixture);
}

static void sound_predictions_are_not_judged(void **state)
{
    (void)state;
    struct fixture fixture = begin();
    struct candidate candidate;
    assert_true(learns(&fixture, flipped, 8, "B"));
    race(&candidate, &fixture, flipped, 8)->finding.model = MODEL_BRANCH;
    assert_int_equal(foretold_ask(&fixture.foretold, fixture.history, &candidate.finding),
                     FORETOLD_NOTHING);
    end(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_flips_leave_at_the_same_event),
        cmocka_unit_test(other_reads_may_go_well),
        cmocka_unit_test(the_same_code_is_doubtful),
        cmocka_unit_test(nothing_is_learnt_without_flips),
        cmocka_unit_test(sound_predictions_are_not_judged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
