/* sidetrack: windows, blame, and what Sadowski left out. Its figures are among
 * those of test_figures.c. */
#include "atomicity/blocks.h"
#include "atomicity_text.h"

static const struct engine_options by_default = {.jobs = 1};
static const char *const everything[] = {"*", NULL};
static const struct engine_options named = {.jobs = 1, .blocks = everything};

static void expect(const char *text, const char *wanted)
{
    expect_found("sidetrack", text, &by_default, wanted);
}

static void two_calls_of_one_function_are_two(void **state)
{
    (void)state;
    expect(
        "A|begin(f)|1\nA|begin(g)|2\nA|acq(m)|3\nA|rel(m)|4\nA|end(g)|5\n"
        "A|begin(g)|6\nA|acq(m)|7\nA|rel(m)|8\nA|end(g)|9\nA|end(f)|10\nB|acq(m)|11\nB|rel(m)|12\n",
        "after block=f window=3..7 culprit=11");
}

static void three_acquires_make_two_windows(void **state)
{
    (void)state;
    expect("A|begin(f)|1\nA|acq(m)|2\nA|rel(m)|3\nA|begin(g)|4\nA|acq(m)|5\nA|rel(m)|6\n"
           "B|acq(m)|7\nB|rel(m)|8\nA|acq(m)|9\nA|rel(m)|10\nA|end(g)|11\nA|end(f)|12\n",
           "after block=f window=2..5 culprit=7, in block=f/g window=5..9 culprit=7");
}

static void a_block_may_hold_many_locks(void **state)
{
    (void)state;
    char text[4096], *at = text;
    at += sprintf(at, "B|acq(m17)|a\nB|rel(m17)|b\nA|begin(f)|1\n");
    for (int i = 0; i < 20; i++)
        at += sprintf(at, "A|acq(m%d)|%d\nA|rel(m%d)|r%d\n", i, 100 + i, i, i);
    sprintf(at, "A|acq(m3)|203\nA|rel(m3)|r\nA|acq(m17)|217\nA|rel(m17)|r\nA|end(f)|2\n");
    expect(text, "before block=f window=117..217 culprit=a");
}

static void transactions_do_not_share_windows(void **state)
{
    (void)state;
    expect(
        "A|begin(f)|1\nA|acq(m)|2\nA|rel(m)|3\nA|end(f)|4\nA|begin(f)|5\nA|acq(m)|6\nA|rel(m)|7\n"
        "A|end(f)|8\nB|acq(m)|9\nB|rel(m)|10\n",
        "none");
}

static void readers_do_not_disturb_readers(void **state)
{
    (void)state;
    const char *reads = "A|begin(f)|1\nA|rdacq(m)|2\nA|rdrel(m)|3\nB|rdacq(m)|4\nB|rdrel(m)|5\n"
                        "A|rdacq(m)|6\nA|rdrel(m)|7\nA|end(f)|8\n";
    expect(reads, "none");
    const char *writes = "A|begin(f)|1\nA|rdacq(m)|2\nA|rdrel(m)|3\nB|wracq(m)|4\nB|wrrel(m)|5\n"
                         "A|rdacq(m)|6\nA|rdrel(m)|7\nA|end(f)|8\n";
    expect(writes, "in block=f window=2..6 culprit=4");
    const char *between = "A|begin(f)|1\nA|wracq(m)|2\nA|wrrel(m)|3\nB|rdacq(m)|4\nB|rdrel(m)|5\n"
                          "A|wracq(m)|6\nA|wrrel(m)|7\nA|end(f)|8\n";
    expect(between, "in block=f window=2..6 culprit=4");
    const char *upgrade = "A|begin(f)|1\nA|rdacq(m)|2\nA|rdrel(m)|3\nB|rdacq(m)|4\nB|rdrel(m)|5\n"
                          "A|wracq(m)|6\nA|wrrel(m)|7\nA|end(f)|8\n";
    expect(upgrade, "none");
    const char *ahead = "B|wracq(m)|1\nB|wrrel(m)|2\nA|begin(f)|3\nA|rdacq(m)|4\nA|rdrel(m)|5\n"
                        "A|wracq(m)|6\nA|wrrel(m)|7\nA|end(f)|8\n";
    expect(ahead, "before block=f window=4..6 culprit=1");
}

static void functions_that_wait_are_not_atomic(void **state)
{
    (void)state;
    const char *waits =
        "A|begin(f)|1\nA|begin(g)|2\nA|acq(m)|3\nA|wait(c,m)|4\nB|acq(m)|5\n"
        "B|notify(c)|6\nB|rel(m)|7\nA|woken(c,m)|8\nA|rel(m)|9\nA|end(g)|10\n"
        "A|begin(h)|11\nA|acq(m)|12\nA|rel(m)|13\nA|acq(m)|14\nA|rel(m)|15\nA|end(h)|16\n"
        "A|end(f)|17\nC|acq(m)|18\nC|rel(m)|19\n";
    expect(waits, "after block=h window=12..14 culprit=18");
    expect_found("sidetrack", waits, &named,
                 "after block=f/h window=12..14 culprit=18, in block=f/g window=3..8 culprit=5");
}

/* The wait comes last: what was found in the function before it goes too. */
static void a_late_wait_clears_its_function(void **state)
{
    (void)state;
    expect("A|begin(f)|1\nA|acq(m)|2\nA|rel(m)|3\nB|acq(m)|4\nB|rel(m)|5\nA|acq(m)|6\nA|rel(m)|7\n"
           "A|enter(b)|8\nA|exit(b)|9\nA|end(f)|10\n",
           "none");
}

static void signals_order_the_culprit(void **state)
{
    (void)state;
    const char *ordered =
        "B|acq(n)|1\nB|wait(c,n)|2\nA|begin(f)|3\nA|acq(m)|4\nA|rel(m)|5\nA|acq(m)|6\n"
        "A|notify(c)|7\nA|rel(m)|8\nA|end(f)|9\nB|woken(c,n)|10\nB|acq(m)|11\nB|rel(m)|12\n";
    expect(ordered, "none");
    const char *posted =
        "A|begin(f)|3\nA|acq(m)|4\nA|rel(m)|5\nA|acq(m)|6\nA|post(s)|7\nA|rel(m)|8\n"
        "A|end(f)|9\nB|semwait(s)|10\nB|acq(m)|11\nB|rel(m)|12\n";
    expect(posted, "none");
    const char *flagged =
        "A|begin(f)|3\nA|acq(m)|4\nA|rel(m)|5\nA|acq(m)|6\nA|atomicw(v)|7\nA|rel(m)|8\n"
        "A|end(f)|9\nB|atomicr(v)|10\nB|acq(m)|11\nB|rel(m)|12\n";
    expect(flagged, "none");
}

static void a_semaphore_may_serve_as_a_lock(void **state)
{
    (void)state;
    expect(
        "A|begin(f)|1\nA|semwait(s)|2\nA|post(s)|3\nB|semwait(s)|4\nB|post(s)|5\nA|semwait(s)|6\n"
        "A|post(s)|7\nA|end(f)|8\n",
        "in block=f window=2..6 culprit=4");
}

/* The block waits for its culprit: it happened, and always will. */
static void a_joined_culprit_is_none(void **state)
{
    (void)state;
    expect_found(
        "sidetrack",
        "A|begin(f)|1\nA|acq(m)|2\nA|rel(m)|3\nA|fork(B)|4\nB|acq(m)|5\nB|rel(m)|6\nA|join(B)|7\n"
        "A|acq(m)|8\nA|rel(m)|9\nA|end(f)|10\n",
        &named, "none");
}

static void a_failed_try_is_no_acquire(void **state)
{
    (void)state;
    expect("A|begin(f)|1\nA|acq(m)|2\nB|tryacq!(m)|3\nA|rel(m)|4\nA|acq(m)|5\nA|rel(m)|6\nA|end(f)|"
           "7\n",
           "none");
}

static void labels_choose_the_blocks(void **state)
{
    (void)state;
    const char *text = "A|begin(main)|1\nA|begin(list_add)|2\nA|acq(m)|3\nA|rel(m)|4\nA|acq(m)|5\n"
                       "A|rel(m)|6\nA|end(list_add)|7\nA|acq(m)|8\nA|rel(m)|9\nA|end(main)|10\n"
                       "B|acq(m)|11\nB|rel(m)|12\n";
    expect(text, "after block=list_add window=3..5 culprit=11");
    const char *const other[] = {"tree_*", NULL}, *const mine[] = {"tree_*", "ma?n", NULL};
    const struct engine_options none = {.jobs = 1, .blocks = other};
    expect_found("sidetrack", text, &none, "none");
    const struct engine_options outer = {.jobs = 1, .blocks = mine};
    expect_found("sidetrack", text, &outer, "after block=main window=5..8 culprit=11");
}

static void a_thread_s_first_function_is_not_atomic(void **state)
{
    (void)state;
    expect("A|threadstart()|0\nA|begin(worker)|1\nA|acq(m)|2\nA|rel(m)|3\nA|acq(m)|4\nA|rel(m)|5\n"
           "A|end(worker)|6\nB|acq(m)|7\nB|rel(m)|8\n",
           "none");
}

static uint32_t parent_of(const void *context, uint32_t stack)
{
    return ((const uint32_t *)context)[stack];
}

static void call_stacks_have_a_common_prefix(void **state)
{
    (void)state;
    /* a=1, a:b=2, a:b:d=3, a:b:c=4, a:b:c:d=5 */
    const uint32_t parents[] = {0, 0, 1, 2, 2, 4};
    assert_int_equal(stack_common(3, 5, parent_of, parents), 2);
    assert_int_equal(stack_common(5, 4, parent_of, parents), 4);
    assert_int_equal(stack_common(5, 0, parent_of, parents), 0);
}

static void one_finding_a_block_and_pair_of_locations(void **state)
{
    (void)state;
    const struct engine_options options = {.jobs = 1};
    expect_found("sidetrack", BROKEN_TWICE, &options, "in block=f window=2..6 culprit=4");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_finding_a_block_and_pair_of_locations),
        cmocka_unit_test(two_calls_of_one_function_are_two),
        cmocka_unit_test(three_acquires_make_two_windows),
        cmocka_unit_test(a_block_may_hold_many_locks),
        cmocka_unit_test(transactions_do_not_share_windows),
        cmocka_unit_test(readers_do_not_disturb_readers),
        cmocka_unit_test(functions_that_wait_are_not_atomic),
        cmocka_unit_test(a_late_wait_clears_its_function),
        cmocka_unit_test(signals_order_the_culprit),
        cmocka_unit_test(a_semaphore_may_serve_as_a_lock),
        cmocka_unit_test(a_joined_culprit_is_none),
        cmocka_unit_test(a_failed_try_is_no_acquire),
        cmocka_unit_test(labels_choose_the_blocks),
        cmocka_unit_test(a_thread_s_first_function_is_not_atomic),
        cmocka_unit_test(call_stacks_have_a_common_prefix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
