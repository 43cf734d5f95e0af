/* Whether a process has run on, as the recorder asks it. */
#include "target/standstill.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static pid_t start(void)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child)
        return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* not left over where an assertion fails */
    for (;;)
        pause();
}

static void end(pid_t child)
{
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

/* The kernel may not have counted a nanosecond of it yet: it is there all the same. */
static void test_one_that_has_just_begun_is_there(void **state)
{
    (void)state;
    for (int i = 0; i < 50; i++) {
        uint64_t ran;
        pid_t child = start();
        assert_true(standstill_ran(child, &ran));
        end(child);
    }
}

static void test_one_that_has_ended_is_not(void **state)
{
    (void)state;
    uint64_t ran;
    pid_t child = start();
    end(child);
    assert_false(standstill_ran(child, &ran));
}

static void test_one_that_runs_moves(void **state)
{
    (void)state;
    uint64_t before, after;
    assert_true(standstill_ran(getpid(), &before));
    do
        assert_true(standstill_ran(getpid(), &after));
    while (after == before);
    assert_true(after > before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_that_has_just_begun_is_there),
        cmocka_unit_test(test_one_that_has_ended_is_not),
        cmocka_unit_test(test_one_that_runs_moves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
